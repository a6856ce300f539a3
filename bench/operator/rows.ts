import { row, type Row } from '../report.ts';
import type { Case, CaseResult, Settled } from './cases.ts';
import type { OneAgentResult } from './one-agent.ts';

export type Results = Record<Case, CaseResult[]>;

/** The results of a run; cases that were skipped are undefined or empty. */
export interface Measured {
  readonly agents: number;
  readonly results: Results;
  readonly large: { readonly agents: number; readonly results: Results };
  readonly oneAgent: OneAgentResult | undefined;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}

/** The smallest value that at least 99 % of the values do not exceed. */
export function p99(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.99) - 1] ?? Number.NaN;
}

const secondsOf =
  (results: Results) =>
  (name: Case): number =>
    median(results[name].map(({ runningSeconds }) => runningSeconds));
const settledOf = (results: Results, read: (settled: Settled) => number): number =>
  median(results.operator.flatMap(({ settled }) => (settled === undefined ? [] : [read(settled)])));
const others = (results: Results): Record<string, number> => {
  const seconds = secondsOf(results);
  return Object.fromEntries(
    (['script', 'barePodsWithClaims', 'barePods'] as const)
      .filter((name) => results[name].length > 0)
      .map((name) => [name, seconds(name)]),
  );
};

function startRows({ results }: Measured): readonly Row[] {
  const seconds = secondsOf(results);
  const ours = seconds('operator');
  const awakened = median(
    results.operator.flatMap((result) => (result.awakened === undefined ? [] : [result.awakened.runningSeconds])),
  );
  return [
    row('agents1000ToRunningOverScript', 'ratio', {
      ours: ours / seconds('script'),
      peers: { script: 1 },
      target: 1.25,
    }),
    row('agents1000ToRunningOverBarePods', 'ratio', {
      ours: ours / seconds('barePods'),
      peers: { barePods: 1, agentSandboxMeasuredElsewhere: 1.86 },
    }),
    row('agents1000ToRunningOverBarePodsWithClaims', 'ratio', {
      ours: ours / seconds('barePodsWithClaims'),
      peers: { barePodsWithClaims: 1 },
    }),
    // The volumes exist already, so this compares pods with pods.
    row('agents1000AwakenedOverBarePods', 'ratio', {
      ours: awakened / seconds('barePods'),
      peers: { barePods: 1, agentSandboxMeasuredElsewhere: 1.86 },
      target: 1.75,
    }),
    row('agents1000ToRunningSeconds', 's', { ours, peers: others(results) }),
    row('agents1000StatusSettledSeconds', 's', { ours: settledOf(results, ({ settledSeconds }) => settledSeconds) }),
  ];
}

/** The operator's own cost while all Agents start, and after all run. */
function costRows({ results, agents }: Measured): readonly Row[] {
  return [
    row('writesPerAgent', 'writes', {
      ours: settledOf(results, ({ writes }) => writes) / agents,
      peers: { script: 4 },
      target: 4,
    }),
    row('reconcilesPerAgent', 'runs', { ours: settledOf(results, ({ reconciles }) => reconciles) / agents, target: 3 }),
    row('operatorRssMb', 'MB', {
      ours: settledOf(results, ({ rssMb }) => rssMb),
      peers: { agentSandboxMeasuredElsewhere: 66 },
      target: 150,
    }),
    row('operatorPeakRssMb', 'MB', { ours: settledOf(results, ({ peakRssMb }) => peakRssMb) }),
    row('operatorCpuSeconds', 's', { ours: settledOf(results, ({ cpuSeconds }) => cpuSeconds) }),
    row('idleRequestsPerSecond', '1/s', {
      ours: median(results.operator.flatMap(({ idleRequestsPerSecond: idle }) => (idle === undefined ? [] : [idle]))),
      target: 1,
    }),
  ];
}

function largeRows({ large: { results, agents } }: Measured): readonly Row[] {
  if (results.operator.length === 0) return [];
  const seconds = secondsOf(results);
  return [
    row('agents5000ToRunningOverScript', 'ratio', {
      ours: seconds('operator') / seconds('script'),
      peers: { script: 1 },
      target: 1.25,
    }),
    row('agents5000ToRunningSeconds', 's', { ours: seconds('operator'), peers: others(results) }),
    row('writesPerAgent5000', 'writes', { ours: settledOf(results, ({ writes }) => writes) / agents, target: 4 }),
    row('reconcilesPerAgent5000', 'runs', {
      ours: settledOf(results, ({ reconciles }) => reconciles) / agents,
      target: 3,
    }),
    row('operatorRss5kMb', 'MB', { ours: settledOf(results, ({ rssMb }) => rssMb), target: 200 }),
    row('operatorPeakRss5kMb', 'MB', { ours: settledOf(results, ({ peakRssMb }) => peakRssMb) }),
  ];
}

function oneAgentRows({ oneAgent }: Measured): readonly Row[] {
  if (oneAgent === undefined) return [];
  const { resizedMs, rewardedMs, askedMs, awakenedMs, barePodMs } = oneAgent;
  return [
    row('standingToResizedP99Ms', 'ms', { ours: p99(resizedMs), target: 1_000 }),
    row('standingToResizedP50Ms', 'ms', { ours: median(resizedMs) }),
    row('standingToResizeAskedP99Ms', 'ms', { ours: p99(askedMs) }),
    row('rewardAnsweredP99Ms', 'ms', { ours: p99(rewardedMs) }),
    row('suspendToRunningP99Ms', 'ms', {
      ours: p99(awakenedMs),
      peers: { barePod: p99(barePodMs) },
      ratio: p99(awakenedMs) / p99(barePodMs),
    }),
    row('suspendToRunningP50Ms', 'ms', {
      ours: median(awakenedMs),
      peers: { barePod: median(barePodMs) },
      ratio: median(awakenedMs) / median(barePodMs),
    }),
  ];
}

/** The rows of the report. A metric that this run did not measure has no row. */
export function rowsOf(measured: Measured): readonly Row[] {
  return [...startRows(measured), ...costRows(measured), ...largeRows(measured), ...oneAgentRows(measured)].filter(
    ({ ours }) => !Number.isNaN(ours),
  );
}
