import { sessionAccess, type SessionAccess, type SessionReader } from '@hamlet/core';
import { findChatSession, noteLook, type ChatSessionRow, type Db } from '@hamlet/store';
import { recordAct } from '../../audit/record-act.ts';
import type { Actor } from '../../http/actor.ts';
import type { Caller } from '../../http/handler.ts';
import { accepted, refused, type Outcome } from '../../http/outcome.ts';

function readerOf(actor: Actor): SessionReader {
  switch (actor.role) {
    case 'member':
    case 'admin':
      return { kind: 'person', id: actor.id, isAdmin: actor.role === 'admin' };
    case 'agent':
      return { kind: 'agent', agentId: actor.agentId };
    case 'visitor':
    case 'operator':
    case 'broker':
      return { kind: 'stranger' };
  }
}

export interface Admitted {
  readonly session: ChatSessionRow;
  readonly access: Exclude<SessionAccess, 'none'>;
}

/**
 * Admits an actor to a session that was read, as core decides. Sessions that the actor may not read count as unknown.
 */
export function admitTo(session: ChatSessionRow | null, actor: Actor): Outcome<Admitted> {
  const access = session === null ? 'none' : sessionAccess(session, readerOf(actor));
  return session === null || access === 'none' ? refused('no_such_session') : accepted({ session, access });
}

/** Reads a session for a request. If an admin reads a session of others, the audit records that once an hour. */
export async function openSession(db: Db, caller: Caller, sessionId: string): Promise<Outcome<Admitted>> {
  const admitted = admitTo(await findChatSession(db, sessionId), caller.actor);
  if (admitted.ok && admitted.data.access === 'as_admin') await recordLook(db, caller, admitted.data.session);
  return admitted;
}

async function recordLook(db: Db, caller: Caller, { sessionId, agentId }: ChatSessionRow): Promise<void> {
  if (!(await noteLook(db, sessionId, caller.actor.id))) return;
  await recordAct(db, caller, { action: 'session.look', object: sessionId, detail: { agent_id: agentId } });
}
