/** `make bench-gateway`: the latency that the models gateway adds to a model server, compared with LiteLLM's. */
import { execFileSync, fork } from 'node:child_process';
import { join, resolve } from 'node:path';
import { readCounts } from '../counts.ts';
import { percentile, row, writeReport, type Row } from '../report.ts';
import type { Arrivals, Load } from './callers.ts';
import { openStage, type Stage, type Target } from './stage.ts';

const USAGE = `Usage: node bench/gateway/main.ts [--seconds N] [--rounds N] [--streams N]

A model server that sends a first token after 200 ms and 39 more, one every 25 ms; callers that keep streams open to it, to
the gateway of a real api with Postgres (durable) and Redis, to a bare proxy with one select and one insert in the same
Postgres (the floor), and to LiteLLM's proxy, in turn. Every caller is an agent of its own. The figures are percentiles
less those of the model server itself. Writes bench/results/gateway.json.
  --seconds  length of each measurement (20)
  --rounds   measurements of each server (3)
  --streams  streams at once (50)
`;

const SERVERS = ['upstream', 'floor', 'hamlet', 'litellm'] as const;
type Name = (typeof SERVERS)[number];
const WARM_UP_S = 4;

interface Measured {
  readonly firstMs: number[];
  readonly tokenMs: number[];
  /** Processor time of the server. Mutable: rounds add to it. */
  cpuMs: number;
}

const nothing = (): Measured => ({ firstMs: [], tokenMs: [], cpuMs: 0 });

type Answer =
  | { readonly type: 'done'; readonly arrivals: Arrivals }
  | { readonly type: 'failed'; readonly message: string };

/** Sends requests to a server from a separate process. */
async function callersAt({ url, tokens }: Target, seconds: number): Promise<Arrivals> {
  const child = fork(join(import.meta.dirname, 'callers.ts'), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  try {
    const answer = new Promise<Answer>((done, fail) => {
      child.once('message', (message: Answer) => done(message));
      child.once('exit', (code) => fail(new Error(`the callers ended with code ${code}`)));
    });
    child.send({ url, tokens, seconds } satisfies Load);
    const answered = await answer;
    if (answered.type === 'failed') throw new Error(answered.message);
    return answered.arrivals;
  } finally {
    child.removeAllListeners('exit');
    child.kill('SIGKILL');
  }
}

type All = Readonly<Record<Name, Measured>>;

async function measure(stage: Stage, { seconds, rounds }: { seconds: number; rounds: number }): Promise<All> {
  const all: All = { upstream: nothing(), floor: nothing(), hamlet: nothing(), litellm: nothing() };
  for (const name of SERVERS) await callersAt(stage[name], WARM_UP_S);
  for (let round = 1; round <= rounds; round += 1)
    for (const name of SERVERS) {
      const usedMs = stage[name].cpuMs();
      const { firstMs, tokenMs } = await callersAt(stage[name], seconds);
      all[name].cpuMs += stage[name].cpuMs() - usedMs;
      all[name].firstMs.push(...firstMs);
      for (const each of tokenMs) all[name].tokenMs.push(each);
      console.log(
        `round ${round}: ${name} first token ${percentile(firstMs, 0.5).toFixed(1)} ms, p99 ${percentile(firstMs, 0.99).toFixed(1)}; ${firstMs.length} streams`,
      );
    }
  return all;
}

function addedRow(
  all: All,
  metric: string,
  about: { of: 'firstMs' | 'tokenMs'; part: number; target: number | null },
): Row {
  const at = (name: Name): number => percentile(all[name][about.of], about.part);
  const own = at('upstream');
  const peers = { litellm: at('litellm') - own, floor: at('floor') - own, upstreamItself: own };
  return row(metric, 'ms', { ours: at('hamlet') - own, peers, target: about.target });
}

/** Processor time of a server per stream, idle work included. The machine's load affects it less than latency. */
function cpuRow(all: All): Row {
  const at = (name: Name): number => all[name].cpuMs / all[name].firstMs.length;
  const peers = { litellm: at('litellm'), floor: at('floor'), upstreamItself: at('upstream') };
  return row('cpuMsPerStream', 'ms', { ours: at('hamlet'), peers });
}

const rowsOf = (all: All, { hamlet, litellm }: Stage): readonly Row[] => [
  addedRow(all, 'addedLatencyP50Ms', { of: 'firstMs', part: 0.5, target: 3 }),
  addedRow(all, 'addedLatencyP99Ms', { of: 'firstMs', part: 0.99, target: 15 }),
  addedRow(all, 'addedTokenLatencyP50Ms', { of: 'tokenMs', part: 0.5, target: 3 }),
  addedRow(all, 'addedTokenLatencyP99Ms', { of: 'tokenMs', part: 0.99, target: 15 }),
  cpuRow(all),
  row('rssMb', 'MB', { ours: hamlet.rssMb(), peers: { litellm: litellm.rssMb() } }),
];

async function main(): Promise<void> {
  const counts = readCounts(USAGE, { seconds: 20, rounds: 3, streams: 50 });
  const packages = join(resolve(import.meta.dirname, '../..'), 'local/village/packages.sh');
  execFileSync(packages, ['test', 'bench'], { stdio: 'inherit' });
  const stage = await openStage(counts.streams);
  try {
    console.log(`written: ${writeReport('gateway', rowsOf(await measure(stage, counts), stage))}`);
  } finally {
    await stage.end();
  }
}

await main();
