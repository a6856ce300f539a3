import { setTimeout as sleep } from 'node:timers/promises';
import { KubeClient } from '@hamlet/kube';
import { CAP_MS, startControlPlane, type ControlPlane, type CpuSeconds } from './control-plane.ts';
import { startOperator, type OperatorFigures } from './operator-process.ts';
import { RunningPods } from './running-pods.ts';
import { createAgents, createBarePods, createClaimsAndPods, createTier, runScript } from './workload.ts';

/** The operator has nothing left to write when it has written nothing for this long. */
const QUIET_MS = 3_000;

export const CASES = ['operator', 'script', 'barePodsWithClaims', 'barePods'] as const;
export type Case = (typeof CASES)[number];

export interface CaseResult {
  readonly createdSeconds: number;
  readonly runningSeconds: number;
  /** CPU of the control plane, without kwok and whoever creates the objects. */
  readonly cpu: CpuSeconds;
  /** Only where the operator ran. */
  readonly operator?: OperatorFigures & { readonly settledSeconds: number; readonly metrics: string };
}

export interface Size {
  readonly agents: number;
  readonly nodes: number;
}

async function timed(plane: ControlPlane, agents: number, create: () => Promise<void>): Promise<CaseResult> {
  const watcher = new KubeClient(plane.connection);
  const pods = new RunningPods(watcher, plane.namespace, agents);
  await pods.start();
  const cpuBefore = await plane.cpuSeconds();
  const startedMs = performance.now();
  await create();
  const createdMs = performance.now();
  const runningMs = await Promise.race([pods.all, sleep(CAP_MS, undefined, { ref: false }).then(() => { throw new Error(`only ${pods.count} of ${agents} pods run`); })]);
  const cpuAfter = await plane.cpuSeconds();
  const cpu = Object.fromEntries(Object.entries(cpuAfter).map(([name, seconds]) => [name, seconds - (cpuBefore[name] ?? 0)]));
  await pods.stop();
  await watcher.close();
  return { createdSeconds: (createdMs - startedMs) / 1_000, runningSeconds: (runningMs - startedMs) / 1_000, cpu };
}

async function withOperator(plane: ControlPlane, agents: number): Promise<CaseResult> {
  await createTier(plane);
  const operator = await startOperator(plane);
  const startedMs = performance.now();
  const result = await timed(plane, agents, () => createAgents(plane, agents));
  let figures = await operator.figures();
  for (let before = -1; figures.writes !== before; ) {
    before = figures.writes;
    await sleep(QUIET_MS);
    figures = await operator.figures();
  }
  const settledSeconds = (performance.now() - startedMs - QUIET_MS) / 1_000;
  const metrics = await operator.metrics();
  await operator.end();
  return { ...result, operator: { ...figures, settledSeconds, metrics } };
}

const RUN: Readonly<Record<Case, (plane: ControlPlane, agents: number) => Promise<CaseResult>>> = {
  operator: withOperator,
  script: (plane, agents) => timed(plane, agents, () => runScript(plane, agents)),
  barePodsWithClaims: (plane, agents) => timed(plane, agents, () => createClaimsAndPods(plane, agents)),
  barePods: (plane, agents) => timed(plane, agents, () => createBarePods(plane, agents)),
};

/** Runs one case on a control plane of its own. */
export async function runCase(name: Case, bin: string, { agents, nodes }: Size): Promise<CaseResult> {
  const plane = await startControlPlane(bin, nodes);
  try {
    return await RUN[name](plane, agents);
  } finally {
    await plane.end();
  }
}
