/**
 * Measures how long an agent waits on real nodes (kubelets, cgroups, containers), compared with bare pods on the same
 * nodes.
 */
import { penalizeAgent, rewardAgent } from '@hamlet/contract';
import { PODS, type NewObject } from '@hamlet/kube';
import { CAP_MS } from '../control-plane.ts';
import { awaken, bareName, resizeEach, runBarePod, type Resized } from '../one-step.ts';
import { RunningPods } from '../running-pods.ts';
import { barePodLike, createRealAgents, createRealTiers, LARGER, SMALL, step } from './real-agents.ts';
import { openVillage, type RealVillage } from './real-village.ts';

const AGENTS = 20;
/** Number of times that each agent is rewarded and penalized. */
const ROUNDS = 5;
/** Four changes a second, as in the simulated village. */
const CHANGE_EVERY_MS = 250;
const BARE_RESIZES = 20;
const AWAKENINGS = 20;
/** Name of the container in the pods of agents. */
const CONTAINER = 'resident';
/** Sizes of a bare pod: half of the limit is requested, as in the pods of agents. */
const SIZES = {
  small: { requests: { cpu: '40m', memory: '96Mi' }, limits: SMALL },
  larger: { requests: { cpu: '50m', memory: '128Mi' }, limits: LARGER },
};

export interface RealResult {
  /** Rewards that open the larger tier, and penalties that close it. */
  readonly raised: readonly Resized[];
  readonly lowered: readonly Resized[];
  /** A bare pod, from the request to resize it to the size in its status. */
  readonly barePodResizedMs: readonly number[];
  readonly awakenedMs: readonly number[];
  /** A bare pod of the same image without a claim, created alternately with the awakenings. */
  readonly barePodMs: readonly number[];
}

interface Living {
  readonly village: RealVillage;
  readonly pods: RunningPods;
  readonly agents: readonly string[];
}

async function resizeAgents({ village, pods, agents }: Living): Promise<Pick<RealResult, 'raised' | 'lowered'>> {
  const raised: Resized[] = [];
  const lowered: Resized[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const up = agents.map((agent) => ({ agent, memory: LARGER.memory, post: () => step(village, agent, rewardAgent) }));
    const down = agents.map((agent) => ({
      agent,
      memory: SMALL.memory,
      post: () => step(village, agent, penalizeAgent),
    }));
    raised.push(...(await resizeEach(pods, up, CHANGE_EVERY_MS)));
    lowered.push(...(await resizeEach(pods, down, CHANGE_EVERY_MS)));
  }
  return { raised, lowered };
}

/** Resizes a bare pod by the API server, as the operator resizes an agent's pod; resolves when its status has the size. */
async function resizeBare(
  { village: { client, namespace }, pods }: Living,
  pod: string,
  size: keyof typeof SIZES,
): Promise<number> {
  const resources = SIZES[size];
  const startedMs = performance.now();
  const resized = pods.when(`${pod} resized`, () => pods.memoryOf(bareName(pod)) === resources.limits.memory, CAP_MS);
  await client.apply(
    PODS,
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: pod, namespace },
      spec: { containers: [{ name: CONTAINER, resources }] },
    } as NewObject,
    { fieldManager: 'bench', subresource: 'resize' },
  );
  return (await resized) - startedMs;
}

async function resizeBarePod(living: Living, pod: NewObject): Promise<readonly number[]> {
  const { village, pods } = living;
  const { name } = pod.metadata;
  const resizedMs: number[] = [];
  const whileIt = async (): Promise<void> => {
    await pods.when(`${name} is small`, () => pods.memoryOf(bareName(name)) === SMALL.memory, CAP_MS);
    for (let index = 0; index < BARE_RESIZES; index += 1) {
      resizedMs.push(await resizeBare(living, name, 'larger'));
      await resizeBare(living, name, 'small');
    }
  };
  await runBarePod(village, pods, { pod, whileIt });
  return resizedMs;
}

async function measure(living: Living): Promise<RealResult> {
  const {
    village,
    pods,
    agents: [first = ''],
  } = living;
  const resized = await resizeAgents(living);
  const barePodResizedMs = await resizeBarePod(
    living,
    await barePodLike(village, pods.podOf(first) ?? '', `bare-${process.pid}-0`),
  );
  const awakenedMs: number[] = [];
  const barePodMs: number[] = [];
  for (let index = 1; index <= AWAKENINGS; index += 1) {
    awakenedMs.push(await awaken(village, pods, first));
    barePodMs.push(
      await runBarePod(village, pods, {
        pod: await barePodLike(village, pods.podOf(first) ?? '', `bare-${process.pid}-${index}`),
      }),
    );
  }
  return { ...resized, barePodResizedMs, awakenedMs, barePodMs };
}

/** Measures in the running village; if none runs, starts one. */
export async function measureReal(): Promise<RealResult> {
  const village = await openVillage();
  const pods = new RunningPods(village.client, village.namespace);
  // Each run uses new names, because an account keeps its money permanently.
  const agents = Array.from({ length: AGENTS }, (_, index) => `bench-${process.pid}-${index}`);
  try {
    await createRealTiers(village, AGENTS);
    await createRealAgents(village, agents);
    await pods.start();
    await pods.when('all are small', () => agents.every((agent) => pods.memoryOf(agent) === SMALL.memory), CAP_MS);
    const result = await measure({ village, pods, agents });
    for (const agent of agents) await step(village, agent, penalizeAgent);
    return result;
  } finally {
    await pods.stop();
    await village.end();
  }
}
