import { RUNS_WAITING_MAX, SESSION_MESSAGES_MAX, SESSION_PEOPLE_MAX, SESSION_WAITING_MAX } from '@hamlet/contract';
import type { SafeMode } from '@hamlet/contract';
import { refuseMessage, titleFrom } from '@hamlet/core';
import {
  countWaiting,
  inSnapshot,
  insertMessage,
  insertRuns,
  insertSessionPerson,
  readBars,
  readFreeze,
  readMessages,
} from '@hamlet/store';
import type { ChatSessionRow, MessageRow, RunRow, Tx } from '@hamlet/store';
import { z } from 'zod';
import type { AgentRecord } from '../agents/agent-source.ts';
import { recordAct } from '../audit/record-act.ts';
import { inTx, plain, type Handlers } from '../http/handler.ts';
import { accepted, refused, type Refused } from '../http/outcome.ts';
import { pageCursor, paged } from '../http/page-cursor.ts';
import { runView } from '../runs/run-view.ts';
import { barsRuns } from '../runs/work-limits.ts';
import { refusalOfBar } from '../standing/bar-refusal.ts';
import { openSession, type Admitted } from './transcript/session-access.ts';
import { authorOf, holdSession } from './session-handlers.ts';
import { messageView } from './transcript/session-view.ts';
import type { Village } from '../village.ts';

const cursor = pageCursor(z.int().min(1));
const LIMITS = {
  messagesMax: SESSION_MESSAGES_MAX,
  waitingMax: SESSION_WAITING_MAX,
  waitingOfAgentMax: RUNS_WAITING_MAX,
};

async function refuseSend(tx: Tx, { session, access }: Admitted): Promise<Refused | null> {
  const { agentId } = session;
  if ((await readFreeze(tx)) !== null) return refused('village_frozen');
  const bar = (await readBars(tx, [agentId])).get(agentId);
  if (bar !== undefined && barsRuns(bar)) return refusalOfBar(agentId, bar);
  if (access === 'as_admin' && session.people.length >= SESSION_PEOPLE_MAX) return refused('too_many_people');
  const waitingOfAgent = (await countWaiting(tx, [agentId])).get(agentId) ?? 0;
  const { messages, waiting, terminatedAt } = session;
  const reason = refuseMessage({ terminated: terminatedAt !== null, messages, waiting, waitingOfAgent }, LIMITS);
  return reason === null ? null : refused(reason);
}

function wakeOf({ spec, idle }: AgentRecord): 'awake' | 'waking' | 'suspended' | 'never' {
  if (spec.power !== 'Asleep') return 'awake';
  if (spec.wake === 'Never') return 'never';
  return idle === true ? 'waking' : 'suspended';
}

interface Sent {
  readonly run: RunRow;
  readonly message: MessageRow;
}

interface Sending {
  readonly author: ReturnType<typeof authorOf>;
  readonly agentUid: string;
  readonly text: string;
  readonly safeMode: SafeMode | undefined;
}

async function store(
  tx: Tx,
  { sessionId, agentId }: ChatSessionRow,
  { author, agentUid, text, safeMode }: Sending,
): Promise<Sent> {
  const [run] = await insertRuns(tx, [
    {
      agentId,
      agentUid,
      kind: 'message',
      prompt: text,
      createdByRole: author.role,
      createdById: author.id,
      schedule: null,
      sessionId,
      safeMode,
    },
  ]);
  if (run === undefined) throw new Error('the database returned no run');
  const { runId } = run;
  const message = await insertMessage(
    tx,
    { sessionId, author, text, runId, state: 'queued', inReplyTo: null, cost: null },
    titleFrom(text),
  );
  return { run, message };
}

function sendMessage({ source, rest, refuseRepository }: Village): Handlers['sendMessage'] {
  return inTx(async (request, tx) => {
    const held = await holdSession(tx, request);
    if (!held.ok) return held;
    const { session, access } = held.data;
    const record = source.get(session.agentId);
    if (record === null || record.deleting) return refused('no_such_agent', `There is no agent ${session.agentId}`);
    // The list may have changed since the session began.
    const notAllowed = refuseRepository(session.repositoryUrl, request.actor);
    if (notAllowed !== null) return notAllowed;
    const denied = await refuseSend(tx, held.data);
    if (denied !== null) return denied;
    const author = authorOf(request.actor);
    if (access === 'as_admin') await insertSessionPerson(tx, session.sessionId, author);
    const { text, safe_mode: safeMode } = request.body;
    const { run, message } = await store(tx, session, { author, agentUid: record.uid, text, safeMode });
    await recordAct(tx, request, {
      action: 'session.message',
      object: session.sessionId,
      detail: { agent_id: session.agentId, message_id: message.messageId, run_id: run.runId },
    });
    const wake = wakeOf(record);
    return {
      ...accepted({ message: messageView(message), run: runView(run), wake }),
      afterCommit: () => wake === 'waking' && rest.look(),
    };
  });
}

export function messageHandlers(village: Village) {
  const { db, sessions } = village;
  return {
    sendMessage: sendMessage(village),
    listMessages: plain(async (request) => {
      const { params, query } = request;
      const admitted = await openSession(db, request, params.session_id);
      if (!admitted.ok) return admitted;
      const { sessionId } = admitted.data.session;
      return paged(cursor, { ...query, sessionId, list: 'messages' }, (page) =>
        inSnapshot(db, async (tx) => {
          const { rows, next } = await readMessages(tx, sessionId, page);
          return { messages: rows.map(messageView), stream_cursor: await sessions.cursorOf(tx, sessionId), next };
        }),
      );
    }),
  } satisfies Partial<Handlers>;
}
