import type { AllowRule, answerPermission as answerRoute, Permission } from '@hamlet/contract';
import { needsAdmin, REPLY_MAX_CHARS, villageTool } from '@hamlet/contract';
import { answerFits, decideAnswer, shorten } from '@hamlet/core';
import {
  answerPermission as store,
  endPermission,
  findChatSession,
  findPermission,
  inTransaction,
  lockPermission,
  lockRun,
  sessionsOfPerson,
} from '@hamlet/store';
import type { HeldPermission, RunRow, Tx } from '@hamlet/store';
import type { Actor } from '../http/actor.ts';
import { plain, type Handlers, type RequestOf } from '../http/handler.ts';
import { accepted, refused, type Outcome, type Refused } from '../http/outcome.ts';
import { followPermission } from './follow-permission.ts';
import { redactSecrets } from './redact-secrets.ts';
import { allowRuleView, giveRule, recordAnswer, refuseRule, USABLE_S } from './rules/allow-rules.ts';
import { refuseAboveAllowance } from './rules/spending.ts';
import { permissionView } from './view/permission-view.ts';
import type { Village } from '../village.ts';

type Asked = RequestOf<typeof answerRoute>;
type Person = Extract<Actor, { role: 'member' | 'admin' }>;

/** True if a person may answer for a run: an admin, a person of its session, or, without a session, the member who gave it. */
async function mayAnswer(tx: Tx, { role, id }: Person, run: RunRow): Promise<boolean> {
  if (role === 'admin') return true;
  if (run.sessionId === null) return run.createdByRole === role && run.createdById === id;
  return (await sessionsOfPerson(tx, id, [run.sessionId])).size > 0;
}

function refuseUnfit({ answer, reply }: Asked['body'], { why }: HeldPermission): Refused | null {
  if (!answerFits(why, answer))
    return refused('validation_failed', `body.answer: ${answer} is not a valid answer to a request with why ${why}`);
  return why === 'question' && answer === 'allow' && reply === undefined
    ? refused('validation_failed', 'body.reply: write the answer to the question')
    : null;
}

const isPerson = (actor: Actor): actor is Person => actor.role === 'member' || actor.role === 'admin';

interface Held {
  readonly run: RunRow;
  readonly permission: HeldPermission;
  readonly actor: Person;
}

/** Refuses a person who may not give this answer, or may no longer use the repository of the run's session. */
async function refusePerson(
  tx: Tx,
  { actor, run: { sessionId }, permission: { tool } }: Held,
  { refuseRepository, answer }: Pick<Village, 'refuseRepository'> & Pick<Asked['body'], 'answer'>,
): Promise<Refused | null> {
  if (needsAdmin(tool) && actor.role !== 'admin' && answer === 'allow')
    return refused('permission_not_yours', 'Only admins open hosts and branches to agents: ask an admin to answer');
  if (villageTool(tool)?.class === 'schedule' && actor.role !== 'admin' && answer === 'allow')
    return refused('permission_not_yours', 'Only admins write Schedules: ask an admin to answer');
  const session = sessionId === null ? null : await findChatSession(tx, sessionId);
  return refuseRepository(session?.repositoryUrl, actor);
}

async function hold(tx: Tx, { params, actor, body }: Asked, village: Village): Promise<Outcome<Held>> {
  const known = await findPermission(tx, params.permission_id);
  if (known === null) return refused('no_such_permission');
  const run = await lockRun(tx, known.runId);
  const permission = await lockPermission(tx, params.permission_id);
  if (run === null || permission === null) return refused('no_such_permission');
  if (!isPerson(actor) || !(await mayAnswer(tx, actor, run))) return refused('permission_not_yours');
  const { refuseRepository } = village;
  const held = { run, permission, actor };
  return (await refusePerson(tx, held, { refuseRepository, answer: body.answer })) ?? accepted(held);
}

