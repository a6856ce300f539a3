import { SESSION_PEOPLE_MAX, SESSIONS_OF_AGENT_MAX, SESSIONS_OF_PERSON_MAX } from '@hamlet/contract';
import {
  countOpenSessions,
  findPeopleByName,
  insertChatSession,
  insertSessionPerson,
  findChatSession,
  lockChatSession,
  lockRunsOfSession,
  lockSessionsOf,
  hintAgents,
  readSessionsOf,
  setPaused,
  setTerminated,
} from '@hamlet/store';
import type { ChatSessionRow, Db, PersonInRole, Tx } from '@hamlet/store';
import { z } from 'zod';
import { recordAct } from '../audit/record-act.ts';
import { accountObject } from '../auth/account-actor.ts';
import type { Actor } from '../http/actor.ts';
import { inTx, plain, type Caller, type Handlers } from '../http/handler.ts';
import { accepted, refused, type Outcome, type Refused } from '../http/outcome.ts';
import { pageCursor, paged } from '../http/page-cursor.ts';
import { applyToHeldRun } from '../runs/apply-to-run.ts';
import { admitTo, openSession, type Admitted } from './transcript/session-access.ts';
import { chatSessionView } from './transcript/session-view.ts';
import type { Village } from '../village.ts';

const cursor = pageCursor(z.uuid());

/** The actor as an author of messages. The permission of the route admits only members and admins. */
export function authorOf(actor: Actor): Readonly<{ role: 'member' | 'admin'; id: string; name: string }> {
  if (actor.role !== 'member' && actor.role !== 'admin')
    throw new TypeError(`a bug: the role ${actor.role} cannot write messages`);
  return { role: actor.role, id: actor.id, name: actor.name };
}

async function peopleNamed(tx: Tx, names: readonly string[]): Promise<Outcome<readonly PersonInRole[]>> {
  const found = await findPeopleByName(tx, names);
  const unknown = names.find((name) => !found.has(name.toLowerCase()));
  if (unknown !== undefined) return refused('no_such_person', `No account has the name ${unknown}`);
  return accepted(
    [...found.values()].map(({ accountId, name, role }) => ({ id: accountObject(accountId), name, role })),
  );
}

/** Locks the sessions of the agent, so that the limits hold when the caller adds one. */
async function refuseTooMany(tx: Tx, agentId: string, personId: string): Promise<Refused | null> {
  await lockSessionsOf(tx, agentId);
  const open = await countOpenSessions(tx, agentId, personId);
  if (open.ofPerson >= SESSIONS_OF_PERSON_MAX)
    return refused('too_many_sessions', `You have ${open.ofPerson} open sessions with ${agentId}: end some`);
  return open.ofAgent >= SESSIONS_OF_AGENT_MAX
    ? refused('too_many_sessions', `${agentId} has ${open.ofAgent} open sessions, which is the limit: end some`)
    : null;
}

function createSession({ source, refuseRepository, refuseRepositoryTo }: Village): Handlers['createSession'] {
  return inTx(async (request, tx) => {
    const { agent_id: agentId } = request.params;
    const { title = null, repository = null, people } = request.body;
    const url = repository?.url;
    const record = source.get(agentId);
    if (record === null || record.deleting) return refused('no_such_agent');
    const author = authorOf(request.actor);
    const named = await peopleNamed(tx, people);
    if (!named.ok) return named;
    const denied =
      refuseRepository(url, request.actor) ??
      refuseRepositoryTo(url, named.data) ??
      (await refuseTooMany(tx, agentId, author.id));
    if (denied !== null) return denied;
    const others = named.data.filter(({ id }) => id !== author.id);
    const session = await insertChatSession(tx, {
      agentId,
      title,
      repository,
      by: author,
      people: [{ id: author.id, name: author.name }, ...others],
    });
    const detail = { session_id: session.sessionId, people: session.people.map(({ id }) => id) };
    await recordAct(tx, request, { action: 'session.create', object: agentId, detail });
    return accepted({ session: chatSessionView(session) });
  });
}

function listAgentSessions({ db, source }: Village): Handlers['listAgentSessions'] {
  return plain(async (request) => {
    const { params, query, actor } = request;
    const { agent_id: agentId } = params;
    if (source.get(agentId) === null) return refused('no_such_agent');
    const scope = await scopeOf(db, request, { agentId, whose: query.whose });
    if (!scope.ok) return scope;
    return paged(cursor, { ...query, agentId, reader: actor.id, list: 'sessions' }, async (page) => {
      const { rows, next } = await readSessionsOf(db, { agentId, personId: scope.data }, page);
      return { sessions: rows.map(chatSessionView), next };
    });
  });
}

