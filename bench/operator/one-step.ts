/** The time that one agent waits for a larger pod or for an awakening, and the time that a bare pod takes to run. */
import { setTimeout as sleep } from 'node:timers/promises';
import { PODS, type NewObject } from '@hamlet/kube';
import { CAP_MS, type ControlPlane } from './control-plane.ts';
import type { RunningPods } from './running-pods.ts';
import { setPowerOf } from './workload.ts';

/** After this time the status of the agent shows that it sleeps, and no work is pending. */
const SETTLED_MS = 600;

/**
 * Milliseconds from the request to the answer of the API, and from the change of the standing until the pod requested
 * the size and had it.
 */
export interface Resized {
  readonly rewardedMs: number;
  readonly askedMs: number;
  readonly resizedMs: number;
}

/** A change of an agent's standing, and the resulting memory of its pod. */
export interface Change {
  readonly agent: string;
  readonly memory: string;
  /**
   * Changes the standing. Resolves with the time of the ledger entry (milliseconds since 1970), by the database's
   * clock at the start of its transaction.
   */
  readonly post: () => Promise<number>;
}

/**
 * Resizes one agent. Measures from the start of the transaction that changed the standing to the size in the status of
 * the pod.
 */
export async function resizeOne(pods: RunningPods, { agent, memory, post }: Change): Promise<Resized> {
  const startedMs = performance.now();
  const asked = pods.when(`${agent} asks for its size`, () => pods.askedBy(agent) === memory, CAP_MS);
  const resized = pods.when(`${agent} resized`, () => pods.memoryOf(agent) === memory, CAP_MS);
  const entryMs = await post();
  const rewardedMs = performance.now() - startedMs;
  const sinceEntry = (atMs: number): number => performance.timeOrigin + atMs - entryMs;
  return { rewardedMs, askedMs: sinceEntry(await asked), resizedMs: sinceEntry(await resized) };
}

/** Makes the changes, one each `everyMs`, and waits for all. */
export async function resizeEach(
  pods: RunningPods,
  changes: readonly Change[],
  everyMs: number,
): Promise<readonly Resized[]> {
  const under: Promise<Resized>[] = [];
  for (const change of changes) {
    under.push(resizeOne(pods, change));
    await sleep(everyMs);
  }
  return Promise.all(under);
}

type Place = Pick<ControlPlane, 'client' | 'namespace'>;

/** Puts an agent to sleep; resolves with the time from the request to awaken it until its pod runs. */
export async function awaken(place: Place, pods: RunningPods, agent: string): Promise<number> {
  const asleep = pods.when(`${agent} asleep`, () => !pods.isRunning(agent), CAP_MS);
  await setPowerOf(place, agent, 'Asleep');
  await asleep;
  await sleep(SETTLED_MS);
  const startedMs = performance.now();
  const running = pods.when(`${agent} awake`, () => pods.isRunning(agent), CAP_MS);
  await setPowerOf(place, agent, 'Awake');
  return (await running) - startedMs;
}

/** The name of a bare pod among the running pods: without its last part, like that of an agent's pod. */
export const bareName = (pod: string): string => pod.slice(0, pod.lastIndexOf('-'));

/** Creates a pod, calls `whileIt` once it runs, and deletes it; resolves once it is gone, with the time until it ran. */
export async function runBarePod(
  { client, namespace }: Place,
  pods: RunningPods,
  bare: { readonly pod: NewObject; readonly whileIt?: () => Promise<void> },
): Promise<number> {
  const { name } = bare.pod.metadata;
  const isRunning = (): boolean => pods.isRunning(bareName(name));
  const startedMs = performance.now();
  const running = pods.when(`${name} Running`, isRunning, CAP_MS);
  await client.create(PODS, bare.pod, { namespace });
  const tookMs = (await running) - startedMs;
  await bare.whileIt?.();
  const gone = pods.when(`${name} gone`, () => !isRunning(), CAP_MS);
  await client.delete(PODS, { namespace, name });
  await gone;
  return tookMs;
}
