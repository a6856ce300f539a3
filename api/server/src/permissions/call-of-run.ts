import { villageTool, type CallOutcome, type performCall, RUN_EVENT_TEXT_MAX_CHARS } from '@hamlet/contract';
import { isSettled, shorten } from '@hamlet/core';
import { endPermission, insertEffect, noteRunEvent, type RunRow, type Tx } from '@hamlet/store';
import { recordAct } from '../audit/record-act.ts';
import type { Caller, RequestOf } from '../http/handler.ts';
import type { CallArguments } from './call-arguments.ts';
import { redactSecrets } from './redact-secrets.ts';
import type { VillageCall } from './village-calls.ts';

export type CallRequest = RequestOf<typeof performCall>;

export interface JudgedCallOfRun {
  readonly request: CallRequest;
  readonly args: CallArguments;
  readonly run: RunRow;
  readonly policyVersion: string;
  readonly permissionId: string | null;
}

function callerOf({ actor, requestId, traceparent, params }: CallRequest): Caller {
  return { actor, requestId, traceparent, call: { runId: params.run_id, callId: params.call_id } };
}

/** The key of a call for the world and the ledger: the same for all attempts, different for every other call. */
export const callKeyOf = ({ params }: CallRequest): string => `call ${params.run_id} ${params.call_id}`;

export function directRequest(request: CallRequest, { params, body }: VillageCall): unknown {
  const { now, address, headers } = request;
  return {
    ...callerOf(request),
    params,
    body,
    now,
    address,
    headers: { ...headers, 'idempotency-key': callKeyOf(request) },
  };
}

async function recordCall(tx: Tx, call: JudgedCallOfRun, { kind, code }: CallOutcome): Promise<void> {
  const { request, args, run, permissionId, policyVersion } = call;
  await recordAct(tx, callerOf(request), {
    action: 'run.call',
    object: run.agentId,
    detail: {
      tool: request.body.tool,
      arguments_hash: Buffer.from(args.hash).toString('hex'),
      outcome: kind,
      ...(code === undefined ? {} : { code }),
      permission_id: permissionId,
      policy_version: policyVersion,
    },
  });
}

async function noteCall(tx: Tx, { request, args, run }: JudgedCallOfRun, outcome: CallOutcome | null): Promise<void> {
  const detail = {
    call_id: request.params.call_id,
    tool: request.body.tool,
    effect: villageTool(request.body.tool)?.effect ?? null,
    arguments_text: shorten(redactSecrets(args.text), RUN_EVENT_TEXT_MAX_CHARS),
    outcome: outcome?.kind ?? null,
    result_text: outcome === null ? null : shorten(outcome.text, RUN_EVENT_TEXT_MAX_CHARS),
  };
  await noteRunEvent(tx, run, { event: outcome === null ? 'call_begun' : 'call_settled', detail });
}

export async function beginEffect(tx: Tx, call: JudgedCallOfRun, outcome: CallOutcome | null): Promise<void> {
  const { request, args, run, permissionId, policyVersion } = call;
  if (permissionId !== null) await endPermission(tx, permissionId, 'consumed');
  const effect = {
    runId: run.runId,
    callId: request.params.call_id,
    agentId: run.agentId,
    agentUid: run.agentUid,
    cycle: request.body.cycle,
    attempt: request.body.attempt,
    tool: request.body.tool,
    argumentsHash: args.hash,
    policyVersion,
    permissionId,
  };
  await insertEffect(tx, effect, outcome);
  if (outcome === null) await noteCall(tx, call, null);
  else await settleCall(tx, call, outcome);
}

/** Records the end of a call. A run that has ended meanwhile takes no event: then only the audit has the end. */
export async function settleCall(tx: Tx, call: JudgedCallOfRun, outcome: CallOutcome): Promise<void> {
  if (!isSettled(call.run.state)) await noteCall(tx, call, outcome);
  await recordCall(tx, call, outcome);
}
