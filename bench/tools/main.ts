/**
 * `make bench-tools`: calls of tools compared with MCP servers, and requests through the broker compared with Debian's
 * Squid.
 */
import autocannon from 'autocannon';
import { readCounts } from '../counts.ts';
import { medianOf, row, writeReport, type Row } from '../report.ts';
import { callRows } from './call-rows.ts';
import { openStage, type Stage } from './stage.ts';

const USAGE = `Usage: node bench/tools/main.ts [--seconds N] [--rounds N] [--connections N] [--calls N]

Calls of shell and write_file under the supervisor of the hands, less a bare process and a bare write, beside two MCP
servers. Plain requests for 1 KiB through the broker (one allow list, each request judged and recorded in memory) and through
Squid (one allow list, one line of its log each), with one upstream. Writes bench/results/tools.json.
  --seconds      length of each measurement (8)
  --rounds       measurements of each; the report has the median (3)
  --connections  connections at once (20)
  --calls        calls of each tool (300)
`;

/** Requests a second at which latencies are compared: every subject keeps up with it. */
const STEADY_RPS = 1000;

interface Measured {
  readonly rps: number;
  readonly p99Ms: number;
}

type Subject = 'upstream' | 'broker' | 'squid';

/** Keeps all connections busy, or sends at a steady rate. Throws on any refusal. */
async function load(
  stage: Stage,
  subject: Subject,
  by: { readonly seconds: number; readonly connections: number; readonly rps?: number },
): Promise<Measured> {
  const port = { upstream: stage.upstreamPort, broker: stage.brokerPort, squid: stage.squidPort }[subject];
  const target = `http://upstream.bench:${String(stage.upstreamPort)}/a/file`;
  const authorization = `Basic ${Buffer.from('/:token').toString('base64')}`;
  const result = await autocannon({
    url: `http://127.0.0.1:${String(port)}`,
    duration: by.seconds,
    connections: by.connections,
    ...(by.rps === undefined ? {} : { overallRate: by.rps }),
    requests: [
      {
        path: subject === 'upstream' ? '/a/file' : target,
        headers: { host: `upstream.bench:${String(stage.upstreamPort)}`, 'proxy-authorization': authorization },
      },
    ],
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${subject}: ${String(result.non2xx)} refused, ${String(result.errors)} failed`);
  return { rps: result.requests.average, p99Ms: result.latency.p99 };
}

async function measure(
  stage: Stage,
  counts: { seconds: number; rounds: number; connections: number },
): Promise<readonly Row[]> {
  const subjects: readonly Subject[] = ['upstream', 'broker', 'squid'];
  const full: Record<Subject, number[]> = { upstream: [], broker: [], squid: [] };
  const steady: Record<Subject, number[]> = { upstream: [], broker: [], squid: [] };
  const { seconds, connections } = counts;
  for (const subject of subjects) await load(stage, subject, { seconds: 2, connections });
  for (let round = 1; round <= counts.rounds; round += 1)
    for (const subject of subjects) {
      full[subject].push((await load(stage, subject, { seconds, connections })).rps);
      steady[subject].push((await load(stage, subject, { seconds, connections, rps: STEADY_RPS })).p99Ms);
      console.log(
        `round ${String(round)}: ${subject} ${String(full[subject].at(-1))} a second; p99 ${String(steady[subject].at(-1))} ms at ${String(STEADY_RPS)} a second`,
      );
    }
  const rps = (of: Subject): number => medianOf(full[of]);
  const added = (of: Subject): number => medianOf(steady[of]) - medianOf(steady.upstream);
  const ratio = rps('broker') / rps('squid');
  return [
    row('brokerRequestsPerSecondOverSquid', 'ratio', {
      better: 'higher',
      ours: ratio,
      peers: { squid: 1 },
      target: 0.8,
    }),
    row('brokerRequestsPerSecond', '1/s', {
      better: 'higher',
      ours: rps('broker'),
      peers: { squid: rps('squid'), upstreamItself: rps('upstream') },
    }),
    row('brokerAddedLatencyP99Ms', 'ms', {
      ours: added('broker'),
      peers: { squid: added('squid'), upstreamItself: medianOf(steady.upstream) },
      target: 20,
    }),
    row('brokerRssMb', 'MB', { ours: stage.rssMb('broker'), peers: { squid: stage.rssMb('squid') } }),
  ];
}

async function main(): Promise<void> {
  const counts = readCounts(USAGE, { seconds: 8, rounds: 3, connections: 20, calls: 300 });
  const calls = await callRows(counts.calls);
  const stage = await openStage();
  try {
    console.log(`written: ${writeReport('tools', [...calls, ...(await measure(stage, counts))])}`);
  } finally {
    await stage.end();
  }
}

await main();
