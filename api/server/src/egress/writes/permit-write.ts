import type { EgressPermitted, permitEgress as permitRoute, withdrawEgress as withdrawRoute } from '@hamlet/contract';
import { EGRESS_ANSWER_S, EGRESS_TOOLS } from '@hamlet/contract';
import { decideCall, judgeEgressWrite, type CallDecision, type Judged } from '@hamlet/core';
import type { EffectRow, HeldPermission, RunRow, Tx } from '@hamlet/store';
import {
  countWritePermissions,
  endPermission,
  findUnknownWrite,
  inTransaction,
  insertPermission,
  lockEffect,
  lockPermissionOfCall,
  lockRun,
  noteRunEvent,
  readBars,
  readFreeze,
  writeCallId,
} from '@hamlet/store';
import { recordAct } from '../../audit/record-act.ts';
import { plain, type RequestOf } from '../../http/handler.ts';
import { accepted } from '../../http/outcome.ts';
import type { CallArguments } from '../../permissions/call-arguments.ts';
import { followPermission } from '../../permissions/follow-permission.ts';
import { noteWrite } from '../../permissions/trial/note-call.ts';
import { taintOf } from '../../permissions/view/taint-view.ts';
import { beginWrite, settleWrite } from './write-effect.ts';
import {
  deniedBy,
  isLive,
  NO_RUN,
  OTHER_RULES,
  OTHER_WRITE,
  STOPPED,
  TOO_MANY,
  WITHDRAWN,
  wordsOf,
} from './write-facts.ts';
import { notSent, writeArguments } from './write-text.ts';
import type { Village } from '../../village.ts';

type Request = RequestOf<typeof permitRoute>;

export const WRITES_OF_RUN_MAX = 200;
export const WRITES_WAITING_MAX = 10;
/**
 * A broker that lost the answer repeats its request within this time. Later, it is unknown whether the write was sent.
 */
const REPEATED_WITHIN_MS = 60_000;

interface Held {
  readonly request: Request;
  readonly args: CallArguments;
  readonly run: RunRow;
  readonly permission: HeldPermission | null;
  readonly effect: EffectRow | null;
}

/**
 * Decides about a write that waits in the broker: first the rules, then a person. The transaction that allows it uses
 * up the permission and stores the effect. Repeated requests for the same write change nothing.
 */
export function permitWrite(village: Village) {
  return plain(async (request: Request) => {
    const untilMs = performance.now() + request.body.wait_ms;
    for (;;) {
      const answer = await inTransaction(village.db, (tx) => judge(tx, village, request));
      const leftMs = untilMs - performance.now();
      if (answer.verdict !== 'wait' || leftMs <= 0) return accepted(answer);
      if (!(await village.writeWaits.wait(answer.permission_id, leftMs))) return accepted(answer);
    }
  });
}

async function judge(tx: Tx, village: Village, request: Request): Promise<EgressPermitted> {
  const { body } = request;
  const run = body.run === null ? null : await lockRun(tx, body.run);
  if (run === null || run.agentUid !== body.uid) return NO_RUN;
  const callId = writeCallId(body.ask);
  const permission = await lockPermissionOfCall(tx, run.runId, callId);
  const effect = await lockEffect(tx, run.runId, callId);
  const held: Held = { request, args: writeArguments(body), run, permission, effect };
  const answer = (await refuse(tx, village, held)) ?? (await decide(tx, village, held));
  if (answer.verdict === 'deny') await withdrawOpen(tx, held);
  return answer;
}

/** Refuses if the agent is stopped, its egress rules have changed, or its run is not in progress. No permission overrides that. */
async function refuse(tx: Tx, village: Village, { request: { body }, run }: Held): Promise<EgressPermitted | null> {
  const record = village.source.list().find(({ uid }) => uid === body.uid);
  if (record === undefined || record.deleting) return STOPPED;
  // Reads the table, because the cached standings lag: a write could leave after the API confirmed a measure.
  const bars = await readBars(tx, [record.agentId]);
  if (bars.size > 0 || (await readFreeze(tx)) !== null) return STOPPED;
  if (run.cancelRequestedAt !== null || run.state === 'cancelled') return deniedBy('run_cancelled', null);
  if (!isLive(run, body)) return NO_RUN;
  return village.egressOf(record.agentId).version === body.rules ? null : OTHER_RULES;
}

async function decide(tx: Tx, village: Village, held: Held): Promise<EgressPermitted> {
  const { request, args, run, permission, effect } = held;
  const policy = village.policyOfRun(run);
  const { kind, by_rule: isAllowedByRule } = request.body;
  const judged = judgeEgressWrite(policy, { kind, isAllowedByRule, taint: taintOf(run) ?? [] });
  const callId = writeCallId(request.body.ask);
  if (effect === null) await noteWrite(tx, { run, callId, policy, judged, kind, byRule: isAllowedByRule });
  const decision = decideCall({
    call: { tool: EGRESS_TOOLS[kind], argumentsHash: args.hash },
    effect,
    permission,
    judged,
    policyVersion: policy.version,
    cancelRequested: false,
    stopped: run.stoppedCode !== null,
  });
  return carryOut(tx, held, { decision, judged, policyVersion: policy.version });
}

