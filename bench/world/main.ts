/**
 * Measures the cost of showing a moving village: bytes, CPU, delay and fidelity for 1,000 walkers and 200 viewers,
 * compared with Colyseus.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startPostgres, startRedis } from '@hamlet/dev';
import { migrate } from '@hamlet/store';
import { row, writeReport, type Row } from '../report.ts';
import { asApp, benchFolder, createDatabase } from '../stores.ts';
import type { ServerKind } from './ipc.ts';
import { run, type RunResult } from './run.ts';
import { CROWD, FULL, QUICK, type Setting } from './setting.ts';

const USAGE = `Usage: node bench/world/main.ts [--quick] [--only CASE] [--seconds N] [--profile FOLDER]

An api replica as a village starts it (writer, commits, HTTP, sockets, reconciler) on a Postgres and a Redis of its own: 1,000 agents
that all walk on 250 by 250 tiles, deciding 143 times a second by commands in the process; 200 viewers of 79 by 79 tiles, 40 of whom
pan 4 tiles a second; then the same with
50,000 agents at the same density; then the same walkers in a Colyseus room, broadcast and filtered by StateView (2 Hz).
Bytes are those on the websocket with their headers; delivery runs from the start of an update to its receipt in another
process; CPU is that of the server's process. Writes bench/results/world.json.
  --quick    shorter windows; the figures are less exact, but not smaller
  --only     one of hamlet, crowd, colyseus-broadcast, colyseus-view; writes no report
  --profile  folder for a CPU profile of the server of each run of the product; the figures include the profiler's own cost
  --seconds  length of the measured window (${FULL.measureSeconds})
`;

const CASES = ['hamlet', 'crowd', 'colyseus-broadcast', 'colyseus-view'] as const;
type Case = (typeof CASES)[number];

function rowsOf(results: Record<Case, RunResult>): Row[] {
  const ours = results.hamlet;
  const peers = (figure: (result: RunResult) => number): Record<string, number> => ({
    colyseusBroadcast: figure(results['colyseus-broadcast']),
    colyseusStateView: figure(results['colyseus-view']),
  });
  const beside = (
    [metric, unit]: readonly [string, string],
    target: number | null,
    figure: (result: RunResult) => number,
  ): Row => {
    const ratio = figure(ours) / figure(results['colyseus-view']);
    return row(metric, unit, { ours: figure(ours), peers: peers(figure), target, ratio });
  };
  const { fidelity } = ours;
  const missed = fidelity === null ? Number.NaN : fidelity.missing + fidelity.extra;
  return [
    beside(['bytesPerViewerPerSecond', 'B/s'], 300, (result) => result.bytesPerViewerPerSecond),
    beside(['bytesPerPanningViewerPerSecond', 'B/s'], 600, (result) => result.bytesPerPanningViewerPerSecond),
    beside(['serverCpuCore', 'core'], 0.03, (result) => result.serverCpuCore),
    beside(['deliveryP99Ms', 'ms'], 30, (result) => result.deliveryP99Ms),
    beside(['deliveryP50Ms', 'ms'], null, (result) => result.deliveryP50Ms),
    row('reconstructionErrorTiles', 'tiles', {
      ours: Math.max(fidelity?.worstTiles ?? Number.NaN, fidelity?.worstDrawnTiles ?? Number.NaN),
      target: 0,
    }),
    row('reconstructionMissedAgents', 'agents', { ours: missed, target: 0 }),
    row('agents50kCpuCore', 'core', { ours: results.crowd.serverCpuCore, target: 0.15 }),
    row('agents50kBytesPerViewerPerSecond', 'B/s', { ours: results.crowd.bytesPerViewerPerSecond }),
    row('agents50kDeliveryP99Ms', 'ms', { ours: results.crowd.deliveryP99Ms }),
  ];
}

/**
 * Starts a Redis and a Postgres for the benchmark. Postgres flushes every commit to disk, as in production; each run
 * has a new database.
 */
async function withStores<T>(work: (fresh: () => Promise<NonNullable<Setting['stores']>>) => Promise<T>): Promise<T> {
  await using ends = new AsyncDisposableStack();
  const folder = await benchFolder(ends, 'world');
  const postgres = await startPostgres({ dataDir: join(folder, 'data'), durability: 'full' });
  ends.defer(() => postgres.stop());
  const redis = await startRedis();
  ends.defer(() => redis.stop());
  let databases = 0;
  return await work(async () => {
    databases += 1;
    const url = await createDatabase(postgres, `world_${databases}`);
    await migrate({ ownerUrl: url, appUrl: asApp(url) });
    return { postgresUrl: asApp(url), redisUrl: redis.url };
  });
}

async function measure(
  name: Case,
  setting: Setting,
  fresh: () => Promise<NonNullable<Setting['stores']>>,
): Promise<RunResult> {
  const kind: ServerKind = name === 'crowd' ? 'hamlet' : name;
  const sized = name === 'crowd' ? { ...setting, ...CROWD } : setting;
  const profileTo = setting.profileTo === null ? null : join(setting.profileTo, `${name}.cpuprofile`);
  const result = await run(kind, { ...sized, profileTo, stores: kind === 'hamlet' ? await fresh() : null });
  console.log(
    name.padEnd(20),
    JSON.stringify(result, (_, value: unknown) => (typeof value === 'number' ? Number(value.toPrecision(4)) : value)),
  );
  return result;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean' },
      only: { type: 'string' },
      profile: { type: 'string' },
      seconds: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help === true) return void process.stdout.write(USAGE);
  const setting: Setting = {
    ...FULL,
    ...(values.quick === true && QUICK),
    ...(values.seconds !== undefined && { measureSeconds: Number(values.seconds) }),
    profileTo: values.profile ?? null,
  };
  await withStores(async (fresh) => {
    const results: Partial<Record<Case, RunResult>> = {};
    for (const name of CASES.filter((one) => values.only === undefined || values.only === one))
      results[name] = await measure(name, setting, fresh);
    if (values.only === undefined) console.log(writeReport('world', rowsOf(results as Record<Case, RunResult>)));
  });
}

// All child processes end with this process, even after a signal.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

await main();
