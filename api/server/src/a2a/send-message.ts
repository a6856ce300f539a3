import type { Task } from '@a2a-js/sdk';
import {
  answerPermission,
  createSession,
  endSession,
  REPLY_MAX_CHARS,
  sendMessage,
  SESSIONS_OF_AGENT_MAX,
  SESSIONS_OF_PERSON_MAX,
} from '@hamlet/contract';
import {
  countOpenSessions,
  findAnswer,
  findChatSession,
  findIdleContext,
  noteContext,
  readPendingOfRuns,
  readPermissionsById,
} from '@hamlet/store';
import { accepted, refused, type Outcome } from '../http/outcome.ts';
import { admitTo } from '../sessions/transcript/session-access.ts';
import type { A2aCall } from './a2a-call.ts';
import type { ReadMessage } from './read-message.ts';
import { readTask, type TaskReader } from './read-tasks.ts';
import { isOver } from './task-of-run.ts';

type Sending = TaskReader & Pick<A2aCall, 'ask'>;

const HAS_ENDED = 'The task has ended: leave taskId out, and send the message with its contextId';
const NOT_ASKING = 'The task asks nothing now: leave taskId out, and the agent answers the message after this task';
const NO_FILES = 'message.parts: an answer has no files: leave taskId out, and send the files with the contextId';
const NEEDS_ID = 'The agent asks for a permission: reply with a word and the id of the request, as its question says';

/** Ends the longest idle session that such a call opened, if the person or the agent has no room for another one. */
async function makeRoom({ db, caller, agentId, ask }: Sending, messageId: string): Promise<void> {
  const { actor } = caller;
  const open = await countOpenSessions(db, agentId, actor.id);
  if (open.ofPerson < SESSIONS_OF_PERSON_MAX && open.ofAgent < SESSIONS_OF_AGENT_MAX) return;
  const idle = await findIdleContext(db, agentId, actor.id);
  // Keyed by the message, so that its repeats end one session together. If this fails, the next step refuses.
  if (idle !== null) await ask(endSession, { params: { session_id: idle } }, `a2a room ${agentId} ${messageId}`);
}

async function openContext(sending: Sending, messageId: string): Promise<Outcome<string>> {
  const { db, caller, agentId, ask } = sending;
  const key = `a2a context ${agentId} ${messageId}`;
  if ((await findAnswer(db, caller.actor.id, key)) === null) await makeRoom(sending, messageId);
  const created = await ask(createSession, { params: { agent_id: agentId }, body: {} }, key);
  if (!created.ok) return created;
  const { session_id: sessionId } = created.data.session;
  await noteContext(db, { sessionId, agentId, personId: caller.actor.id });
  return accepted(sessionId);
}

async function contextOf(sending: Sending, { contextId, messageId }: ReadMessage): Promise<Outcome<string>> {
  if (contextId === null) return openContext(sending, messageId);
  const { db, caller, agentId } = sending;
  const session = await findChatSession(db, contextId);
  const admitted = admitTo(session, caller.actor);
  if (!admitted.ok || session?.agentId !== agentId) return refused('no_such_session');
  return accepted(contextId);
}

/** Sends a message as one of its session. Returns the run that it became or whose question it answered. */
async function say(
  sending: Sending,
  { messageId, text, files }: ReadMessage,
  sessionId: string,
): Promise<Outcome<string>> {
  const body = { text, ...(files.length === 0 ? {} : { files: [...files] }) };
  const input = { params: { session_id: sessionId }, body };
  const sent = await sending.ask(sendMessage, input, keyOf(sending, messageId));
  return sent.ok ? accepted(sent.data.run.run_id) : sent;
}

const keyOf = ({ agentId }: Sending, messageId: string): string => `a2a message ${agentId} ${messageId}`;

async function answerById(
  { db, ask }: Sending,
  task: Task,
  { permission_id: id, answer, reply }: NonNullable<ReadMessage['answer']>,
): Promise<Outcome<string>> {
  const permission = (await readPermissionsById(db, [id])).get(id);
  if (permission?.runId !== task.id) return refused('no_such_permission');
  const body = { answer, ...(reply === undefined ? {} : { reply }) };
  const answered = await ask(answerPermission, { params: { permission_id: id }, body }, `a2a answer ${id}`);
  return answered.ok ? accepted(task.id) : answered;
}

/** Answers what a task asks. A permission needs its id, because another one may have taken its place. */
async function reply(sending: Sending, message: ReadMessage, taskId: string): Promise<Outcome<string>> {
  const { db, caller } = sending;
  const read = await readTask(sending, taskId);
  if (!read.ok) return read;
  const task = read.data;
  if (message.contextId !== null && message.contextId !== task.contextId)
    return refused('validation_failed', 'message.contextId: send that of the task, or leave it out');
  if (message.answer !== null) return answerById(sending, task, message.answer);
  const isRepeat = (await findAnswer(db, caller.actor.id, keyOf(sending, message.messageId))) !== null;
  if (isRepeat) return say(sending, message, task.contextId);
  if (isOver(task)) return refused('validation_failed', HAS_ENDED);
  const pending = (await readPendingOfRuns(db, [task.id])).get(task.id);
  if (pending === undefined) return refused('validation_failed', NOT_ASKING);
  if (!pending.some(({ why }) => why === 'question')) return refused('validation_failed', NEEDS_ID);
  return message.text.length > REPLY_MAX_CHARS
    ? refused('validation_failed', `message.parts: shorten the answer to ${REPLY_MAX_CHARS} characters`)
    : say(sending, message, task.contextId);
}

export async function sendToAgent(sending: Sending, message: ReadMessage): Promise<Outcome<string>> {
  const { taskId, files } = message;
  if (taskId !== null)
    return files.length === 0 ? reply(sending, message, taskId) : refused('validation_failed', NO_FILES);
  const context = await contextOf(sending, message);
  return context.ok ? say(sending, message, context.data) : context;
}
