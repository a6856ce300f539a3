import type { EgressPermitted, permitEgress as permitRoute, withdrawEgress as withdrawRoute } from '@hamlet/contract';
import { EGRESS_TOOLS } from '@hamlet/contract';
import { decideCall, judgeEgressWrite, type CallDecision, type Judged } from '@hamlet/core';
import type { EffectRow, HeldPermission, RunRow, Tx } from '@hamlet/store';
import {
  countBrokerPermissions,
  findUnknownWrite,
  inTransaction,
  lockEffect,
  lockPermissionOfCall,
  lockRun,
  writeCallId,
} from '@hamlet/store';
import { plain, type RequestOf } from '../../http/handler.ts';
import { accepted } from '../../http/outcome.ts';
import type { CallArguments } from '../../permissions/call-arguments.ts';
import { noteWrite } from '../../permissions/trial/note-call.ts';
import { taintOf } from '../../permissions/view/taint-view.ts';
import { askPerson } from './ask-person.ts';
import { holdAnswer } from './hold-answer.ts';
import { refuseLife } from './refuse-life.ts';
import { withdrawOpen } from './withdraw-open.ts';
import { beginWrite, settleWrite } from './write-effect.ts';
import { deniedBy, NO_RUN, OTHER_WRITE, TOO_MANY, waiting, WITHDRAWN, wordsOf } from './write-facts.ts';
import { notSent, writeArguments } from './write-text.ts';
import type { Village } from '../../village.ts';

type Request = RequestOf<typeof permitRoute>;

const WRITES_OF_RUN_MAX = 200;
export const WRITES_WAITING_MAX = 10;
const WRITE_TOOLS = Object.values(EGRESS_TOOLS);
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
  return plain(async (request: Request) =>
    accepted(await holdAnswer(village, request.body.wait_ms, (tx) => judge(tx, village, request))),
  );
}

async function judge(tx: Tx, village: Village, request: Request): Promise<EgressPermitted> {
  const { body } = request;
  const run = body.run === null ? null : await lockRun(tx, body.run);
  if (run === null || run.agentUid !== body.uid) return NO_RUN;
  const callId = writeCallId(body.ask);
  const permission = await lockPermissionOfCall(tx, run.runId, callId);
  const effect = await lockEffect(tx, run.runId, callId);
  const held: Held = { request, args: writeArguments(body), run, permission, effect };
  const answer = (await refuseLife(tx, village, { body, run })) ?? (await decide(tx, village, held));
  if (answer.verdict === 'deny') await withdrawOpen(tx, held);
  return answer;
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
  const before = await countBrokerPermissions(tx, run.runId, WRITE_TOOLS);
  if (before.all >= WRITES_OF_RUN_MAX || before.pending >= WRITES_WAITING_MAX) return TOO_MANY;
  const callId = writeCallId(body.ask);
  const tool = EGRESS_TOOLS[body.kind];
  const reason = await reasonOf(tx, held, judged);
  const about = { run, callId, request: callId, tool, args, reason, policyVersion, duringCall: body.call };
  return waiting((await askPerson(tx, request, about)).permission);
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
