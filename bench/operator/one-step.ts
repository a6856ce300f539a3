/** How long one agent waits for one thing: for a larger pod, or to come back from sleep; and how long a bare pod takes to run. */
import { setTimeout as sleep } from 'node:timers/promises';
import { PODS, type NewObject } from '@hamlet/kube';
import { CAP_MS, type ControlPlane } from './control-plane.ts';
import type { RunningPods } from './running-pods.ts';
import { setPowerOf } from './workload.ts';

/** Its status tells that it sleeps by then, and nothing is left under way. */
const SETTLED_MS = 600;

/** Milliseconds: until the api answered, from the request on; until the pod asked for the size, and had it, from the change of the standing on. */
export interface Resized {
  readonly rewardedMs: number;
  readonly askedMs: number;
  readonly resizedMs: number;
}

/** A change of an agent's standing, and the memory that its pod then has. */
export interface Change {
  readonly agent: string;
  readonly memory: string;
  /** Resolves with the time of its entry in the ledger (milliseconds since 1970): the database's, at the begin of its transaction. */
  readonly post: () => Promise<number>;
}

/** From the begin of the transaction that changed the standing to the size in the status of the pod. */
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

/** Puts an agent to sleep; resolves with how long it takes from the word that it be awake until its pod runs. */
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

/** The name that a bare pod goes by among the pods that run: without its last part, as that of an agent's. */
export const bareName = (pod: string): string => pod.slice(0, pod.lastIndexOf('-'));

/** Creates a pod, has `whileIt` done once it runs, and deletes it; resolves with how long it took until it ran, once it is gone. */
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
