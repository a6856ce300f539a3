import { deleteSessionPerson, findChatSession, hintRunsOfSession, revokeRulesOfPerson } from '@hamlet/store';
import type { ChatSessionRow } from '@hamlet/store';
import { recordAct } from '../audit/record-act.ts';
import type { Actor } from '../http/actor.ts';
import { inTx, type Handlers } from '../http/handler.ts';
import { accepted, refused, type Refused } from '../http/outcome.ts';
import { holdSession } from './session-handlers.ts';
import { chatSessionView } from './transcript/session-view.ts';

/** The refusal to remove a person from a session; null if the actor may. The creator and admins may, and people themselves. Pure. */
function refuseRemoval({ people, createdById }: ChatSessionRow, personId: string, { role, id }: Actor): Refused | null {
  if (!people.some((person) => person.id === personId)) return refused('no_such_person');
  if (role !== 'admin' && id !== personId && id !== createdById) return refused('not_session_creator');
  return people.length === 1 ? refused('last_person') : null;
}

/**
 * Removes a person from a session. Ends their streams of the session and its runs, and the rules that they made in it.
 */
export const removeSessionPerson: Handlers['removeSessionPerson'] = inTx(async (request, tx) => {
  const held = await holdSession(tx, request);
  if (!held.ok) return held;
  const { session } = held.data;
  const { person_id: personId } = request.params;
  const { actor } = request;
  const denied = refuseRemoval(session, personId, actor);
  if (denied !== null) return denied;
  const { sessionId, agentId: agent_id } = session;
  const rules = await revokeRulesOfPerson(tx, { sessionId, personId }, { role: actor.role, id: actor.id });
  await deleteSessionPerson(tx, sessionId, personId);
  await hintRunsOfSession(tx, sessionId);
  const detail = { agent_id, person: personId, rules };
  await recordAct(tx, request, { action: 'session.remove', object: sessionId, detail });
  return accepted({ session: chatSessionView((await findChatSession(tx, sessionId)) ?? session) });
});
