import { MESSAGE_MAX_CHARS, SESSION_PEOPLE_MAX } from '@hamlet/contract';
import type { CallData, SafeMode, sendMessage as sendRoute } from '@hamlet/contract';
import { refuseMessage, titleFrom } from '@hamlet/core';
import {
  countWaiting,
  findChatSession,
  inSnapshot,
  insertMessage,
  insertRunFiles,
  insertRuns,
  insertSessionPerson,
  lockRun,
  readBars,
  readFreeze,
  readMessages,
} from '@hamlet/store';
import type { ChatSessionRow, MessageRow, RunRow, Tx } from '@hamlet/store';
import { z } from 'zod';
import type { AgentRecord } from '../agents/agent-source.ts';
import { recordAct } from '../audit/record-act.ts';
import { inTx, plain, type Handlers, type RequestOf } from '../http/handler.ts';
import { accepted, refused, type Outcome, type Refused } from '../http/outcome.ts';
import { pageCursor, paged } from '../http/page-cursor.ts';
import { runView } from '../runs/run-view.ts';
import { barsRuns } from '../runs/work-limits.ts';
import { refusalOfBar } from '../standing/bar-refusal.ts';
import { admitTo, openSession, type Admitted } from './transcript/session-access.ts';
import { answerByMessage, holdQuestion } from './answer-by-message.ts';
import { readGivenFiles } from './given-files.ts';
import { LIMITS } from './message-limits.ts';
import { authorOf, holdSession } from './session-handlers.ts';
import { messageView } from './transcript/session-view.ts';
import type { Village } from '../village.ts';

const cursor = pageCursor(z.int().min(1));
type Request = RequestOf<typeof sendRoute>;
/** Refuses every message to a session: an answer to a question too. */
async function refuseAny(tx: Tx, { session, access }: Admitted): Promise<Refused | null> {
  const { agentId } = session;
  if ((await readFreeze(tx)) !== null) return refused('village_frozen');
  const bar = (await readBars(tx, [agentId])).get(agentId);
  if (bar !== undefined && barsRuns(bar)) return refusalOfBar(agentId, bar);
  return access === 'as_admin' && session.people.length >= SESSION_PEOPLE_MAX ? refused('too_many_people') : null;
}

/** Refuses a message that would become a run. */
async function refuseRun(tx: Tx, session: ChatSessionRow): Promise<Refused | null> {
  const { agentId } = session;
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

const NO_HANDS = 'files: the agent has no hands, and so no workspace for files: send their words as text';
const TOO_LONG = `text: shorten it: with the list of its files a message has at most ${MESSAGE_MAX_CHARS} characters`;

interface Sent {
  readonly run: RunRow;
  readonly message: MessageRow;
}

interface NewRun {
  readonly author: ReturnType<typeof authorOf>;
  readonly agentUid: string;
  readonly text: string;
  readonly safeMode: SafeMode | undefined;
  readonly traceparent: string | undefined;
}

async function store(
  tx: Tx,
  { sessionId, agentId }: ChatSessionRow,
  { author, text, ...asked }: NewRun,
): Promise<Sent> {
  const [run] = await insertRuns(tx, [
    {
      ...asked,
      agentId,
      kind: 'message',
      prompt: text,
      createdByRole: author.role,
      createdById: author.id,
      schedule: null,
      sessionId,
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

function sendMessage(village: Village): Handlers['sendMessage'] {
  return inTx(async (request, tx) => {
    // Refuses strangers before it locks anything.
    const known = admitTo(await findChatSession(tx, request.params.session_id), request.actor);
    if (!known.ok) return known;
    const held = await holdSession(tx, request);
    if (!held.ok) return held;
    const question = await holdQuestion(tx, request);
    const admitted = await admitMessage(tx, request, { held: held.data, village });
    if (!admitted.ok) return admitted;
    const begun = { ...admitted.data, village };
    if (question === null) return beginRun(tx, request, begun);
    const answer = await answerByMessage(tx, request, { session: begun.session, question, village });
    if (!answer.ok) return beginRun(tx, request, begun);
    const run = (await lockRun(tx, question.run.runId)) ?? question.run;
    return sent(tx, request, { ...begun, message: answer.data, run, answers: question.permission.permissionId });
  });
}

interface Beginning {
  readonly session: ChatSessionRow;
  readonly record: AgentRecord;
  readonly village: Village;
}

/** The locked session of a message whose author may write to it now. Adds an admin to its people. */
async function admitMessage(
  tx: Tx,
  request: Request,
  { held, village: { source, refuseRepository } }: { readonly held: Admitted; readonly village: Village },
): Promise<Outcome<Omit<Beginning, 'village'>>> {
  const { session, access } = held;
  const record = source.get(session.agentId);
  if (record === null || record.deleting) return refused('no_such_agent');
  // The list may have changed since the session began.
  const denied = refuseRepository(session.repositoryUrl, request.actor) ?? (await refuseAny(tx, held));
  if (denied !== null) return denied;
  if (access === 'as_admin') await insertSessionPerson(tx, session.sessionId, authorOf(request.actor));
  return accepted({ session, record });
}

/** Makes a run of a message. */
async function beginRun(
  tx: Tx,
  request: Request,
  { session, record, village }: Beginning,
): Promise<Outcome<CallData<typeof sendRoute>>> {
  const denied = await refuseRun(tx, session);
  if (denied !== null) return denied;
  const author = authorOf(request.actor);
  const { text: said, safe_mode: safeMode, files: given = [] } = request.body;
  if (given.length > 0 && record.spec.hands?.enabled === false) return refused('validation_failed', NO_HANDS);
  const { text, files } = readGivenFiles(said, given);
  if (text.length > MESSAGE_MAX_CHARS) return refused('validation_failed', TOO_LONG);
  const { ownSpan: traceparent } = request;
  const stored = await store(tx, session, { author, agentUid: record.uid, text, safeMode, traceparent });
  await insertRunFiles(tx, stored.run.runId, files);
  return sent(tx, request, { village, record, ...stored, answers: null });
}

async function sent(
  tx: Tx,
  request: Request,
  { village, record, message, run, answers }: Sent & Omit<Beginning, 'session'> & { readonly answers: string | null },
) {
  await recordAct(tx, request, {
    action: 'session.message',
    object: message.sessionId,
    detail: {
      agent_id: record.agentId,
      message_id: message.messageId,
      run_id: run.runId,
      ...(answers === null ? {} : { answers }),
    },
  });
  const wake = wakeOf(record);
  return {
    ...accepted({ message: messageView(message), run: runView(run), wake, answers }),
    afterCommit: () => wake === 'waking' && village.rest.look(),
  };
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
