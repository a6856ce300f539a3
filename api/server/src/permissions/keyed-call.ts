import { REFUSALS, type CallOutcome } from '@hamlet/contract';
import { inTransaction, lockEffect, lockRun, settleEffect, type Db } from '@hamlet/store';
import type { AnyHandler, WriteKey } from '../http/handler.ts';
import { accepted, refused, type Outcome } from '../http/outcome.ts';
import type { CallArguments } from './call-arguments.ts';
import { callKeyOf, directRequest, settleCall, type CallRequest } from './call-of-run.ts';
import { failedOutcome } from './call-outcomes.ts';
import { wayOf, type DirectHandlers, type VillageCall } from './village-calls.ts';

export interface Performed {
  readonly outcome: CallOutcome;
  readonly replayed: boolean;
}

/** The world keeps answers for a day. Later, a repeated command could act twice. */
const REPEATED_WITHIN_MS = 23 * 3_600_000;

/** The command of an effect that an earlier request began; null if the effect is too old to repeat. */
export function begunCommand(
  request: CallRequest,
  { args, begunAt }: { readonly args: CallArguments; readonly begunAt: Date },
): VillageCall | null {
  const prepared = wayOf(request.body.tool)?.(args.value, request.actor.agentId);
  if (prepared?.ok !== true)
    throw new TypeError(`a bug: the effect of ${request.body.tool} began with other arguments`);
  return request.now.getTime() - begunAt.getTime() < REPEATED_WITHIN_MS ? prepared.call : null;
}

export async function sendCommand(
  ports: { readonly db: Db; readonly direct: DirectHandlers },
  request: CallRequest,
  { args, way }: { readonly args: CallArguments; readonly way: VillageCall },
): Promise<Outcome<Performed>> {
  const handler = ports.direct[way.route] as AnyHandler;
  if (handler.kind !== 'world' && handler.kind !== 'cluster')
    throw new TypeError(`a bug: the route ${way.route} does not accept an idempotency key`);
  const key: WriteKey = { actor: request.actor.id, key: callKeyOf(request), hash: args.hash };
  const { outcome, replayed } = await handler.run(directRequest(request, way), key);
  // The effect stays begun: the agent repeats the request with the same key.
  if (!outcome.ok && REFUSALS[outcome.reason].retry === 'later') return outcome;
  const done: CallOutcome = outcome.ok ? { kind: 'ok', ...way.describe(outcome.data) } : failedOutcome(outcome);
  return inTransaction(ports.db, async (tx) => {
    const run = await lockRun(tx, request.params.run_id);
    const effect = await lockEffect(tx, request.params.run_id, request.params.call_id);
    if (run === null || effect === null) return refused('no_such_run');
    if (effect.state === 'settled') return accepted({ outcome: effect.outcome as CallOutcome, replayed: true });
    await settleEffect(tx, effect, done);
    const call = { request, args, run, policyVersion: effect.policyVersion, permissionId: effect.permissionId };
    await settleCall(tx, call, done);
    return accepted({ outcome: done, replayed });
  });
}
