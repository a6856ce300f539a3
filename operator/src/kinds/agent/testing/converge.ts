import assert from 'node:assert/strict';
import type { Change, KubeObject } from '@hamlet/kube';
import { plan, type Action } from '../plan.ts';
import { effectOf, effectOfClaim } from '../triggers.ts';
import type { VolumeClaimView } from '../../../objects/cached-objects.ts';
import type { PodView } from '../../../objects/pod-view.ts';
import type { ModelCluster } from './model-cluster.ts';

/** Time passes in steps of this length: of 10 s of grace or 30 s for a resize no event is skipped. */
const STEP_MS = 2_000;
/** Longer than anything in the model takes by itself: nothing has happened for so long, so nothing will, but for what is due. */
const QUIET_MS = 40_000;
/** What is due later than this is not waited for: money is renewed by the hour. */
const HORIZON_MS = 120_000;
/** The back-off of the queue after the first attempt that fails; it doubles with each. */
const RETRY_MS = 5;

/** What one reconcile was about to do, what kept it from that, and when the plan asks for the next. */
export interface Attempt {
  readonly actions: readonly Action[];
  readonly error?: unknown;
  readonly requeueAfterMs?: number;
}

/** One reconcile, which may die after any action, or get no answer. */
export function reconcile(cluster: ModelCluster, actionsUntilCrash = Number.POSITIVE_INFINITY): Attempt {
  const observed = cluster.observed();
  if (observed === undefined) return { actions: [] };
  const planned = plan(observed, cluster.nowMs);
  const { actions } = planned;
  try {
    for (const action of actions.slice(0, actionsUntilCrash)) cluster.perform(action);
  } catch (error) {
    return { ...planned, error };
  }
  if (actionsUntilCrash >= actions.length) cluster.writeStatus();
  else cluster.restart();
  return planned;
}

/** What the operator's watches can see, as it was at one moment. */
interface Seen {
  readonly pods: readonly PodView[];
  readonly claim: VolumeClaimView | undefined;
  readonly agent: string;
  readonly told: string;
}

/** Of the Agent, its metadata and spec; of the rest, what the api, the seats and the nodes tell, each of which adds the key to the queue. */
function look(cluster: ModelCluster): Seen {
  const { agent, pods, claim } = cluster;
  const observed = cluster.observed();
  const { standing, apiState, seat, tiers, node, volumeNode, hold } = observed ?? {};
  return {
    pods,
    claim,
    agent: JSON.stringify([agent?.metadata, agent?.spec]),
    told: JSON.stringify([
      standing,
      apiState,
      seat,
      tiers,
      node?.ready,
      volumeNode?.ready,
      hold?.version,
      hold?.lapsed,
    ]),
  };
}

function changesOf<T extends KubeObject>(before: readonly T[], now: readonly T[]): readonly Change<T>[] {
  const old = new Map(before.map((object) => [object.metadata.uid, object]));
  const gone = before.filter(({ metadata }) => now.every((object) => object.metadata.uid !== metadata.uid));
  const met = now.flatMap((object): Change<T>[] => {
    const previous = old.get(object.metadata.uid);
    const key = object.metadata.name;
    if (previous === undefined) return [{ kind: 'added', key, object }];
    return previous === object ? [] : [{ kind: 'updated', key, object, previous }];
  });
  return [...gone.map((object): Change<T> => ({ kind: 'deleted', key: object.metadata.name, object })), ...met];
}

/** What the triggers of the operator make of what has changed: the Agent comes into the queue, is touched, or neither. */
function effectOfAll(cluster: ModelCluster, before: Seen, now: Seen): 'plan' | 'status' | 'none' {
  if (before.agent !== now.agent || before.told !== now.told) return 'plan';
  const claims = changesOf(
    before.claim === undefined ? [] : [before.claim],
    now.claim === undefined ? [] : [now.claim],
  );
  const effects = [...changesOf(before.pods, now.pods).map(effectOf), ...claims.map(effectOfClaim)];
  if (effects.includes('plan')) return 'plan';
  if (!effects.includes('status')) return 'none';
  // A change that is only told is no work, unless its time is to be paid: see AgentReconciler.touch.
  const observed = cluster.observed();
  return observed !== undefined && plan(observed, cluster.nowMs).actions.some(({ kind }) => kind === 'askHold')
    ? 'plan'
    : 'status';
}

