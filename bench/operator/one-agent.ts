/** The time that one agent of a large village waits for a larger tier and for its awakening. */
import { KubeClient } from '@hamlet/kube';
import { onPlane, settle, timed } from './cases.ts';
import type { ControlPlane, Site } from './control-plane.ts';
import { awaken, resizeEach, runBarePod } from './one-step.ts';
import { startOperator } from './operator-process.ts';
import { RunningPods } from './running-pods.ts';
import { startVillage } from './village-process.ts';
import { agentName, barePod, createAgents, createTiers, LARGER } from './workload.ts';

/** Four rewards a second: the case measures the time of one reward, not the throughput. */
const REWARD_EVERY_MS = 250;
const REWARDS = 200;
const AWAKENINGS = 60;
/** A reward of this amount is enough to reach the larger tier. */
const AMOUNT = '15';

export interface OneAgentResult {
  readonly resizedMs: readonly number[];
  /** Time from the request to the answer of the API, and to the pod's request for the size. */
  readonly rewardedMs: readonly number[];
  readonly askedMs: readonly number[];
  readonly awakenedMs: readonly number[];
  /** A bare pod without a claim, created alternately with the awakenings. */
  readonly barePodMs: readonly number[];
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
    const rewarded = Array.from({ length: Math.min(REWARDS, agents) }, (_, index) => agentName(index));
    const resized = await resizeEach(
      pods,
      rewarded.map((agent) => ({ agent, memory: LARGER.memory, post: () => village.reward(agent, AMOUNT) })),
      REWARD_EVERY_MS,
    );
    await settle(operator);
    const awakenedMs: number[] = [];
    const barePodMs: number[] = [];
    for (let index = 0; index < Math.min(AWAKENINGS, agents); index += 1) {
      awakenedMs.push(await awaken(plane, pods, agentName(index)));
      barePodMs.push(await runBarePod(plane, pods, { pod: barePod(agents + index, plane.namespace) }));
    }
    const resizedMs = resized.map((each) => each.resizedMs);
    return {
      resizedMs,
      rewardedMs: resized.map((each) => each.rewardedMs),
      askedMs: resized.map((each) => each.askedMs),
      awakenedMs,
      barePodMs,
    };
  } finally {
    await pods.stop();
    await watcher.close();
    await operator.end();
    await village.end();
  }
}

/** Measures both on a separate control plane, with a real api and Postgres. */
export function measureOneAgent(
  site: Site,
  { agents, nodes }: { readonly agents: number; readonly nodes: number },
): Promise<OneAgentResult> {
  return onPlane(site, nodes, (plane) => measure(plane, agents));
}
