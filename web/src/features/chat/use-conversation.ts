import { listRuns, openSessionStream, type Run, type StreamEvent } from '@hamlet/contract';
import { useEffect, useMemo } from 'react';
import type { Api } from '../../client/api.ts';
import {
  afterConversationEvent,
  afterLostStream,
  type Conversation,
  EMPTY_CONVERSATION,
  runReads,
  withRuns,
} from '../../client/minds/conversation.ts';
import { useLive } from '../../client/query/use-live.ts';
import { type Streamed, type StreamSubject, useStreamed } from '../../client/stream/use-streamed.ts';
import { useVillage } from '../village-context.ts';

type SessionEvent = StreamEvent<typeof openSessionStream>;

export function useConversation(sessionId: string, agentId: string): Streamed<Conversation> {
  const { api } = useVillage();
  const streamed = useStreamed(useMemo(() => sessionSubject(api, sessionId), [api, sessionId]));
  const { change } = streamed;
  const runs = useNewestRuns(streamed.state, agentId);
  const messages = streamed.state.messages.length;
  // The effect runs once for each answer, and again when a message arrives whose run was read before. Streaming words
  // do not start it.
  useEffect(() => {
    if (runs !== null) change((now) => withRuns(now, runs));
  }, [change, runs, messages]);
  return streamed;
}

const STALE_MS = 3_000;
const REFUSED_MS = 60_000;
const RUNS = 100;

/** The newest runs of the agent. The stream has running ones; of earlier ones it lacks runtime, error and usage. */
function useNewestRuns(conversation: Conversation, agentId: string): readonly Run[] | null {
  const { version, isStale } = runReads(conversation);
  const { data } = useLive(
    listRuns,
    { query: { agent_id: agentId, limit: RUNS } },
    { everyMs: ({ refused }) => (isStale ? STALE_MS : refused === null ? Infinity : REFUSED_MS), version },
  );
  return data === null ? null : data.runs;
}

/** An ended conversation stays open, because its last run may still report its end. */
function sessionSubject(api: Api, sessionId: string): StreamSubject<Conversation, SessionEvent> {
  return {
    initial: EMPTY_CONVERSATION,
    open: (cursor, { signal, onBytes, onEvent }) =>
      api.open(
        openSessionStream,
        { params: { session_id: sessionId }, query: cursor === null ? {} : { after: cursor }, signal, onBytes },
        onEvent,
      ),
    reduce: afterConversationEvent,
    lost: afterLostStream,
    isOver: () => false,
  };
}
