import { placeOf, REFUSALS, villageTool, type CallOutcome } from '@hamlet/contract';
import { decideCall, type Bringing, type CallDecision, type CallDenial, type Judged } from '@hamlet/core';
import { inSavepoint, inTransaction, lockEffect, lockPermissionOfCall, taintRun } from '@hamlet/store';
import type { EffectRow, HeldPermission, RunRow, Tx } from '@hamlet/store';
import { plain, type AnyHandler, type Handlers } from '../http/handler.ts';
import { accepted, refused, type Outcome } from '../http/outcome.ts';
import { lockWork } from './ask-permission.ts';
import { readArguments, type CallArguments } from './call-arguments.ts';
import { beginEffect, directRequest, type CallRequest, type JudgedCallOfRun } from './call-of-run.ts';
import { DENIALS, deniedOutcome, failedOutcome, invalidOutcome, replyOutcome } from './call-outcomes.ts';
import { begunCommand, sendCommand, type Performed } from './keyed-call.ts';
import { judgeRunCall } from './shell/judge-hands-call.ts';
import { noteCall } from './trial/note-call.ts';
import { wayOf, type DirectHandlers, type VillageCall } from './village-calls.ts';
import type { Village } from '../village.ts';

export interface PerformPorts extends Village {
  readonly direct: DirectHandlers;
  readonly beginWorker: BeginWorker;
}

/** A call of `run` that begins a worker. */
export interface WorkerCall {
  readonly run: RunRow;
  readonly callId: string;
  readonly tool: string;
  readonly arguments: unknown;
}

/** `isFinal`: false if the same call may begin a worker later. */
export interface BegunWorker {
  readonly outcome: CallOutcome;
  readonly isFinal: boolean;
}

type BeginWorker = (tx: Tx, call: WorkerCall) => Promise<BegunWorker>;

/** Begins the worker of a call: worker, permission and effect commit together. A guard's refusal is an outcome too. */
async function begin(tx: Tx, call: JudgedCallOfRun, beginWorker: BeginWorker): Promise<Next> {
  const { run, args, request } = call;
  const { params, body } = request;
  const begun = await beginWorker(tx, { run, callId: params.call_id, tool: body.tool, arguments: args.value });
  if (begun.isFinal) await beginEffect(tx, call, begun.outcome);
  return answered(begun.outcome);
}

type Next =
  | { readonly kind: 'answer'; readonly outcome: Outcome<Performed>; readonly afterCommit?: () => void }
  | { readonly kind: 'command'; readonly call: VillageCall };

function answered(outcome: CallOutcome, replayed = false): Next {
  return { kind: 'answer', outcome: accepted({ outcome, replayed }) };
}

type Tried = { readonly ok: boolean; readonly next: Next };

/** Runs a handler of kind `tx`: effect, permission and outcome commit together, or none of them. */
async function performInTx(
  tx: Tx,
  call: JudgedCallOfRun,
  work: { readonly handler: AnyHandler; readonly way: VillageCall },
): Promise<Next> {
  const { handler, way } = work;
  if (handler.kind !== 'tx') throw new TypeError(`a bug: the route ${way.route} is not served in a transaction`);
  const tried = await inSavepoint(tx, async (): Promise<Tried> => {
    const outcome = await handler.run(directRequest(call.request, way), tx);
    const done: CallOutcome = outcome.ok ? { kind: 'ok', ...way.describe(outcome.data) } : failedOutcome(outcome);
    // A temporary refusal leaves the permission unused.
    if (!outcome.ok && REFUSALS[outcome.reason].retry === 'later') return { ok: false, next: answered(done) };
    await beginEffect(tx, call, done);
    const afterCommit = outcome.ok ? outcome.afterCommit : undefined;
    return { ok: true, next: { ...answered(done), ...(afterCommit === undefined ? {} : { afterCommit }) } };
  });
  return tried.next;
}

type Work = Pick<PerformPorts, 'direct' | 'beginWorker'>;

async function perform(
  tx: Tx,
  call: JudgedCallOfRun,
  { permission, direct, beginWorker }: Work & { readonly permission: HeldPermission | null },
): Promise<Next> {
  const { request, args, run } = call;
  if (villageTool(request.body.tool)?.begins === true) return begin(tx, call, beginWorker);
  if (placeOf(villageTool(request.body.tool)) === 'custom')
    return answered(
      deniedOutcome(
        'sandbox_only',
        `${request.body.tool} runs foreign code, which only the hands may do: begin the call in the hands`,
      ),
    );
  const way = wayOf(request.body.tool);
  if (way === null) {
    const outcome = replyOutcome(permission);
    if (outcome === null) return answered(deniedOutcome('no_such_tool', `The API cannot perform ${request.body.tool}`));
    await beginEffect(tx, call, outcome);
    return answered(outcome);
  }
  const prepared = way(args.value, run.agentId);
  if (!prepared.ok) return answered(invalidOutcome(prepared.issues));
  const handler = direct[prepared.call.route] as AnyHandler;
  if (handler.kind === 'tx') return performInTx(tx, call, { handler, way: prepared.call });
  await beginEffect(tx, call, null);
  return { kind: 'command', call: prepared.call };
}

