import { listRuns, openSessionStream, type Run, type StreamEvent } from '@hamlet/contract';
import { useEffect, useMemo } from 'react';
import type { Api } from '../../client/api.ts';
import {
  afterConversationEvent,
  afterLostStream,
  type Conversation,
  EMPTY_CONVERSATION,
  isFinalMessage,
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
  // Once for each answer, and again when a message arrives whose run was read before: words under way cost nothing.
  useEffect(() => {
    if (runs !== null) change((now) => withRuns(now, runs));
  }, [change, runs, messages]);
  return streamed;
}

const WORKING_MS = 3_000;
const IDLE_MS = 60_000;
const RUNS = 100;

/** The newest runs of the agent, which the stream of a session does not have: their runtime, error and usage. */
function useNewestRuns({ messages, traces }: Conversation, agentId: string): readonly Run[] | null {
  const isWorking = messages.some((message) => !isFinalMessage(message));
  // A run changes with its events; the number of events says so before the next request is due.
  const version = messages.length + [...traces.values()].reduce((sum, { events }) => sum + events.length, 0);
  const { data } = useLive(
    listRuns,
    { query: { agent_id: agentId, limit: RUNS } },
    { everyMs: isWorking ? WORKING_MS : IDLE_MS, version: isWorking ? Math.floor(version / 4) : version },
  );
  return data === null ? null : data.runs;
}

/** An ended conversation is kept open too: its last run may still report its end. */
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
