import type { Row } from '../report.ts';
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

const LOWER = { better: 'lower', peers: {}, target: null } as const;

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
    {
      ...LOWER,
      metric: 'agents1000ToRunningOverScript',
      unit: 'ratio',
      ours: ours / seconds('script'),
      peers: { script: 1 },
      target: 1.25,
    },
    {
      ...LOWER,
      metric: 'agents1000ToRunningOverBarePods',
      unit: 'ratio',
      ours: ours / seconds('barePods'),
      peers: { barePods: 1, agentSandboxMeasuredElsewhere: 1.86 },
    },
    {
      ...LOWER,
      metric: 'agents1000ToRunningOverBarePodsWithClaims',
      unit: 'ratio',
      ours: ours / seconds('barePodsWithClaims'),
      peers: { barePodsWithClaims: 1 },
    },
    // The volumes exist already, so this compares pods with pods.
    {
      ...LOWER,
      metric: 'agents1000AwakenedOverBarePods',
      unit: 'ratio',
      ours: awakened / seconds('barePods'),
      peers: { barePods: 1, agentSandboxMeasuredElsewhere: 1.86 },
      target: 1.75,
    },
    { ...LOWER, metric: 'agents1000ToRunningSeconds', unit: 's', ours, peers: others(results) },
    {
      ...LOWER,
      metric: 'agents1000StatusSettledSeconds',
      unit: 's',
      ours: settledOf(results, ({ settledSeconds }) => settledSeconds),
    },
  ];
}

/** The operator's own cost while all Agents start, and after all run. */
function costRows({ results, agents }: Measured): readonly Row[] {
  return [
    {
      ...LOWER,
      metric: 'writesPerAgent',
      unit: 'writes',
      ours: settledOf(results, ({ writes }) => writes) / agents,
      peers: { script: 4 },
      target: 4,
    },
    {
      ...LOWER,
      metric: 'reconcilesPerAgent',
      unit: 'runs',
      ours: settledOf(results, ({ reconciles }) => reconciles) / agents,
      target: 3,
    },
    {
      ...LOWER,
      metric: 'operatorRssMb',
      unit: 'MB',
      ours: settledOf(results, ({ rssMb }) => rssMb),
      peers: { agentSandboxMeasuredElsewhere: 66 },
      target: 150,
    },
    { ...LOWER, metric: 'operatorPeakRssMb', unit: 'MB', ours: settledOf(results, ({ peakRssMb }) => peakRssMb) },
    { ...LOWER, metric: 'operatorCpuSeconds', unit: 's', ours: settledOf(results, ({ cpuSeconds }) => cpuSeconds) },
    {
      ...LOWER,
      metric: 'idleRequestsPerSecond',
      unit: '1/s',
      ours: median(results.operator.flatMap(({ idleRequestsPerSecond: idle }) => (idle === undefined ? [] : [idle]))),
      target: 1,
    },
  ];
}

function largeRows({ large: { results, agents } }: Measured): readonly Row[] {
  if (results.operator.length === 0) return [];
  const seconds = secondsOf(results);
  return [
    {
      ...LOWER,
      metric: 'agents5000ToRunningOverScript',
      unit: 'ratio',
      ours: seconds('operator') / seconds('script'),
      peers: { script: 1 },
      target: 1.25,
    },
    { ...LOWER, metric: 'agents5000ToRunningSeconds', unit: 's', ours: seconds('operator'), peers: others(results) },
    {
      ...LOWER,
      metric: 'writesPerAgent5000',
      unit: 'writes',
      ours: settledOf(results, ({ writes }) => writes) / agents,
      target: 4,
    },
    {
      ...LOWER,
      metric: 'reconcilesPerAgent5000',
      unit: 'runs',
      ours: settledOf(results, ({ reconciles }) => reconciles) / agents,
      target: 3,
    },
    { ...LOWER, metric: 'operatorRss5kMb', unit: 'MB', ours: settledOf(results, ({ rssMb }) => rssMb), target: 200 },
    { ...LOWER, metric: 'operatorPeakRss5kMb', unit: 'MB', ours: settledOf(results, ({ peakRssMb }) => peakRssMb) },
  ];
}

function oneAgentRows({ oneAgent }: Measured): readonly Row[] {
  if (oneAgent === undefined) return [];
  const { resizedMs, rewardedMs, askedMs, awakenedMs, barePodMs } = oneAgent;
  return [
    { ...LOWER, metric: 'standingToResizedP99Ms', unit: 'ms', ours: p99(resizedMs), target: 1_000 },
    { ...LOWER, metric: 'standingToResizedP50Ms', unit: 'ms', ours: median(resizedMs) },
    { ...LOWER, metric: 'standingToResizeAskedP99Ms', unit: 'ms', ours: p99(askedMs) },
    { ...LOWER, metric: 'rewardAnsweredP99Ms', unit: 'ms', ours: p99(rewardedMs) },
    {
      ...LOWER,
      metric: 'suspendToRunningP99Ms',
      unit: 'ms',
      ours: p99(awakenedMs),
      peers: { barePod: p99(barePodMs) },
      ratio: p99(awakenedMs) / p99(barePodMs),
    },
    {
      ...LOWER,
      metric: 'suspendToRunningP50Ms',
      unit: 'ms',
      ours: median(awakenedMs),
      peers: { barePod: median(barePodMs) },
      ratio: median(awakenedMs) / median(barePodMs),
    },
  ];
}

/** The rows of the report. A metric that this run did not measure has no row. */
export function rowsOf(measured: Measured): readonly Row[] {
  return [...startRows(measured), ...costRows(measured), ...largeRows(measured), ...oneAgentRows(measured)].filter(
    ({ ours }) => !Number.isNaN(ours),
  );
}