export function denialOf(code: CallDenial, { judged, permission }: Pick<Facts, 'judged' | 'permission'>): CallOutcome {
  const reasons: Readonly<Partial<Record<CallDenial, string | null>>> = {
    policy_denied: judged.reason,
    person_denied: permission?.reply ?? null,
  };
  return deniedOutcome(code, [DENIALS[code], reasons[code] ?? ''].join(' ').trimEnd());
}

interface Facts {
  readonly request: CallRequest;
  readonly args: CallArguments;
  readonly run: RunRow;
  readonly policyVersion: string;
  readonly judged: Judged;
  readonly brings: Bringing | null;
  readonly permission: HeldPermission | null;
  readonly effect: EffectRow | null;
}

async function readFacts(
  tx: Tx,
  request: CallRequest,
  { args, ports }: { readonly args: CallArguments; readonly ports: PerformPorts },
): Promise<Outcome<Facts>> {
  const held = await lockWork(tx, request);
  if (!held.ok) return held;
  const run = held.data;
  const callId = request.params.call_id;
  const call = { tool: request.body.tool, value: args.value };
  const { policy, judged, brings, needs } = await judgeRunCall({ ...ports, db: tx }, run, call);
  const permission = await lockPermissionOfCall(tx, run.runId, callId);
  const effect = await lockEffect(tx, run.runId, callId);
  if (effect === null) await noteCall(tx, { run, callId, call, needs, policy, judged });
  return accepted({
    request,
    args,
    run,
    policyVersion: policy.version,
    judged,
    brings,
    permission,
    effect,
  });
}

function continueEffect(kind: 'replay' | 'resume', { request, args, effect }: Facts): Next {
  if (effect === null) throw new TypeError('a bug: there is no effect to continue');
  if (kind === 'replay') return answered(effect.outcome as CallOutcome, true);
  const call = begunCommand(request, { args, begunAt: effect.begunAt });
  return call === null
    ? answered({ kind: 'failed', code: 'effect_unknown', text: 'It is unknown whether the call happened.' })
    : { kind: 'command', call };
}

async function carryOut(
  tx: Tx,
  facts: Facts,
  { decision, ...work }: Work & { readonly decision: CallDecision },
): Promise<Next> {
  switch (decision.kind) {
    case 'refused':
      return { kind: 'answer', outcome: refused(decision.reason) };
    case 'denied':
      return answered(denialOf(decision.code, facts));
    case 'replay':
    case 'resume':
      return continueEffect(decision.kind, facts);
    case 'perform': {
      const { request, args, run, policyVersion, permission, brings } = facts;
      if (brings !== null) await taintRun(tx, { runId: run.runId, callId: request.params.call_id, ...brings });
      const permissionId = decision.consumes && permission !== null ? permission.permissionId : null;
      return perform(tx, { request, args, run, policyVersion, permissionId }, { permission, ...work });
    }
  }
}

async function judgeAndPerform(
  tx: Tx,
  request: CallRequest,
  { args, ports }: { readonly args: CallArguments; readonly ports: PerformPorts },
): Promise<Next> {
  const read = await readFacts(tx, request, { args, ports });
  if (!read.ok) return { kind: 'answer', outcome: read };
  const facts = read.data;
  const decision = decideCall({
    ...facts,
    call: { tool: request.body.tool, argumentsHash: args.hash },
    cancelRequested: facts.run.cancelRequestedAt !== null,
    stopped: facts.run.stoppedCode !== null,
  });
  return carryOut(tx, facts, { decision, direct: ports.direct, beginWorker: ports.beginWorker });
}

/**
 * Performs a call of a run at most once for its call id, even if API or pod are killed meanwhile. Judges the arguments
 * with the API's own rules, uses up the permission in the transaction of the effect, and runs the handler of the direct
 * route.
 */
export function performCall(ports: PerformPorts): Handlers['performCall'] {
  return plain(async (request) => {
    const args = readArguments(request.body.arguments);
    if (args === null) return accepted({ outcome: invalidOutcome([]), replayed: false });
    const next = await inTransaction(ports.db, (tx) => judgeAndPerform(tx, request, { args, ports }));
    if (next.kind === 'command') return sendCommand(ports, request, { args, way: next.call });
    next.afterCommit?.();
    return next.outcome;
  });
}
