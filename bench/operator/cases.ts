import { setTimeout as sleep } from 'node:timers/promises';
import { KubeClient } from '@hamlet/kube';
import { CAP_MS, startControlPlane, type ControlPlane, type CpuSeconds, type Site } from './control-plane.ts';
import { startOperator, type OperatorFigures, type OperatorProcess } from './operator-process.ts';
import { RunningPods } from './running-pods.ts';
import { createAgents, createBarePods, createClaimsAndPods, createTiers, runScript, setPower } from './workload.ts';

/** The operator counts as done when it has written nothing for this long, which is longer than it may delay a status. */
const QUIET_MS = 6_000;
const IDLE_MS = 20_000;

export const CASES = ['operator', 'script', 'barePodsWithClaims', 'barePods'] as const;
export type Case = (typeof CASES)[number];

/** Time from the first request until the last pod ran. */
export interface Timed {
  readonly createdSeconds: number;
  readonly runningSeconds: number;
  /** CPU of the control plane, without kwok and the creator of the objects. */
  readonly cpu: CpuSeconds;
}

/** Requests and memory of the operator once it is done. */
export interface Settled extends OperatorFigures {
  readonly settledSeconds: number;
  readonly metrics: string;
}

export interface CaseResult extends Timed {
  readonly settled?: Settled;
  /** All agents are put to sleep, then all are woken: only the pods are new, as in the case of bare pods. */
  readonly awakened?: Timed;
  readonly idleRequestsPerSecond?: number;
}

export interface Size {
  readonly agents: number;
  readonly nodes: number;
  /** Also measures the awakening of all agents, and the idle operator. */
  readonly thorough: boolean;
}

/** Runs `create` and waits until all pods run. */
export async function timed(plane: ControlPlane, agents: number, create: () => Promise<void>): Promise<Timed> {
  const watcher = new KubeClient(plane.connection);
  const pods = new RunningPods(watcher, plane.namespace);
  await pods.start();
  const cpuBefore = await plane.cpuSeconds();
  const startedMs = performance.now();
  const all = pods.when(`${agents} Running pods`, () => pods.count >= agents, CAP_MS);
  await create();
  const createdMs = performance.now();
  const runningMs = await all;
  const cpuAfter = await plane.cpuSeconds();
  const cpu = Object.fromEntries(
    Object.entries(cpuAfter).map(([name, seconds]) => [name, seconds - (cpuBefore[name] ?? 0)]),
  );
  await pods.stop();
  await watcher.close();
  return { createdSeconds: (createdMs - startedMs) / 1_000, runningSeconds: (runningMs - startedMs) / 1_000, cpu };
}

type Counter = (figures: OperatorFigures) => number;

async function still(
  operator: OperatorProcess,
  counter: Counter,
): Promise<OperatorFigures & { readonly atMs: number }> {
  let figures = await operator.figures();
  for (let before = -1; counter(figures) !== before;) {
    before = counter(figures);
    await sleep(QUIET_MS);
    figures = await operator.figures();
  }
  return { ...figures, atMs: performance.now() - QUIET_MS };
}

/** Waits until the operator has stopped writing. */
export const settle = (operator: OperatorProcess): Promise<OperatorFigures & { readonly atMs: number }> =>
  still(operator, ({ writes }) => writes);

/** Puts all agents to sleep, then measures the time until all run again. */
async function awakenAll(plane: ControlPlane, operator: OperatorProcess, agents: number): Promise<Timed> {
  const watcher = new KubeClient(plane.connection);
  const pods = new RunningPods(watcher, plane.namespace);
  await pods.start();
  const gone = pods.when('no pods', () => pods.existing === 0, CAP_MS);
  await setPower(plane, agents, 'Asleep');
  await gone;
  await pods.stop();
  await watcher.close();
  await settle(operator);
  return timed(plane, agents, () => setPower(plane, agents, 'Awake'));
}

/** Requests a second while nothing changes, including those for the operator's Lease. */
async function idle(operator: OperatorProcess): Promise<number> {
  await still(operator, ({ writes, events }) => writes + events);
  const before = await operator.figures();
  await sleep(IDLE_MS);
  return ((await operator.figures()).requests - before.requests) / (IDLE_MS / 1_000);
}

async function withOperator(plane: ControlPlane, { agents, thorough }: Size): Promise<CaseResult> {
  await createTiers(plane);
  const operator = await startOperator(plane);
  try {
    const startedMs = performance.now();
    const result = await timed(plane, agents, () => createAgents(plane, agents));
    const { atMs, ...figures } = await settle(operator);
    const settled = { ...figures, settledSeconds: (atMs - startedMs) / 1_000, metrics: await operator.metrics() };
    if (!thorough) return { ...result, settled };
    const idleRequestsPerSecond = await idle(operator);
    return { ...result, settled, idleRequestsPerSecond, awakened: await awakenAll(plane, operator, agents) };
  } finally {
    await operator.end();
  }
}

const RUN: Readonly<Record<Case, (plane: ControlPlane, size: Size) => Promise<CaseResult>>> = {
  operator: withOperator,
  script: (plane, { agents }) => timed(plane, agents, () => runScript(plane, agents)),
  barePodsWithClaims: (plane, { agents }) => timed(plane, agents, () => createClaimsAndPods(plane, agents)),
  barePods: (plane, { agents }) => timed(plane, agents, () => createBarePods(plane, agents)),
};

/** Runs `work` on a separate control plane, and ends the control plane also after a failure. */
export async function onPlane<T>(site: Site, nodes: number, work: (plane: ControlPlane) => Promise<T>): Promise<T> {
  const plane = await startControlPlane(site, nodes);
  try {
    return await work(plane);
  } finally {
    await plane.end();
  }
}

/** Runs one case on a separate control plane. */
export function runCase(name: Case, site: Site, size: Size): Promise<CaseResult> {
  return onPlane(site, size.nodes, (plane) => RUN[name](plane, size));
}
