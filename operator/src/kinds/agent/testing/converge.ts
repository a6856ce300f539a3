import assert from 'node:assert/strict';
import type { Change, KubeObject } from '@hamlet/kube';
import { plan, type Action } from '../plan.ts';
import { effectOf, effectOfClaim } from '../triggers.ts';
import type { VolumeClaimView } from '../../../objects/cached-objects.ts';
import type { PodView } from '../../../objects/pod-view.ts';
import type { ModelCluster } from './model-cluster.ts';

/** The model's time passes in steps of this length, which are short enough for 10 s of grace and 30 s of a resize. */
const STEP_MS = 2_000;
/** Longer than any process in the model takes. After this long without a reconcile, only a scheduled one can follow. */
const QUIET_MS = 40_000;
/** The test does not wait for reconciles that are due later than this, such as the hourly renewal of money. */
const HORIZON_MS = 120_000;
/** The back-off of the queue after the first failed attempt, in milliseconds. It doubles with each further failure. */
const RETRY_MS = 5;

/**
 * The planned actions of one reconcile, the error that stopped it, and the time until the next reconcile that the plan requests.
 */
export interface Attempt {
  readonly actions: readonly Action[];
  readonly error?: unknown;
  readonly requeueAfterMs?: number;
}

/** Runs one reconcile. The process may crash after any action, or lose the answer to one. */
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

interface Seen {
  readonly pods: readonly PodView[];
  readonly claim: VolumeClaimView | undefined;
  readonly agent: string;
  readonly published: string;
}

/**
 * Takes the state. `agent` is the Agent's metadata and spec. `told` holds the facts of the api, the seats and the
 * nodes; a change of any of them adds the key to the queue.
 */
function look(cluster: ModelCluster): Seen {
  const { agent, pods, claim } = cluster;
  const observed = cluster.observed();
  const { standing, apiState, seat, tiers, node, volumeNode, hold } = observed ?? {};
  return {
    pods,
    claim,
    agent: JSON.stringify([agent?.metadata, agent?.spec]),
    published: JSON.stringify([
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

/** The effect of the operator's triggers on the changes: the Agent is queued, is touched, or neither. */
function effectOfAll(cluster: ModelCluster, before: Seen, now: Seen): 'plan' | 'status' | 'none' {
  if (before.agent !== now.agent || before.published !== now.published) return 'plan';
  const claims = changesOf(
    before.claim === undefined ? [] : [before.claim],
    now.claim === undefined ? [] : [now.claim],
  );
  const effects = [...changesOf(before.pods, now.pods).map(effectOf), ...claims.map(effectOfClaim)];
  if (effects.includes('plan')) return 'plan';
  if (!effects.includes('status')) return 'none';
  // A change that only the status shows needs no plan, unless the api must count the pod's time: see
  // AgentReconciler.touch.
  const observed = cluster.observed();
  return observed !== undefined && plan(observed, cluster.nowMs).actions.some(({ kind }) => kind === 'askHold')
    ? 'plan'
    : 'status';
}

/**
 * An event in a cluster at rest, which the operator notices only through its triggers. Without an event, the operator reconciles
 * once, as at its start.
 */
type Happening = () => void;

/** The time of the reconcile that the triggers cause for an event; infinity if they cause none. */
function dueAfter(cluster: ModelCluster, happening: Happening): number {
  const before = look(cluster);
  happening();
  const effect = effectOfAll(cluster, before, look(cluster));
  if (effect === 'status') cluster.writeStatus();
  return effect === 'plan' ? cluster.nowMs : Number.POSITIVE_INFINITY;
}

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
 * Reconciles as the operator's queue would: once at the beginning, after a trigger, when a plan's requeue is due, and after a
 * failure. Ends when nothing is due. Fails if plans never end, or if remaining actions have no trigger or requeue.
 * @param attempts the limit of reconciles, which only an endless loop of plans exceeds
 * @param retries whether to begin with a reconcile now, because an earlier attempt failed
 * @returns whether the last attempt failed
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
  // The queue keeps retrying a failed attempt, at growing intervals.
  if (queue.failures > 0) return true;
  const observed = cluster.observed();
  const left = observed === undefined ? [] : plan(observed, cluster.nowMs).actions;
  assert.deepEqual(left, [], 'actions are left, but a trigger or a requeue is missing');
  return false;
}