interface Decided {
  readonly decision: CallDecision;
  readonly judged: Judged;
  readonly policyVersion: string;
}

async function carryOut(tx: Tx, held: Held, decided: Decided): Promise<EgressPermitted> {
  const { decision, judged, policyVersion } = decided;
  const { permission } = held;
  switch (decision.kind) {
    case 'denied':
      return deniedBy(decision.code, wordsOf(decision.code, judged.reason, permission));
    case 'replay':
      return WITHDRAWN;
    case 'resume':
      return isRepeated(held) ? allowed(permission) : WITHDRAWN;
    case 'perform':
      await beginWrite(tx, { ...held, permissionId: permission?.permissionId ?? null, policyVersion });
      return allowed(permission);
    case 'refused':
      return unanswered(tx, held, decided);
  }
}

function isRepeated({ request, effect }: Held): boolean {
  return effect !== null && request.now.getTime() - effect.begunAt.getTime() < REPEATED_WITHIN_MS;
}

function unanswered(tx: Tx, held: Held, { decision, ...judged }: Decided): Promise<EgressPermitted> | EgressPermitted {
  const { permission } = held;
  const reason = decision.kind === 'refused' ? decision.reason : null;
  if (permission === null) return reason === 'permission_needed' ? ask(tx, held, judged) : OTHER_WRITE;
  return reason === 'permission_pending' ? waiting(permission) : OTHER_WRITE;
}

const allowed = (permission: HeldPermission | null): EgressPermitted => ({
  verdict: 'allow',
  permission_id: permission?.permissionId ?? null,
});

const waiting = ({ permissionId }: { readonly permissionId: string }): EgressPermitted => ({
  verdict: 'wait',
  permission_id: permissionId,
});

async function reasonOf(tx: Tx, { run, request }: Held, { reason }: Judged): Promise<string> {
  const { sha256 } = request.body;
  const before = sha256 === null ? null : await findUnknownWrite(tx, run.runId, sha256);
  if (before === null) return reason;
  return `The same write was sent at ${before.toISOString()}, and it is unknown whether it happened. ${reason}`;
}

async function ask(
  tx: Tx,
  held: Held,
  { judged, policyVersion }: Pick<Decided, 'judged' | 'policyVersion'>,
): Promise<EgressPermitted> {
  const { request, args, run } = held;
  const { body } = request;
  const before = await countWritePermissions(tx, run.runId);
  if (before.all >= WRITES_OF_RUN_MAX || before.pending >= WRITES_WAITING_MAX) return TOO_MANY;
  const callId = writeCallId(body.ask);
  const tool = EGRESS_TOOLS[body.kind];
  const permission = await insertPermission(tx, {
    runId: run.runId,
    agentId: run.agentId,
    request: callId,
    callId,
    tool,
    arguments: args.text,
    argumentsHash: args.hash,
    why: 'policy',
    reason: await reasonOf(tx, held, judged),
    question: null,
    amount: null,
    policyVersion,
    lastsS: EGRESS_ANSWER_S,
    taint: taintOf(run),
  });
  const about = { permission_id: permission.permissionId, call_id: callId, tool, why: 'policy' };
  await noteRunEvent(tx, run, { event: 'permission_asked', detail: about });
  await recordAct(tx, request, {
    action: 'permission.ask',
    object: run.agentId,
    detail: {
      run_id: run.runId,
      ...about,
      during_call: body.call,
      arguments_hash: Buffer.from(args.hash).toString('hex'),
    },
  });
  return waiting(permission);
}

async function withdrawOpen(tx: Tx, { run, permission }: Pick<Held, 'run' | 'permission'>): Promise<boolean> {
  if (permission === null || (permission.state !== 'pending' && permission.state !== 'allowed')) return false;
  const withdrawn = await endPermission(tx, permission.permissionId, permission.isOver ? 'expired' : 'withdrawn');
  const event = permission.isOver ? 'permission_expired' : 'permission_answered';
  await followPermission(tx, { run, permission: withdrawn, event });
  return true;
}

export function withdrawWrite({ db }: Village) {
  return plain((request: RequestOf<typeof withdrawRoute>) =>
    inTransaction(db, async (tx) => {
      const { ask: id, run: runId, uid } = request.body;
      const run = runId === null ? null : await lockRun(tx, runId);
      if (run === null || run.agentUid !== uid) return accepted({ withdrawn: false });
      const callId = writeCallId(id);
      const permission = await lockPermissionOfCall(tx, run.runId, callId);
      const effect = await lockEffect(tx, run.runId, callId);
      if (effect?.state === 'begun') {
        const text = 'The program stopped waiting: nothing was sent.';
        await settleWrite(tx, { run, effect, outcome: notSent('egress_write_withdrawn', text) });
        return accepted({ withdrawn: true });
      }
      return accepted({ withdrawn: await withdrawOpen(tx, { run, permission }) });
    }),
  );
}
