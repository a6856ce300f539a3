/** What one agent waits for in a village of many: a larger tier, and to come back from sleep. */
import { setTimeout as sleep } from 'node:timers/promises';
import { KubeClient, PODS } from '@hamlet/kube';
import { onPlane, settle, timed } from './cases.ts';
import { CAP_MS, type ControlPlane, type Site } from './control-plane.ts';
import { startOperator } from './operator-process.ts';
import { RunningPods } from './running-pods.ts';
import { agentName, barePod, createAgents, createTiers, LARGER, setPowerOf } from './workload.ts';
import { startVillage, type VillageProcess } from './village-process.ts';

/** Four rewards a second: what one of them waits for is asked, not how many go through. */
const REWARD_EVERY_MS = 250;
const REWARDS = 200;
const AWAKENINGS = 60;
/** Enough to reach the larger tier. */
const AMOUNT = '15';

export interface OneAgentResult {
  readonly resizedMs: readonly number[];
  /** Until the api answered, from the request on; and until the pod asked for the size. */
  readonly rewardedMs: readonly number[];
  readonly askedMs: readonly number[];
  readonly awakenedMs: readonly number[];
  /** A bare pod without a claim, created in turns with the awakenings. */
  readonly barePodMs: readonly number[];
}

interface Resized {
  readonly rewardedMs: number;
  readonly askedMs: number;
  readonly resizedMs: number;
}

/** From the begin of the transaction that changed the standing to the size in the status of the pod. */
async function resizeOne(village: VillageProcess, pods: RunningPods, agent: string): Promise<Resized> {
  const startedMs = performance.now();
  const asked = pods.when(`${agent} asks for its size`, () => pods.askedBy(agent) === LARGER.memory, CAP_MS);
  const resized = pods.when(`${agent} resized`, () => pods.memoryOf(agent) === LARGER.memory, CAP_MS);
  const entryMs = await village.reward(agent, AMOUNT);
  const rewardedMs = performance.now() - startedMs;
  const sinceEntry = (atMs: number): number => performance.timeOrigin + atMs - entryMs;
  return { rewardedMs, askedMs: sinceEntry(await asked), resizedMs: sinceEntry(await resized) };
}

async function resizeMany(village: VillageProcess, pods: RunningPods, agents: number): Promise<readonly Resized[]> {
  const under: Promise<Resized>[] = [];
  for (let index = 0; index < Math.min(REWARDS, agents); index += 1) {
    under.push(resizeOne(village, pods, agentName(index)));
    await sleep(REWARD_EVERY_MS);
  }
  return Promise.all(under);
}

async function awaken(plane: ControlPlane, pods: RunningPods, agent: string): Promise<number> {
  const asleep = pods.when(`${agent} asleep`, () => !pods.isRunning(agent), CAP_MS);
  await setPowerOf(plane, agent, 'Asleep');
  await asleep;
  // Its status tells so by then, and nothing is left under way.
  await sleep(600);
  const startedMs = performance.now();
  const running = pods.when(`${agent} awake`, () => pods.isRunning(agent), CAP_MS);
  await setPowerOf(plane, agent, 'Awake');
  return (await running) - startedMs;
}

async function startBarePod({ client, namespace }: ControlPlane, pods: RunningPods, index: number): Promise<number> {
  const pod = barePod(index, namespace);
  const { name } = pod.metadata;
  const bare = name.slice(0, name.lastIndexOf('-'));
  const startedMs = performance.now();
  const running = pods.when(`${name} Running`, () => pods.isRunning(bare), CAP_MS);
  await client.create(PODS, pod, { namespace });
  const tookMs = (await running) - startedMs;
  await client.delete(PODS, { namespace, name, graceSeconds: 0 });
  return tookMs;
}

async function measure(plane: ControlPlane, agents: number): Promise<OneAgentResult> {
  await createTiers(plane);
  const village = await startVillage(plane);
  const operator = await startOperator(plane, village.operatorAccess);
  const watcher = new KubeClient(plane.connection);
  const pods = new RunningPods(watcher, plane.namespace);
  try {
    await timed(plane, agents, () => createAgents(plane, agents));
    await pods.start();
    await settle(operator);
    const resized = await resizeMany(village, pods, agents);
    await settle(operator);
    const awakenedMs: number[] = [];
    const barePodMs: number[] = [];
    for (let index = 0; index < Math.min(AWAKENINGS, agents); index += 1) {
      awakenedMs.push(await awaken(plane, pods, agentName(index)));
      barePodMs.push(await startBarePod(plane, pods, agents + index));
    }
    const resizedMs = resized.map((each) => each.resizedMs);
    return { resizedMs, rewardedMs: resized.map((each) => each.rewardedMs), askedMs: resized.map((each) => each.askedMs), awakenedMs, barePodMs };
  } finally {
    await pods.stop();
    await watcher.close();
    await operator.end();
    await village.end();
  }
}

/** Measures both on a control plane of its own, with a real api and Postgres. */
export function measureOneAgent(site: Site, { agents, nodes }: { readonly agents: number; readonly nodes: number }): Promise<OneAgentResult> {
  return onPlane(site, nodes, (plane) => measure(plane, agents));
}