/** Null for all people. Only the agent itself and admins see all sessions, and the audit names the admin. */
export async function scopeOf(
  db: Db,
  caller: Caller,
  { agentId, whose }: { readonly agentId: string; readonly whose: 'mine' | 'all' },
): Promise<Outcome<string | null>> {
  const { actor } = caller;
  if (actor.role === 'agent')
    return actor.agentId === agentId
      ? accepted(null)
      : refused('not_own_agent', `This token belongs to ${actor.agentId}: list the sessions of that agent`);
  if (whose === 'mine') return accepted(actor.id);
  if (actor.role !== 'admin') return refused('forbidden', 'Only an admin may list the sessions of others');
  await recordAct(db, caller, { action: 'session.list', object: agentId, detail: {} });
  return accepted(null);
}

export async function holdSession(
  tx: Tx,
  request: Caller & { readonly params: { readonly session_id: string } },
): Promise<Outcome<Admitted>> {
  return admitTo(await lockChatSession(tx, request.params.session_id), request.actor);
}

const ENDED: Refused = refused('session_terminated');

function change(
  action: 'session.pause' | 'session.resume',
  write: (tx: Tx, session: ChatSessionRow) => Promise<ChatSessionRow>,
) {
  return inTx(async (request: Caller & { readonly params: { readonly session_id: string } }, tx: Tx) => {
    const held = await holdSession(tx, request);
    if (!held.ok) return held;
    const { session } = held.data;
    if (session.terminatedAt !== null) return ENDED;
    const changed = await write(tx, session);
    await recordAct(tx, request, { action, object: session.sessionId, detail: { agent_id: session.agentId } });
    return accepted({ session: chatSessionView(changed) });
  });
}

async function resume(tx: Tx, { sessionId, agentId }: ChatSessionRow): Promise<ChatSessionRow> {
  const changed = await setPaused(tx, sessionId, false);
  await hintAgents(tx, [agentId]);
  return changed;
}

/** Cancels the open messages of a session: waiting ones at once, the current one as soon as the agent ends it. */
function endSession(): Handlers['endSession'] {
  return inTx(async (request, tx) => {
    const held = await holdSession(tx, request);
    if (!held.ok) return held;
    const { session } = held.data;
    const { sessionId, agentId } = session;
    if (session.terminatedAt !== null) return accepted({ session: chatSessionView(session) });
    // Locks all runs before it changes any, because a change of a run locks the row of the session.
    const open = await lockRunsOfSession(tx, sessionId);
    const ids = new Set(open.map(({ runId }) => runId));
    // The cancel of a run cancels its workers.
    const roots = open.filter(({ parentRunId }) => parentRunId === null || !ids.has(parentRunId));
    const detail = { reason: 'session_ended', by: { role: request.actor.role, id: request.actor.id } };
    for (const run of roots) await applyToHeldRun(tx, run, { command: { kind: 'cancel' }, words: { detail } });
    const ended = await setTerminated(tx, sessionId);
    await hintAgents(tx, [agentId]);
    await recordAct(tx, request, { action: 'session.end', object: sessionId, detail: { agent_id: agentId } });
    return accepted({ session: chatSessionView(ended) });
  });
}

function addPerson({ refuseRepositoryTo }: Village): Handlers['addSessionPerson'] {
  return inTx(async (request, tx) => {
    const held = await holdSession(tx, request);
    if (!held.ok) return held;
    const { session } = held.data;
    if (session.terminatedAt !== null) return ENDED;
    const named = await peopleNamed(tx, [request.body.name]);
    if (!named.ok) return named;
    const notAllowed = refuseRepositoryTo(session.repositoryUrl, named.data);
    if (notAllowed !== null) return notAllowed;
    const added = named.data.filter(({ id }) => !session.people.some((person) => person.id === id));
    if (session.people.length + added.length > SESSION_PEOPLE_MAX) return refused('too_many_people');
    for (const person of added) {
      await insertSessionPerson(tx, session.sessionId, person);
      await recordAct(tx, request, {
        action: 'session.invite',
        object: session.sessionId,
        detail: { agent_id: session.agentId, person: person.id },
      });
    }
    const changed = (await findChatSession(tx, session.sessionId)) ?? session;
    return accepted({ session: chatSessionView(changed) });
  });
}

export function sessionHandlers(village: Village) {
  return {
    createSession: createSession(village),
    listAgentSessions: listAgentSessions(village),
    getSession: plain(async (request) => {
      const admitted = await openSession(village.db, request, request.params.session_id);
      return admitted.ok ? accepted({ session: chatSessionView(admitted.data.session) }) : admitted;
    }),
    endSession: endSession(),
    pauseSession: change('session.pause', (tx, { sessionId }) => setPaused(tx, sessionId, true)),
    resumeSession: change('session.resume', resume),
    addSessionPerson: addPerson(village),
  } satisfies Partial<Handlers>;
}