/** What happens to a cluster at rest: the operator knows of it by its triggers alone. Without, everything is looked at once, as at its start. */
type Happening = () => void;

/** When the Agent is to be reconciled for what happens, by the triggers alone. */
function dueAfter(cluster: ModelCluster, happening: Happening): number {
  const before = look(cluster);
  happening();
  const effect = effectOfAll(cluster, before, look(cluster));
  if (effect === 'status') cluster.writeStatus();
  return effect === 'plan' ? cluster.nowMs : Number.POSITIVE_INFINITY;
}

/** The queue of the operator, for the one Agent of a model. */
class ModelQueue {
  readonly #cluster: ModelCluster;
  readonly #attempts: number;
  #dueAtMs: number;
  #quietSinceMs: number;
  #made = 0;
  failures = 0;

  constructor(cluster: ModelCluster, attempts: number, dueAtMs: number) {
    this.#cluster = cluster;
    this.#attempts = attempts;
    this.#dueAtMs = dueAtMs;
    this.#quietSinceMs = cluster.nowMs;
  }

  get isBusy(): boolean {
    const { nowMs } = this.#cluster;
    return nowMs - this.#quietSinceMs < QUIET_MS || this.#dueAtMs - nowMs < HORIZON_MS;
  }

  /** Reconciles if that is due. */
  work(): void {
    const { nowMs } = this.#cluster;
    if (this.#dueAtMs > nowMs) return;
    this.#made += 1;
    assert.ok(this.#made <= this.#attempts, 'the plans never end');
    const { error, requeueAfterMs = Number.POSITIVE_INFINITY } = reconcile(this.#cluster);
    this.failures = error === undefined ? 0 : this.failures + 1;
    this.#dueAtMs =
      nowMs + (this.failures === 0 ? requeueAfterMs : Math.min(requeueAfterMs, RETRY_MS * 2 ** this.failures));
    this.#quietSinceMs = nowMs;
  }

  see(effect: 'plan' | 'status' | 'none'): void {
    if (effect === 'plan') this.#dueAtMs = this.#cluster.nowMs;
    else if (effect === 'status') this.#cluster.writeStatus();
  }
}

/**
 * Reconciles as the operator's queue would: once at the beginning, when a trigger says so, when a plan has something due, and after a failure. Ends
 * when all is quiet, and fails where plans never end, or where something is left to do that nothing would ever bring about.
 * @param attempts the most that no plan needs when nothing disturbs it
 * @param retries an attempt that failed is to be made again
 * @returns whether an attempt still fails
 */
export function settle(
  cluster: ModelCluster,
  { attempts, retries = false }: { readonly attempts: number; readonly retries?: boolean },
  happening?: Happening,
): boolean {
  const happenedMs = happening === undefined ? cluster.nowMs : dueAfter(cluster, happening);
  const queue = new ModelQueue(cluster, attempts, retries ? cluster.nowMs : happenedMs);
  while (queue.isBusy) {
    const before = look(cluster);
    queue.work();
    cluster.pass(STEP_MS);
    queue.see(effectOfAll(cluster, before, look(cluster)));
  }
  // What fails goes on being tried, at longer and longer intervals.
  if (queue.failures > 0) return true;
  const observed = cluster.observed();
  const left = observed === undefined ? [] : plan(observed, cluster.nowMs).actions;
  assert.deepEqual(left, [], 'something is left to do, and nothing asks for it: a trigger or a requeue is missing');
  return false;
}
