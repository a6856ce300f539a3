/** How long 1,000 Agents take to 1,000 Running pods, beside a script and bare pods on the same control plane. */
import { parseArgs } from 'node:util';
import { writeReport, type Row } from '../report.ts';
import { CASES, runCase, type Case, type CaseResult } from './cases.ts';
import { programs } from './control-plane.ts';

const USAGE = `Usage: node bench/operator/main.ts [--agents N] [--nodes N] [--rounds N] [--only CASE] [--verbose]

Real API server, etcd, scheduler and controllers; nodes are simulated by kwok. Each case has a fresh control plane,
and the cases take turns; the report takes the median of the rounds. Writes bench/results/operator.json.
  --agents   Agents to apply (1000)
  --nodes    simulated nodes (100)
  --rounds   how often each case runs (3)
  --only     one of ${CASES.join(', ')}; writes no report
  --verbose  prints the operator's metrics
`;

type Results = Record<Case, CaseResult[]>;

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? (sorted[middle] ?? Number.NaN) : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}

const totalCpu = ({ cpu }: CaseResult): number => Object.values(cpu).reduce((sum, seconds) => sum + seconds, 0);

const cpuText = (result: CaseResult): string =>
  `${totalCpu(result).toFixed(1)} s (${Object.entries(result.cpu).map(([name, seconds]) => `${name} ${seconds.toFixed(1)}`).join(', ')})`;

function rowsOf(results: Results, agents: number): readonly Row[] {
  const seconds = (name: Case): number => median(results[name].map(({ runningSeconds }) => runningSeconds));
  const figure = (read: (operator: NonNullable<CaseResult['operator']>) => number): number =>
    median(results.operator.flatMap(({ operator }) => (operator === undefined ? [] : [read(operator)])));
  const lower = { better: 'lower', peers: {}, target: null } as const;
  const ours = seconds('operator');
  return [
    { ...lower, metric: 'agents1000ToRunningOverScript', unit: 'ratio', ours: ours / seconds('script'), peers: { script: 1 }, target: 1.25 },
    { ...lower, metric: 'agents1000ToRunningOverBarePods', unit: 'ratio', ours: ours / seconds('barePods'), peers: { barePods: 1, agentSandboxMeasuredElsewhere: 1.86 }, target: 1.75 },
    { ...lower, metric: 'agents1000ToRunningOverBarePodsWithClaims', unit: 'ratio', ours: ours / seconds('barePodsWithClaims'), peers: { barePodsWithClaims: 1 } },
    { ...lower, metric: 'agents1000ToRunningSeconds', unit: 's', ours, peers: { script: seconds('script'), barePodsWithClaims: seconds('barePodsWithClaims'), barePods: seconds('barePods') } },
    { ...lower, metric: 'agents1000StatusSettledSeconds', unit: 's', ours: figure(({ settledSeconds }) => settledSeconds) },
    { ...lower, metric: 'writesPerAgent', unit: 'writes', ours: figure(({ writes }) => writes) / agents, peers: { script: 3 } },
    { ...lower, metric: 'reconcilesPerAgent', unit: 'runs', ours: figure(({ reconciles }) => reconciles) / agents },
    { ...lower, metric: 'operatorRssMb', unit: 'MB', ours: figure(({ rssMb }) => rssMb), peers: { agentSandboxMeasuredElsewhere: 66 }, target: 150 },
    { ...lower, metric: 'operatorPeakRssMb', unit: 'MB', ours: figure(({ peakRssMb }) => peakRssMb) },
  ];
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { agents: { type: 'string', default: '1000' }, nodes: { type: 'string', default: '100' }, rounds: { type: 'string', default: '3' }, only: { type: 'string' }, verbose: { type: 'boolean' }, help: { type: 'boolean' } },
  });
  if (values.help === true) return void process.stdout.write(USAGE);
  const size = { agents: Number(values.agents), nodes: Number(values.nodes) };
  const cases = CASES.filter((name) => values.only === undefined || name === values.only);
  const results: Results = { operator: [], script: [], barePodsWithClaims: [], barePods: [] };
  const bin = await programs();
  for (let round = 1; round <= Number(values.rounds); round += 1) {
    for (const name of cases) {
      const result = await runCase(name, bin, size);
      results[name].push(result);
      console.log(`round ${round}  ${name.padEnd(20)} created ${result.createdSeconds.toFixed(1)} s, all Running ${result.runningSeconds.toFixed(1)} s; CPU ${cpuText(result)}`);
      if (values.verbose === true && result.operator !== undefined) console.log(result.operator);
    }
  }
  if (values.only === undefined) console.log(`written: ${writeReport('operator', rowsOf(results, size.agents))}`);
}

await main();
