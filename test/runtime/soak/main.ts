/**
 * `make soak HOURS=h`: runs the operator for hours under changes and faults; counts missed changes, measures memory,
 * counts watches.
 */
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { Seeded } from '@hamlet/test/env/seeded';
import { until } from '@hamlet/test/env/until';
import { medianOf, row, type Row, writeReport } from '../../../bench/report.ts';
import { Churn } from './churn.ts';
import { soakedVillage, type SoakedVillage } from './soaked-village.ts';
import {
  answerLost,
  breakInMidEvent,
  byteByByte,
  goneAsEvent,
  refusing,
  slowDrip,
  through,
  watchesOf,
  writes,
} from '../proxy/faults.ts';
import type { FaultProxy } from '../proxy/fault-proxy.ts';

/** The operator at one moment. */
interface Sample {
  readonly atMs: number;
  readonly rssMb: number;
  /** Watches of the operator that the API server counts, without those that were open before the operator started. */
  readonly watches: number;
  readonly requests: number;
}

interface Verdict {
  readonly rssEarlyMb: number;
  readonly rssLateMb: number;
  readonly watchesEarly: number;
  readonly watchesLate: number;
  readonly problems: readonly string[];
}

/** Memory of a garbage-collected process varies by this much; more between the second and the last quarter is growth. */
const GROWTH_MB = 10;

function quarter(samples: readonly Sample[], index: number): readonly Sample[] {
  return samples.slice(
    Math.floor((samples.length * index) / 4),
    Math.max(1, Math.floor((samples.length * (index + 1)) / 4)),
  );
}

/** Compares the second quarter with the last, because the process still warms up in the first. */
function verdictOf(samples: readonly Sample[], missed: readonly string[], unsettled: readonly string[]): Verdict {
  const [early, late] = [quarter(samples, 1), quarter(samples, 3)];
  const read = (part: readonly Sample[], what: (sample: Sample) => number): number => medianOf(part.map(what));
  const figures = {
    rssEarlyMb: read(early, ({ rssMb }) => rssMb),
    rssLateMb: read(late, ({ rssMb }) => rssMb),
    watchesEarly: read(early, ({ watches }) => watches),
    watchesLate: read(late, ({ watches }) => watches),
  };
  const problems = [
    ...missed.map((what) => `missed: ${what}`),
    ...unsettled.map((what) => `not settled in the end: ${what}`),
    ...(figures.rssLateMb - figures.rssEarlyMb > GROWTH_MB
      ? [`memory grew from ${figures.rssEarlyMb.toFixed(1)} to ${figures.rssLateMb.toFixed(1)} MB`]
      : []),
    ...(figures.watchesLate > figures.watchesEarly
      ? [`watches grew from ${figures.watchesEarly} to ${figures.watchesLate}`]
      : []),
  ];
  return { ...figures, problems };
}

type Trouble = (proxy: FaultProxy) => void | Promise<void>;

const REFUSED_MS = 4_000;
const all = (): boolean => true;

function oneWatch(proxy: FaultProxy, random: () => number): FaultProxy['watches'][number] | undefined {
  const { watches } = proxy;
  return watches[Math.floor(random() * watches.length)];
}

