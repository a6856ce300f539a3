import {
  formatAiDollars,
  isEgressTool,
  REACH_HOST,
  villageTool,
  type AllowRule,
  type AllowScope,
} from '@hamlet/contract';
import { isOfSupply } from '@hamlet/core';
import { answerPermission, countRuleUse, findRuleOfPermission, insertAllowRule, readRulesFor } from '@hamlet/store';
import type { AllowRuleRow, PermissionRow, RunRow, Tx } from '@hamlet/store';
import { recordAct, type Acting } from '../../audit/record-act.ts';
import type { Actor } from '../../http/actor.ts';
import { accepted, refused, type Outcome, type Refused } from '../../http/outcome.ts';
import type { EconomyRules } from '../../money/ledger/judgement.ts';
import { followPermission } from '../follow-permission.ts';
import { allowKeyOf } from '../shell/allow-key.ts';
import type { ReadCommand } from '../shell/read-command.ts';
import { refuseAboveAllowance } from './spending.ts';

/** Time in which an agent may use a permission after the answer: it has to wake up and start the run again. */
export const USABLE_S = 900;

type Person = Extract<Actor, { role: 'member' | 'admin' }>;

interface Given {
  readonly run: RunRow;
  readonly permission: PermissionRow;
  readonly actor: Person;
}

/**
 * Refuses a rule for later calls unless the policy asks about the call. An admin may create one for all runs of the
 * agent; the person who gave the run, for their own messages in its session. Pure.
 */
export function refuseRule(
  { answer, always }: { readonly answer: string; readonly always?: AllowScope | undefined },
  { run, permission, actor }: Given,
): Refused | null {
  if (always === undefined) return null;
  if (answer !== 'allow' || permission.why !== 'policy')
    return refused('validation_failed', 'body.always: only a call that a rule asks about can be allowed in advance');
  return refuseTool(permission.tool, always) ?? refuseScope(always, { run, actor });
}

function refuseTool(tool: string, always: AllowScope): Refused | null {
  if (isDecidedEachTime(tool))
    return refused(
      'validation_failed',
      'body.always: leave it out, because each Schedule, script of another agent and write out of a pod needs its own answer',
    );
  return tool === REACH_HOST && always !== 'agent'
    ? refused('validation_failed', 'body.always: write agent, because a rule for a host holds for all runs')
    : null;
}

function refuseScope(always: AllowScope, { run, actor }: Pick<Given, 'run' | 'actor'>): Refused | null {
  if (always === 'agent') {
    if (actor.role === 'admin') return null;
    return refused('permission_not_yours', 'Only an admin allows a tool in all runs: allow it in the conversation');
  }
  if (run.sessionId === null)
    return refused(
      'validation_failed',
      'body.always: the run belongs to no conversation: write agent, or leave it out',
    );
  if (run.createdById === actor.id) return null;
  return refused(
    'permission_not_yours',
    'The message is from another person: only they may allow a tool for their messages',
  );
}

function isDecidedEachTime(tool: string): boolean {
  const known = villageTool(tool);
  return known?.class === 'schedule' || known?.decided === true || (isEgressTool(tool) && tool !== REACH_HOST);
}

/**
 * The rule that an answer creates; the same for a repeated answer. Null if a rule of that scope already applies. A rule
 * for `shell` covers commands with the same key; a command without a key gets no rule.
 */
export async function giveRule(
  tx: Tx,
  asked: Acting,
  {
    run,
    permission,
    actor,
    always,
    readCommand,
  }: Given & { readonly always: AllowScope; readonly readCommand: ReadCommand },
): Promise<Outcome<AllowRuleRow | null>> {
  const { permissionId, tool } = permission;
  const key = await allowKeyOf(permission, readCommand);
  if (key.kind === 'none')
    return refused('validation_failed', 'body.always: this command is too unusual for a rule: allow it once');
  const { agentId, agentUid } = run;
  const sessionId = always === 'agent' ? null : run.sessionId;
  const by = { role: actor.role, id: actor.id, name: actor.name };
  const reach = reachOf(permission);
  const made = { agentId, agentUid, tool, allowKey: key.key, ...reach, sessionId, permissionId, by };
  const rule = await insertAllowRule(tx, made);
  if (rule === null) return accepted(await findRuleOfPermission(tx, permissionId));
  const detail = {
    rule_id: rule.ruleId,
    tool,
    ...(key.key === null ? {} : { allow_key: key.key }),
    session_id: sessionId,
    permission_id: permissionId,
    ...reach,
  };
  await recordAct(tx, asked, { action: 'allow_rule.give', object: agentId, detail });
  return accepted(rule);
}

