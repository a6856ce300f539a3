import {
  EGRESS_ANSWER_S,
  EGRESS_HOST_HELD_S,
  villageTool,
  type beginCall as beginRoute,
  type CallOutcome,
} from '@hamlet/contract';
import { decideCall, mcpServerOf, type Bringing, type CallDecision } from '@hamlet/core';
import { insertHandsCall, inTransaction, lockEffect, lockPermissionOfCall, taintRun } from '@hamlet/store';
import type { EffectRow, HeldPermission, RunRow, Tx } from '@hamlet/store';
import { plain, type DataOf, type Handlers, type RequestOf } from '../../http/handler.ts';
import { accepted, refused, type Outcome } from '../../http/outcome.ts';
import { lockWork } from '../ask-permission.ts';
import { readArguments, type CallArguments } from '../call-arguments.ts';
import { beginEffect } from '../call-of-run.ts';
import { deniedOutcome, invalidOutcome } from '../call-outcomes.ts';
import { denialOf } from '../perform-call.ts';
import { judgeRunCall, type AskedCall, type JudgedRunCall } from '../shell/judge-hands-call.ts';
import { redactSecrets } from '../redact-secrets.ts';
import { noteCall } from '../trial/note-call.ts';
import { deniedByRegistry } from './registry-switch.ts';
import { deniedByScript, noteRunOfScript } from './script-call.ts';
import { repeatCall } from './repeat-call.ts';
import { deniedByMemory, refuseByRate, refuseFull } from './tier-limits.ts';
import type { Village } from '../../village.ts';

type Request = RequestOf<typeof beginRoute>;
type Answer = Outcome<DataOf<typeof beginRoute>>;

interface Facts {
  readonly request: Request;
  readonly args: CallArguments;
  readonly run: RunRow;
  readonly effect: EffectRow | null;
  readonly permission: HeldPermission | null;
}

/**
 * Stores the start of a call in the hands before it runs. Judges it with the API's own rules, and uses up the
 * permission in the same transaction. A repeated request begins nothing.
 */
export function beginCall(village: Village): Handlers['beginCall'] {
  return plain(async (request) => {
    const args = readArguments(request.body.arguments);
    if (args === null) return denied(invalidOutcome([]));
    if (villageTool(request.body.tool)?.runs !== 'hands' && mcpServerOf(request.body.tool) === null)
      return denied(
        deniedOutcome('no_such_tool', `${request.body.tool} does not run in the hands: call it at the API`),
      );
    return inTransaction(village.db, (tx) => begin(tx, village, { request, args }));
  });
}

const denied = (outcome: CallOutcome): Answer => accepted({ state: 'denied', boot: null, outcome });

async function begin(tx: Tx, village: Village, asked: Pick<Facts, 'request' | 'args'>): Promise<Answer> {
  const { request, args } = asked;
  const held = await lockWork(tx, request);
  if (!held.ok) return held;
  const run = held.data;
  const { run_id: runId, call_id: callId } = request.params;
  const facts: Facts = {
    ...asked,
    run,
    effect: await lockEffect(tx, runId, callId),
    permission: await lockPermissionOfCall(tx, runId, callId),
  };
  if (request.body.known && facts.effect === null) return accepted({ state: 'absent', boot: null, outcome: null });
  const call = { tool: request.body.tool, value: args.value };
  const impossible = facts.effect === null ? await deniedByFacts(tx, village, { run, call }) : null;
  if (impossible !== null) return denied(impossible);
  const judgedCall = await judgeRunCall({ ...village, db: tx }, run, call);
  if (facts.effect === null) await noteCall(tx, { run, callId, call, ...judgedCall });
  return decide(tx, village, { facts, judgedCall });
}

/** Carries out the decision. A call gets more time if people must answer about the requests that it sends. */
async function decide(
  tx: Tx,
  village: Village,
  { facts, judgedCall }: { readonly facts: Facts; readonly judgedCall: JudgedRunCall },
): Promise<Answer> {
  const { request, args, run, effect, permission } = facts;
  const { policy, judged, brings } = judgedCall;
  const decision = decideCall({
    call: { tool: request.body.tool, argumentsHash: args.hash },
    effect,
    permission,
    judged,
    policyVersion: policy.version,
    cancelRequested: run.cancelRequestedAt !== null,
    stopped: run.stoppedCode !== null,
  });
  if (decision.kind === 'refused') return refused(decision.reason);
  if (decision.kind === 'denied') return denied(denialOf(decision.code, { judged, permission }));
  const answer =
    decision.kind === 'perform'
      ? await start(tx, village, { facts, decision, brings, policyVersion: policy.version })
      : await repeatCall(tx, village, { ...facts, judged });
  const waits_s = waitsS(judgedCall);
  return answer.ok && waits_s > 0 ? accepted({ ...answer.data, waits_s }) : answer;
}

/** Extra seconds for a command whose programs may wait in the broker: for a publication, or for a host that no rule opens. */
function waitsS({ waitsAtBroker, needs }: JudgedRunCall): number {
  if (waitsAtBroker) return EGRESS_ANSWER_S;
  return needs?.classes.includes('network') === true ? EGRESS_HOST_HELD_S : 0;
}

async function deniedByFacts(
  tx: Tx,
  village: Village,
  { run, call }: { readonly run: RunRow; readonly call: AskedCall },
): Promise<CallOutcome | null> {
  return deniedByRegistry(village, { agentId: run.agentId, ...call }) ?? (await deniedByScript(tx, run, call));
}

interface Starting {
  readonly facts: Facts;
  readonly decision: Extract<CallDecision, { kind: 'perform' }>;
  readonly brings: Bringing | null;
  readonly policyVersion: string;
}

/**
 * Gives the call a slot, and stores its start. Tools that only read take no slot. A call that brings in outside text
 * taints its run before it runs, so that the taint covers every later call.
 */
async function start(
  tx: Tx,
  village: Village,
  { facts: { request, args, run, permission }, decision, brings, policyVersion }: Starting,
): Promise<Answer> {
  const { tool, boot } = request.body;
  const tooSmall = deniedByMemory(village, { agentId: run.agentId, tool });
  if (tooSmall !== null) return denied(tooSmall);
  const slot = villageTool(tool)?.effect !== 'read';
  const full = slot ? await refuseFull(tx, village.limits, run.agentId) : null;
  if (full !== null) return full;
  const spent = await refuseByRate(tx, village, { agentId: run.agentId, tool });
  if (spent !== null) return spent;
  const permissionId = decision.consumes && permission !== null ? permission.permissionId : null;
  const shown = { ...args, text: redactSecrets(args.text) };
  // Taint first: it may wait for a mark of another worker, and the event below locks the session.
  if (brings !== null) await taintRun(tx, { runId: run.runId, callId: request.params.call_id, ...brings });
  await beginEffect(tx, { request: { ...request }, args: shown, run, policyVersion, permissionId }, null);
  await insertHandsCall(tx, {
    runId: run.runId,
    callId: request.params.call_id,
    agentId: run.agentId,
    tool,
    boot,
    slot,
    arguments: shown.text,
  });
  await noteRunOfScript(tx, run, { callId: request.params.call_id, tool, value: args.value });
  return accepted({ state: 'begun', boot, outcome: null });
}
