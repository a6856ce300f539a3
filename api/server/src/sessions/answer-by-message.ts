import { REPLY_MAX_CHARS, type sendMessage as sendRoute } from '@hamlet/contract';
import { refuseMessage } from '@hamlet/core';
import { findMessageOfRun, findOpenQuestion, insertMessage, lockPermission, lockRun } from '@hamlet/store';
import type { ChatSessionRow, HeldPermission, MessageRow, RunRow, Tx } from '@hamlet/store';
import type { RequestOf } from '../http/handler.ts';
import { accepted, refused, type Outcome } from '../http/outcome.ts';
import { answerQuestion } from '../permissions/answer-permission.ts';
import { authorOf } from './session-handlers.ts';
import { LIMITS } from './message-limits.ts';
import type { Village } from '../village.ts';

type Request = RequestOf<typeof sendRoute>;

/** A question of an agent that waits in a session, with its run, both locked. */
interface OpenQuestion {
  readonly run: RunRow;
  readonly permission: HeldPermission;
}

/**
 * Locks the question that a message answers; null if the agent asks nothing, or if the message begins work of its own
 * (a safe mode, files, a text longer than an answer). Locks the run, so the caller has locked the name of the session.
 */
export async function holdQuestion(tx: Tx, { params, body }: Request): Promise<OpenQuestion | null> {
  const { safe_mode: safeMode, files = [], text } = body;
  if (safeMode !== undefined || files.length > 0 || text.length > REPLY_MAX_CHARS) return null;
  const known = await findOpenQuestion(tx, params.session_id);
  if (known === null) return null;
  const run = await lockRun(tx, known.runId);
  const permission = await lockPermission(tx, known.permissionId);
  if (run === null || permission?.state !== 'pending' || permission.isOver) return null;
  return { run, permission };
}

interface ByMessage {
  readonly session: ChatSessionRow;
  readonly question: OpenQuestion;
  readonly village: Village;
}

/** Answers the question with the text of a message, and adds the message to the transcript as answered. */
export async function answerByMessage(
  tx: Tx,
  request: Request,
  { session, question, village }: ByMessage,
): Promise<Outcome<MessageRow>> {
  const { sessionId, messages, terminatedAt } = session;
  const facts = { terminated: terminatedAt !== null, messages, waiting: 0, waitingOfAgent: 0 };
  const reason = refuseMessage(facts, LIMITS);
  if (reason !== null) return refused(reason);
  const { text } = request.body;
  const asked = await findMessageOfRun(tx, question.run.runId);
  const answered = await answerQuestion(tx, request, { ...question, reply: text, village });
  if (!answered.ok) return answered;
  // The message has no run of its own: the run of the question belongs to an earlier message.
  const line = { sessionId, text, runId: null, state: 'answered', cost: null } as const;
  const inReplyTo = asked?.messageId ?? null;
  return accepted(await insertMessage(tx, { ...line, author: authorOf(request.actor), inReplyTo }, null));
}
