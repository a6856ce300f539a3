import assert from 'node:assert/strict';
import { plan, type Action } from '../plan.ts';
import type { ModelCluster } from './model-cluster.ts';

/** A turn of a requeue in the model. */
const TURN_MS = 11_000;

/** One reconcile, which may die after any action, or get no answer; what it was about to do. */
export function reconcile(cluster: ModelCluster, actionsUntilCrash = Number.POSITIVE_INFINITY): readonly Action[] {
  const observed = cluster.observed();
  if (observed === undefined) return [];
  const { actions } = plan(observed, cluster.nowMs);
  try {
    for (const action of actions.slice(0, actionsUntilCrash)) cluster.perform(action);
  } catch {
    return actions;
  }
  if (actionsUntilCrash >= actions.length) cluster.writeStatus();
  else cluster.restart();
  return actions;
}

/**
 * Reconciles until nothing is left to do; fails where that never comes.
 * @param limits.attempts the most that no plan needs when nothing disturbs it
 * @param limits.leastAttempts so many are made though there is nothing to do: time may bring something
 */
export function settle(cluster: ModelCluster, { attempts, leastAttempts }: { readonly attempts: number; readonly leastAttempts: number }): void {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const idle = reconcile(cluster).length === 0;
    if (idle && attempt > leastAttempts) return;
    cluster.pass(TURN_MS);
  }
  assert.fail('the plans never end');
}
