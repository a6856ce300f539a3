import { villageTool, type beginCall, type CallOutcome } from '@hamlet/contract';
import type { Judged } from '@hamlet/core';
import type { EffectRow, KnownHandsCall, RunRow, Tx } from '@hamlet/store';
import { endPermission, findHandsCall, lockRepeatOfCall, takeUpHandsCall } from '@hamlet/store';
import type { DataOf, RequestOf } from '../../http/handler.ts';
import { accepted, type Outcome, type Refused } from '../../http/outcome.ts';
import type { AgentLimits } from '../../limits/agent-limits.ts';
import type { CallArguments } from '../call-arguments.ts';
import { refuseFull } from './tier-limits.ts';

interface Repeated {
  readonly request: RequestOf<typeof beginCall>;
  readonly args: CallArguments;
  readonly run: RunRow;
  readonly effect: EffectRow | null;
  readonly judged: Judged;
}

/** A repeated call with its stored start. `hasWord` is true if a person approved the rerun. */
interface KnownRepeated {
  readonly repeated: Repeated;
  readonly known: KnownHandsCall;
  readonly hasWord: boolean;
}

/**
 * True if a call with an unknown end may begin again, because a person approved that. Uses up the approval in this
 * transaction. False without an approval, if the call has ended, or if the rules or a cancel forbid it now.
 */
async function hasWordOfPerson(tx: Tx, { request, args, run, effect, judged }: Repeated): Promise<boolean> {
  if (request.body.known || effect?.state !== 'begun') return false;
  if (judged.verdict === 'deny' || run.cancelRequestedAt !== null || run.stoppedCode !== null) return false;
  const word = await lockRepeatOfCall(tx, run.runId, request.params.call_id);
  if (word === null || word.isOver || !word.argumentsHash.equals(args.hash)) return false;
  await endPermission(tx, word.permissionId, 'consumed');
  return true;
}

/** The answer to a repeated request. An open call is assigned to the present attempt, if that works on it. */
export async function repeatCall(
  tx: Tx,
  { limits }: { readonly limits: AgentLimits },
  repeated: Repeated,
): Promise<Outcome<DataOf<typeof beginCall>>> {
  const { request, run, effect } = repeated;
  const known = await findHandsCall(tx, run.runId, request.params.call_id);
  const boot = known?.boot ?? null;
  if (effect?.state === 'settled') return accepted({ state: 'ended', boot, outcome: effect.outcome as CallOutcome });
  const hasWord = await hasWordOfPerson(tx, repeated);
  const full = known === null ? null : await takeUp(tx, limits, { repeated, known, hasWord });
  if (full !== null) return full;
  return hasWord
    ? accepted({ state: 'begun', boot: request.body.boot, outcome: null })
    : accepted({ state: 'known', boot, outcome: null });
}

/** Effects that an attempt may repeat although the end of the earlier call is unknown. */
const REPEATABLE: ReadonlySet<string | undefined> = new Set(['read', 'idempotent', 'keyed']);

/** Assigns the call to the present attempt, if that works on it. Returns a refusal if the call must wait for a slot. */
async function takeUp(
  tx: Tx,
  limits: AgentLimits,
  { repeated, known, hasWord }: KnownRepeated,
): Promise<Refused | null> {
  const { request, run } = repeated;
  const reason = reasonToTakeUp({ repeated, known, hasWord });
  if (reason === null) return null;
  const full = reason === 'may run again' && known.slot ? await refuseFull(tx, limits, run.agentId) : null;
  if (full !== null) return full;
  const { cycle, attempt } = request.body;
  await takeUpHandsCall(tx, { runId: run.runId, callId: request.params.call_id, cycle, attempt });
  return null;
}

/**
 * The reason for assigning an open call of an earlier attempt to the present one, which makes it open again and takes
 * its slot. Null if the present attempt already has it, or only asks about it. Only a call that may run again waits for
 * a slot. Pure.
 */
function reasonToTakeUp({
  repeated,
  known,
  hasWord,
}: KnownRepeated): 'a person said so' | 'still runs' | 'may run again' | null {
  const { body } = repeated.request;
  if (known.isOf.cycle === body.cycle && known.isOf.attempt === body.attempt) return null;
  if (hasWord) return 'a person said so';
  if (!body.known && REPEATABLE.has(villageTool(body.tool)?.effect)) return 'may run again';
  return known.boot === body.boot ? 'still runs' : null;
}
