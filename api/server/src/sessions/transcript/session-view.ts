import { formatAiDollars, type ChatSession, type SessionMessage, type SessionRepository } from '@hamlet/contract';
import { sessionState } from '@hamlet/core';
import type { ChatSessionRow, MessageRow } from '@hamlet/store';

const UNTITLED = 'New session';
const FORGOTTEN = 'Forgotten session';

export function repositoryOf({
  repositoryUrl: url,
  repositoryBranch: branch,
}: ChatSessionRow): SessionRepository | null {
  return url === null || branch === null ? null : { url, branch };
}

export function chatSessionView(row: ChatSessionRow): ChatSession {
  const { pausedAt, terminatedAt, working } = row;
  return {
    session_id: row.sessionId,
    agent_id: row.agentId,
    title: row.title ?? (row.forgottenAt === null ? UNTITLED : FORGOTTEN),
    repository: repositoryOf(row),
    state: sessionState({ paused: pausedAt !== null, terminated: terminatedAt !== null, working }),
    people: [...row.people],
    created_by: { role: row.createdByRole, id: row.createdById },
    created_at: row.createdAt.toISOString(),
    last_at: row.lastAt.toISOString(),
    waiting: row.waiting,
  };
}

export function messageView(row: MessageRow): SessionMessage {
  return {
    message_id: row.messageId,
    session_id: row.sessionId,
    number: row.number,
    author: { role: row.authorRole, id: row.authorId, name: row.authorName },
    text: row.text,
    at: row.at.toISOString(),
    forgotten_at: row.forgottenAt?.toISOString() ?? null,
    run_id: row.runId,
    state: row.state,
    in_reply_to: row.inReplyTo,
    cost: row.costMicros === null ? null : formatAiDollars(BigInt(row.costMicros)),
    steps: row.steps,
    progress: row.progress,
    version: row.version,
    revised_at: row.revisedAt?.toISOString() ?? null,
  };
}
