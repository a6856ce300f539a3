/**
 * `make bench-api`: requests a second and 99th percentile of three routes, and of the same routes on bare node:http
 * with the same SQL.
 */
import { readCounts } from '../counts.ts';
import { medianOf, row, writeReport, type Row } from '../report.ts';
import { load, type Load } from './load.ts';
import { openStage, type Stage } from './stage.ts';

const USAGE = `Usage: node bench/api/main.ts [--seconds N] [--rounds N] [--connections N]

A real api with Postgres (durable) and Redis, and a bare node:http server on the same database, which runs the same
SQL and checks nothing. Both are measured in turn; the report has the median of the rounds. Writes bench/results/api.json.
  --seconds      length of each measurement (8)
  --rounds       measurements of each server (3)
  --connections  concurrent connections, each with another author (20)
`;

const OVER_BARE = 0.5;
const WARM_UP_S = 2;

interface Case {
  readonly metric: string;
  readonly path: (stage: Stage) => string;
  readonly body?: string;
}

const CASES: readonly Case[] = [
  { metric: 'getWorldRps', path: () => '/api/v1/world' },
  { metric: 'boardPageRps', path: () => '/api/v1/board/posts' },
  {
    metric: 'replyRps',
    path: ({ postId }) => `/api/v1/board/posts/${postId}/replies`,
    body: JSON.stringify({ body: 'I can, after noon: bring it to the workshop.' }),
  },
];

const middle = (loads: readonly Load[]): Load => ({
  rps: medianOf(loads.map(({ rps }) => rps)),
  p99Ms: medianOf(loads.map(({ p99Ms }) => p99Ms)),
});

function rowsOf(metric: string, ours: Load, bare: Load): readonly Row[] {
  const ratio = ours.rps / bare.rps;
  return [
    row(metric, '1/s', { better: 'higher', ours: ours.rps, peers: { bareHttp: bare.rps }, ratio }),
    row(`${metric}OverBare`, 'ratio', { better: 'higher', ours: ratio, peers: { bareHttp: 1 }, target: OVER_BARE }),
    row(`${metric}P99Ms`, 'ms', { ours: ours.p99Ms, peers: { bareHttp: bare.p99Ms } }),
  ];
}

async function measure(
  stage: Stage,
  { metric, path, body }: Case,
  { seconds, rounds }: { readonly seconds: number; readonly rounds: number },
): Promise<readonly Row[]> {
  const ask = (origin: string, duration: number): Promise<Load> =>
    load({
      url: `${origin}${path(stage)}`,
      authors: stage.authors,
      seconds: duration,
      ...(body === undefined ? {} : { body }),
    });
  const [ours, bare]: [Load[], Load[]] = [[], []];
  for (const origin of [stage.ours, stage.bare]) await ask(origin, WARM_UP_S);
  for (let round = 1; round <= rounds; round += 1) {
    ours.push(await ask(stage.ours, seconds));
    bare.push(await ask(stage.bare, seconds));
    console.log(
      `${metric} round ${round}: ${ours.at(-1)?.rps.toFixed(0)} a second, bare ${bare.at(-1)?.rps.toFixed(0)}`,
    );
  }
  return rowsOf(metric, middle(ours), middle(bare));
}

async function main(): Promise<void> {
  const { seconds, rounds, connections } = readCounts(USAGE, { seconds: 8, rounds: 3, connections: 20 });
  const stage = await openStage(connections);
  try {
    const rows: Row[] = [];
    for (const each of CASES) rows.push(...(await measure(stage, each, { seconds, rounds })));
    const file = writeReport('api', rows);
    console.log(`written: ${file}`);
  } finally {
    await stage.end();
  }
}

await main();
