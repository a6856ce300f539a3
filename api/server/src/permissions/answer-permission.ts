import { formatAiDollars } from '@hamlet/contract';
import type { answerPermission as answerRoute, Permission } from '@hamlet/contract';
import { answerFits, decideAnswer } from '@hamlet/core';
import {
  answerPermission as store,
  endPermission,
  findPermission,
  inTransaction,
  lockName,
  lockPermission,
  lockRun,
  readAllowance,
  readAllowedSpending,
  sessionsOfPerson,
} from '@hamlet/store';
import type { Db, HeldPermission, RunRow, Tx } from '@hamlet/store';
import { recordAct } from '../audit/record-act.ts';
import type { Actor } from '../http/actor.ts';
import { plain, type Handlers, type RequestOf } from '../http/handler.ts';
import { accepted, refused, type Outcome, type Refused } from '../http/outcome.ts';
import type { EconomyRules } from '../money/ledger/judgement.ts';
import { dayStart, villageDay } from '../money/ledger/village-day.ts';
import type { PolicyOf } from './agent-policy.ts';
import { followPermission } from './follow-permission.ts';
import { permissionView } from './view/permission-view.ts';

export interface AnswerPorts {
  readonly db: Db;
  readonly policyOf: PolicyOf;
  readonly economy: EconomyRules;
}

type Asked = RequestOf<typeof answerRoute>;
type Person = Extract<Actor, { role: 'member' | 'admin' }>;

/** Time in which an agent may use a permission after the answer: it has to wake up and start the run again. */
const USABLE_S = 900;

/** True if a person may answer for a run: an admin, a person of its session, or the member who gave it without a session. */
async function mayAnswer(tx: Tx, { role, id }: Person, run: RunRow): Promise<boolean> {
  if (role === 'admin') return true;
  if (run.sessionId === null) return run.createdByRole === role && run.createdById === id;
  return (await sessionsOfPerson(tx, id, [run.sessionId])).size > 0;
}

/** Refuses a member if the call may spend more than the rest of their allowance. Approvals and rewards share it. */
async function refuseAboveAllowance(
  tx: Tx,
  { body, now }: Asked,
  { held, rules }: { readonly held: Held; readonly rules: EconomyRules },
): Promise<Refused | null> {
  const { actor, permission } = held;
  if (body.answer !== 'allow' || actor.role === 'admin' || permission.amount === null) return null;
  // Two answers of one member at the same time would each see the whole rest.
  await lockName(tx, `allowed spending ${actor.id}`);
  const { dailyAllowance, timeZone } = rules;
  const given = await readAllowance(tx, { memberId: actor.id, day: villageDay(now, timeZone) });
  const used = given + (await readAllowedSpending(tx, actor.id, dayStart(now, timeZone)));
  const left = dailyAllowance > used ? dailyAllowance - used : 0n;
  const amount = BigInt(permission.amount);
  if (amount <= left) return null;
  return refused(
    'allowance_exceeded',
    `The call may spend ${formatAiDollars(amount)} aiDollars, and ${formatAiDollars(left)} are left of your allowance of today; let an admin answer`,
  );
}

function refuseUnfit({ answer, reply }: Asked['body'], { why }: HeldPermission): Refused | null {
  if (!answerFits(why, answer))
    return refused('validation_failed', `body.answer: ${answer} answers no request with why ${why}`);
  return why === 'question' && answer === 'allow' && reply === undefined
    ? refused('validation_failed', 'body.reply: write the answer to the question')
    : null;
}

function isPerson(actor: Actor): actor is Person {
  return actor.role === 'member' || actor.role === 'admin';
}

interface Held {
  readonly run: RunRow;
  readonly permission: HeldPermission;
  readonly actor: Person;
}

/** Locks the run and then the permission, if the person may answer. */
async function hold(tx: Tx, { params, actor }: Asked): Promise<Outcome<Held>> {
  const known = await findPermission(tx, params.permission_id);
  if (known === null) return refused('no_such_permission');
  const run = await lockRun(tx, known.runId);
  const permission = await lockPermission(tx, params.permission_id);
  if (run === null || permission === null) return refused('no_such_permission');
  if (!isPerson(actor) || !(await mayAnswer(tx, actor, run))) return refused('permission_not_yours');
  return accepted({ run, permission, actor });
}

async function take(tx: Tx, request: Asked, { run, permission, actor }: Held): Promise<Permission> {
  const { answer, reply, reason } = request.body;
  const answered = await store(tx, permission.permissionId, {
    answer,
    by: { role: actor.role, id: actor.id, name: actor.name },
    reply: reply ?? reason ?? null,
    usableS: USABLE_S,
  });
  await recordAct(tx, request, {
    action: `permission.${answer}`,
    object: run.agentId,
    detail: {
      permission_id: permission.permissionId,
      run_id: run.runId,
      call_id: permission.callId,
      tool: permission.tool,
      arguments_hash: permission.argumentsHash.toString('hex'),
      ...(permission.amount === null ? {} : { amount: formatAiDollars(BigInt(permission.amount)) }),
      ...(reason === undefined ? {} : { reason }),
    },
  });
  await followPermission(tx, { run, permission: answered, event: 'permission_answered' });
  return permissionView(answered, run.sessionId);
}

async function answerHeld(
  tx: Tx,
  request: Asked,
  { held, ports }: { readonly held: Held; readonly ports: AnswerPorts },
): Promise<Outcome<{ readonly permission: Permission }>> {
  const { run, permission } = held;
  const { answer } = request.body;
  const unfit = refuseUnfit(request.body, permission);
  if (unfit !== null) return unfit;
  const decided = decideAnswer(permission, { answer, policyVersion: ports.policyOf(run.agentId).version });
  switch (decided.kind) {
    case 'same':
      return accepted({ permission: permissionView(permission, run.sessionId) });
    case 'refused':
      return refused(decided.reason);
    case 'stale': {
      const withdrawn = await endPermission(tx, permission.permissionId, 'withdrawn');
      await followPermission(tx, { run, permission: withdrawn, event: 'permission_answered' });
      return refused('permission_stale');
    }
    case 'take': {
      const above = await refuseAboveAllowance(tx, request, { held, rules: ports.economy });
      return above ?? accepted({ permission: await take(tx, request, held) });
    }
  }
}

/** The first answer of a person counts; the same answer again changes nothing. */
export function answerPermission(ports: AnswerPorts): Handlers['answerPermission'] {
  return plain((request) =>
    inTransaction(ports.db, async (tx) => {
      const held = await hold(tx, request);
      return held.ok ? answerHeld(tx, request, { held: held.data, ports }) : held;
    }),
  );
}