/** Faults by name. A fault of watches also breaks an open watch, so that the operator reopens it under the fault. */
function troubles(random: () => number): Readonly<Record<string, Trouble>> {
  const reopened =
    (fault: Parameters<FaultProxy['inject']>[0]): Trouble =>
    (proxy) => {
      proxy.inject(fault);
      oneWatch(proxy, random)?.reset();
    };
  return {
    reset: (proxy) => oneWatch(proxy, random)?.reset(),
    resetAll: (proxy) => proxy.watches.forEach((watch) => watch.reset()),
    halfOpen: (proxy) => oneWatch(proxy, random)?.freeze(),
    brokenEvent: (proxy) => reopened(through(watchesOf(), 1, breakInMidEvent))(proxy),
    splitBytes: (proxy) => reopened(through(watchesOf(), 1, byteByByte))(proxy),
    drip: (proxy) => reopened(through(watchesOf(), 1, slowDrip(64, 20)))(proxy),
    expired: (proxy) => reopened(refusing(watchesOf(), 1, { code: 410, reason: 'Expired' }))(proxy),
    expiredEvent: (proxy) => reopened(through(watchesOf(), 1, goneAsEvent))(proxy),
    throttled: (proxy) =>
      proxy.inject(refusing(all, 3, { code: 429, reason: 'TooManyRequests', headers: { 'retry-after': '2' } })),
    unavailable: (proxy) => proxy.inject(refusing(all, 3, { code: 503, reason: 'ServiceUnavailable' })),
    lostAnswer: (proxy) => proxy.inject(answerLost(writes, 1)),
    refused: async (proxy) => {
      await proxy.refuse();
      await new Promise((resolve) => setTimeout(resolve, REFUSED_MS));
      await proxy.start();
    },
  };
}

const USAGE = `usage: test/runtime/soak/main.ts [--hours 1] [--population 40] [--seed 1]

Runs the operator behind a proxy that breaks its connections, changes Agents every two seconds, and counts the
changes to which it does not react, its memory and its watches. Writes bench/results/soak.json. Exits 1 on a missed
change, on growing memory and on growing watches.

  --hours       how long (0.05 is three minutes)
  --population  Agents that live at one time
  --seed        of the changes and the faults`;

const CHANGE_EVERY_MS = 2_000;
const TROUBLE_EVERY_MS = 60_000;
const SAMPLE_EVERY_MS = 30_000;
const REPORT_EVERY_MS = 120_000;
/** Longer than 180 s, after which the operator no longer trusts a silent watch. */
const MISSED_AFTER_MS = 300_000;
/** Time at the end without changes or faults, in which the requests of the idle operator are counted. */
const IDLE_MS = 60_000;

const BUILD = resolve(import.meta.dirname, '../../../local/cluster/build.sh');
const BUILD_OUTPUT_BYTES = 64 << 20;

const log = (line: string): void => console.log(`${new Date().toISOString()} ${line}`);

/** Requests of the operator since its start, by its own count. */
async function requestsOf({ operator }: SoakedVillage): Promise<number> {
  const lines = (await operator.read('/metrics'))
    .split('\n')
    .filter((line) => line.startsWith('hamlet_operator_kube_requests_total{'));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}

async function sample(village: SoakedVillage): Promise<Sample> {
  return {
    atMs: performance.now(),
    rssMb: village.operator.rssMb(),
    watches: await village.watches(),
    requests: await requestsOf(village),
  };
}

/** Repeats `task` until the time is over; reports its errors. */
async function repeat(everyMs: number, untilMs: number, task: () => Promise<void>): Promise<void> {
  while (performance.now() + everyMs < untilMs) {
    await sleep(everyMs);
    await task().catch((error: unknown) => log(String(error)));
  }
}

interface Soak {
  readonly village: SoakedVillage;
  readonly churn: Churn;
  readonly samples: Sample[];
  readonly befallen: Record<string, number>;
}

async function weather(
  { village, churn, samples, befallen }: Soak,
  options: { readonly untilMs: number; readonly random: () => number },
): Promise<void> {
  const { untilMs, random } = options;
  const known = Object.entries(troubles(random));
  let ended = false;
  void village.operator.ended.then((code) => {
    if (!ended) churn.missed.push(`the operator ended with code ${code}`);
  });
  await Promise.all([
    repeat(CHANGE_EVERY_MS, untilMs, async () => {
      await churn.change();
      churn.look(performance.now());
    }),
    repeat(TROUBLE_EVERY_MS, untilMs, async () => {
      const [name, trouble] = known[Math.floor(random() * known.length)] ?? ['none', () => undefined];
      befallen[name] = (befallen[name] ?? 0) + 1;
      await trouble(village.proxy);
    }),
    repeat(SAMPLE_EVERY_MS, untilMs, async () => void samples.push(await sample(village))),
    repeat(REPORT_EVERY_MS, untilMs, async () => {
      const last = samples.at(-1);
      log(
        `${churn.changes} changes, ${churn.waiting} waiting, ${churn.missed.length} missed; ${last?.rssMb.toFixed(1)} MB, ${last?.watches} watches; faults ${JSON.stringify(befallen)}`,
      );
    }),
  ]);
  ended = true;
}