/** The tainted runs that a rule given for this request covers. The same two values select the rules that cover the request. Pure. */
function reachOf({ taint }: Pick<PermissionRow, 'taint'>): Pick<AllowRuleRow, 'tainted' | 'supply'> {
  return { tainted: taint !== null, supply: taint !== null && isOfSupply(taint.map(({ source }) => source)) };
}

interface Requested {
  readonly run: RunRow;
  readonly permission: PermissionRow;
  readonly asked: Acting & { readonly now: Date };
  readonly economy: EconomyRules;
  readonly readCommand: ReadCommand;
}

/**
 * Answers a request by a person's rule, if one applies and its author may still spend the amount. Otherwise the request
 * stays pending. The policy has been checked before, so a denied call never gets here.
 */
export async function answerByRule(
  tx: Tx,
  { run, permission, asked, economy, readCommand }: Requested,
): Promise<PermissionRow> {
  if (permission.why !== 'policy') return permission;
  const key = await allowKeyOf(permission, readCommand);
  if (key.kind === 'none') return permission;
  for (const rule of await readRulesFor(tx, run, {
    tool: permission.tool,
    allowKey: key.key,
    ...reachOf(permission),
  })) {
    const { createdByRole: role, createdById: id, createdByName: name, ruleId } = rule;
    const spending = { person: { role, id }, amount: permission.amount, now: asked.now };
    if ((await refuseAboveAllowance(tx, spending, economy)) !== null) continue;
    if (!(await countRuleUse(tx, ruleId))) continue;
    const given = { answer: 'allow', by: { role, id, name }, reply: null, usableS: USABLE_S, ruleId } as const;
    const answered = await answerPermission(tx, permission.permissionId, given);
    await recordAnswer(tx, { ...asked, actor: { role, id } }, { run, permission: answered, more: { rule_id: ruleId } });
    await followPermission(tx, { run, permission: answered, event: 'permission_answered' });
    return answered;
  }
  return permission;
}

export async function recordAnswer(
  tx: Tx,
  acting: Acting,
  {
    run,
    permission,
    more,
  }: { readonly run: RunRow; readonly permission: PermissionRow; readonly more: Readonly<Record<string, unknown>> },
): Promise<void> {
  const { permissionId, callId, tool, argumentsHash, amount, answer } = permission;
  await recordAct(tx, acting, {
    action: `permission.${answer}`,
    object: run.agentId,
    detail: {
      permission_id: permissionId,
      run_id: run.runId,
      call_id: callId,
      tool,
      arguments_hash: argumentsHash.toString('hex'),
      ...(amount === null ? {} : { amount: formatAiDollars(BigInt(amount)) }),
      ...more,
    },
  });
}

export function allowRuleView(row: AllowRuleRow): AllowRule {
  const { revokedByRole: role, revokedById: id } = row;
  return {
    rule_id: row.ruleId,
    agent_id: row.agentId,
    tool: row.tool,
    allow_key: row.allowKey,
    session_id: row.sessionId,
    tainted: row.tainted,
    supply: row.supply,
    permission_id: row.permissionId,
    created_by: { role: row.createdByRole, id: row.createdById, name: row.createdByName },
    created_at: row.createdAt.toISOString(),
    used: row.used,
    last_used_at: row.lastUsedAt?.toISOString() ?? null,
    revoked_at: row.revokedAt?.toISOString() ?? null,
    revoked_by: role === null || id === null ? null : { role, id },
  };
}
