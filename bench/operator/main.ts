/**
 * Measures how the operator starts, resizes and wakes agents, compared with a script and with bare pods on the same
 * control plane.
 */
import { parseArgs } from 'node:util';
import { addToReport, printRows, writeReport, type Row } from '../report.ts';
import { CASES, runCase, type CaseResult, type Size } from './cases.ts';
import { programs, type Site } from './control-plane.ts';
import { measureOneAgent } from './one-agent.ts';
import { measureReal } from './real/measure-real.ts';
import { realRows } from './real/real-rows.ts';
import { rowsOf, type Results } from './rows.ts';
import { openRunFolder } from './run-folder.ts';

const ONE_AGENT = 'oneAgent';
const REAL = 'real';
const PARTS = [...CASES, 'large', ONE_AGENT, REAL] as const;
type Part = (typeof PARTS)[number];

const USAGE = `Usage: node bench/operator/main.ts [--agents N] [--large N] [--nodes N] [--rounds N] [--only PART,PART] [--verbose]

Real API server, etcd, scheduler and controllers; nodes are simulated by kwok. Each case has a fresh control plane,
and the cases run in turn; the report has the median of the rounds. Writes bench/results/operator.json.
  --agents   Agents to apply (1000)
  --large    Agents of the large village: operator and script, one round (5000)
  --nodes    simulated nodes (100)
  --rounds   runs of operator, script and barePods (2)
  --only     some of ${PARTS.join(', ')}; writes no report, but adds the rows of ${REAL} to the existing report
  --verbose  prints the operator's metrics

Parts: the cases start all agents at once; large does so with a large village; ${ONE_AGENT} rewards agents through a real
api with Postgres until their pods are resized, and wakes single agents beside a bare pod's own start; ${REAL} does so with 20
agents in the village of make up, on its two nodes with kubelets and cgroups. If no village is up, it starts one and takes
it down at the end. In a running village it removes its agents and tiers; their entries in the ledger and on the board stay.
After any kind of end the bench leaves no processes, networks or folders.
`;

const none = (): Results => ({ operator: [], script: [], barePodsWithClaims: [], barePods: [] });

const totalCpu = ({ cpu }: CaseResult): number => Object.values(cpu).reduce((sum, seconds) => sum + seconds, 0);

const cpuText = (result: CaseResult): string =>
  `${totalCpu(result).toFixed(1)} s (${Object.entries(result.cpu)
    .map(([name, seconds]) => `${name} ${seconds.toFixed(1)}`)
    .join(', ')})`;

function report(title: string, result: CaseResult, verbose: boolean): void {
  const { createdSeconds, runningSeconds, settled, awakened } = result;
  const more = [
    ...(settled === undefined
      ? []
      : [
          `settled ${settled.settledSeconds.toFixed(1)} s, ${settled.writes} writes, ${settled.reconciles} reconciles, ${settled.rssMb.toFixed(0)} MB`,
        ]),
    ...(awakened === undefined ? [] : [`all awakened ${awakened.runningSeconds.toFixed(1)} s`]),
  ];
  console.log(
    `${title}  created ${createdSeconds.toFixed(1)} s, all Running ${runningSeconds.toFixed(1)} s; CPU ${cpuText(result)}${more.map((text) => `; ${text}`).join('')}`,
  );
  if (verbose && settled !== undefined) console.log(settled.metrics);
}

interface Options {
  readonly size: Omit<Size, 'thorough'>;
  readonly large: number;
  readonly rounds: number;
  readonly parts: ReadonlySet<Part>;
  readonly verbose: boolean;
}

/** The first round runs every case; the other rounds run only the cases of ratios with a target. */
async function runRounds(site: Site, { size, rounds, parts, verbose }: Options): Promise<Results> {
  const results = none();
  for (let round = 1; round <= rounds; round += 1) {
    for (const name of CASES.filter((each) => parts.has(each) && (round === 1 || each !== 'barePodsWithClaims'))) {
      const result = await runCase(name, site, { ...size, thorough: round === 1 });
      results[name].push(result);
      report(`round ${round}  ${name.padEnd(20)}`, result, verbose);
    }
  }
  return results;
}

async function runLarge(site: Site, { size: { nodes }, large, parts, verbose }: Options): Promise<Results> {
  const results = none();
  if (!parts.has('large')) return results;
  for (const name of ['operator', 'script'] as const) {
    const result = await runCase(name, site, { agents: large, nodes, thorough: false });
    results[name].push(result);
    report(`${large} agents  ${name.padEnd(14)}`, result, verbose);
  }
  return results;
}

function optionsOf(
  values: Readonly<Record<'agents' | 'large' | 'nodes' | 'rounds', string>> & {
    readonly only?: string;
    readonly verbose?: boolean;
  },
): Options {
  const parts = new Set(PARTS.filter((part) => values.only === undefined || values.only.split(',').includes(part)));
  if (parts.size === 0) throw new Error(`--only takes ${PARTS.join(', ')}`);
  return {
    size: { agents: Number(values.agents), nodes: Number(values.nodes) },
    large: Number(values.large),
    rounds: Number(values.rounds),
    parts,
    verbose: values.verbose === true,
  };
}

/** Measures all cases on simulated nodes. */
async function simulate(options: Options): Promise<readonly Row[]> {
  const bin = await programs();
  const folder = openRunFolder(bin);
  try {
    const site = { bin, folder: folder.path };
    const results = await runRounds(site, options);
    const oneAgent = options.parts.has(ONE_AGENT) ? await measureOneAgent(site, options.size) : undefined;
    const large = { agents: options.large, results: await runLarge(site, options) };
    return rowsOf({ agents: options.size.agents, results, large, oneAgent });
  } finally {
    await folder.clear();
  }
}

async function main(): Promise<void> {
  const text = (value: string) => ({ type: 'string', default: value }) as const;
  const { values } = parseArgs({
    options: {
      agents: text('1000'),
      large: text('5000'),
      nodes: text('100'),
      rounds: text('2'),
      only: { type: 'string' },
      verbose: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help === true) return void process.stdout.write(USAGE);
  const options = optionsOf(values);
  if (PARTS.some((part) => part !== REAL && options.parts.has(part))) {
    const rows = await simulate(options);
    if (values.only === undefined) console.log(`written: ${writeReport('operator', rows)}`);
    else printRows('operator', rows);
  }
  if (options.parts.has(REAL)) console.log(`written: ${addToReport('operator', realRows(await measureReal()))}`);
}

await main();