/** Waits until the village settles, then counts the requests of the idle operator. */
async function rest({
  village,
  churn,
}: Soak): Promise<{ readonly unsettled: readonly string[]; readonly idlePerSecond: number }> {
  village.proxy.heal();
  await until(
    'everything has settled',
    async () => {
      churn.look(performance.now());
      return churn.waiting === 0 && churn.unsettled().length === 0;
    },
    { capMs: MISSED_AFTER_MS, pauseMs: 1_000 },
  ).catch((error: unknown) => log(String(error)));
  const before = await sample(village);
  await sleep(IDLE_MS);
  const after = await sample(village);
  return {
    unsettled: churn.unsettled(),
    idlePerSecond: (after.requests - before.requests) / ((after.atMs - before.atMs) / 1_000),
  };
}

function rowsOf({ churn, samples, befallen }: Soak, verdict: Verdict, idlePerSecond: number): readonly Row[] {
  const hours = ((samples.at(-1)?.atMs ?? 0) - (samples[0]?.atMs ?? 0)) / 3_600_000;
  const faults = Object.values(befallen).reduce((sum, count) => sum + count, 0);
  return [
    row('soakHours', 'h', { ours: hours }),
    row('changes', '', { ours: churn.changes }),
    row('faults', '', { ours: faults }),
    row('missedEvents', '', { ours: churn.missed.length, target: 0 }),
    row('reactionP50Ms', 'ms', { ours: medianOf(churn.reactions) }),
    row('reactionMaxMs', 'ms', { ours: Math.max(...churn.reactions) }),
    row('rssEarlyMb', 'MB', { ours: verdict.rssEarlyMb }),
    row('rssLateMb', 'MB', { ours: verdict.rssLateMb, target: verdict.rssEarlyMb + 10 }),
    row('watchesEarly', '', { ours: verdict.watchesEarly }),
    row('watchesLate', '', { ours: verdict.watchesLate, target: verdict.watchesEarly }),
    row('idleRequestsPerSecond', '/s', { ours: idlePerSecond, target: 1 }),
  ];
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      hours: { type: 'string', default: '1' },
      population: { type: 'string', default: '40' },
      seed: { type: 'string', default: '1' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const random = new Seeded(Number(values.seed)).next;
  await promisify(execFile)(BUILD, [], { maxBuffer: BUILD_OUTPUT_BYTES });
  const village = await soakedVillage(log);
  try {
    const churn = new Churn({
      ...village,
      random,
      population: Number(values.population),
      missedAfterMs: MISSED_AFTER_MS,
    });
    const soak: Soak = { village, churn, samples: [], befallen: {} };
    log(`soaking for ${values.hours} h, seed ${values.seed}`);
    await weather(soak, { untilMs: performance.now() + Number(values.hours) * 3_600_000, random });
    const { unsettled, idlePerSecond } = await rest(soak);
    const verdict = verdictOf(soak.samples, churn.missed, unsettled);
    console.log(`written: ${writeReport('soak', rowsOf(soak, verdict, idlePerSecond))}`);
    for (const problem of verdict.problems) console.error(problem);
    if (verdict.problems.length > 0) console.error(village.operator.output().slice(-10_000));
    return verdict.problems.length === 0 ? 0 : 1;
  } finally {
    await village.end();
  }
}

process.exit(await main());