/** The person's reply to the agent. Secrets are removed, except from the answer to a question. Pure. */
function wordsToKeep({ answer, reply, reason }: Asked['body'], { why }: HeldPermission): string | null {
  const words = reply ?? reason ?? null;
  return words === null || (why === 'question' && answer === 'allow')
    ? words
    : shorten(redactSecrets(words), REPLY_MAX_CHARS);
}

async function take(tx: Tx, request: Asked, { run, permission, actor }: Held): Promise<Permission> {
  const { answer, reason } = request.body;
  const answered = await store(tx, permission.permissionId, {
    answer,
    by: { role: actor.role, id: actor.id, name: actor.name },
    reply: wordsToKeep(request.body, permission),
    usableS: USABLE_S,
  });
  const more = reason === undefined ? {} : { reason };
  await recordAnswer(tx, request, { run, permission: answered, more });
  await followPermission(tx, { run, permission: answered, event: 'permission_answered' });
  return permissionView(answered, run.sessionId);
}

interface Answered {
  readonly permission: Permission;
  readonly rule: AllowRule | null;
}

async function ruleOf(
  tx: Tx,
  request: Asked,
  held: Held & Pick<Village, 'readCommand'>,
): Promise<Outcome<AllowRule | null>> {
  const { always } = request.body;
  if (always === undefined) return accepted(null);
  const given = await giveRule(tx, request, { ...held, always });
  if (!given.ok) return given;
  return accepted(given.data === null ? null : allowRuleView(given.data));
}

async function withRule(
  ruled: Promise<Outcome<AllowRule | null>>,
  view: () => Promise<Permission>,
): Promise<Outcome<Answered>> {
  const rule = await ruled;
  return rule.ok ? accepted({ permission: await view(), rule: rule.data }) : rule;
}

async function answerHeld(
  tx: Tx,
  request: Asked,
  { held, village }: { readonly held: Held; readonly village: Village },
): Promise<Outcome<Answered>> {
  const { run, permission } = held;
  const ruling = { ...held, readCommand: village.readCommand };
  const { answer } = request.body;
  const unfit = refuseUnfit(request.body, permission) ?? refuseRule(request.body, held);
  if (unfit !== null) return unfit;
  const decided = decideAnswer(permission, { answer, policyVersion: village.policyOfRun(run).version });
  switch (decided.kind) {
    case 'same':
      return withRule(ruleOf(tx, request, ruling), async () => permissionView(permission, run.sessionId));
    case 'refused':
      return refused(decided.reason);
    case 'stale': {
      const withdrawn = await endPermission(tx, permission.permissionId, 'withdrawn');
      await followPermission(tx, { run, permission: withdrawn, event: 'permission_answered' });
      return refused('permission_stale');
    }
    case 'take': {
      const spending = { person: held.actor, amount: answer === 'allow' ? permission.amount : null, now: request.now };
      const above = await refuseAboveAllowance(tx, spending, village.economy);
      if (above !== null) return above;
      return withRule(ruleOf(tx, request, ruling), () => take(tx, request, held));
    }
  }
}

/**
 * Answers a question of an agent in a person's words, under the locks of its run and permission. Only a question: words
 * never answer a request for a permission.
 */
export async function answerQuestion(
  tx: Tx,
  request: Omit<Asked, 'params' | 'body'>,
  { run, permission, reply, village }: Omit<Held, 'actor'> & { readonly reply: string; readonly village: Village },
): Promise<Outcome<Answered>> {
  const { actor } = request;
  if (permission.why !== 'question') return refused('permission_answered');
  if (!isPerson(actor) || !(await mayAnswer(tx, actor, run))) return refused('permission_not_yours');
  const body = { answer: 'allow', reply } as const;
  const asked = { ...request, params: { permission_id: permission.permissionId }, body };
  return answerHeld(tx, asked, { held: { run, permission, actor }, village });
}

/** The first answer of a person counts; the same answer again changes nothing. */
export function answerPermission(village: Village): Handlers['answerPermission'] {
  return plain((request) =>
    inTransaction(village.db, async (tx) => {
      const held = await hold(tx, request, village);
      return held.ok ? answerHeld(tx, request, { held: held.data, village }) : held;
    }),
  );
}
