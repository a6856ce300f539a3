/** Jobs on a real Redis: once across all replicas, and again after Redis or a replica was lost. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ownRedis } from '@hamlet/test/env/redis';
import { Redis } from 'ioredis';
import { Registry } from 'prom-client';
import { z } from 'zod';
import { untilEnd } from '@hamlet/test/env/at-end';
import { eventually } from '../testing/test-village.ts';
import { job, queuedJob, sharedJob, startJobs, type Job, type JobTiming } from './jobs.ts';
import type { Log } from './log.ts';
import { openRedisLink } from './redis-link.ts';

const HOUR_MS = 3_600_000;
/** The lock has its real duration, so that a replica that pauses for a moment keeps its jobs. */
const TIMING: JobTiming = { deriveEveryMs: 50, lockMs: 30_000 };
let village = 0;
let stops: (() => Promise<void>)[] = [];
let logged: string[] = [];
/** Answers the pings of every replica instead of Redis. */
let pings: (() => Promise<void>) | null = null;
const log: Log = (level, message) => void logged.push(`${level} ${message}`);

const redis = untilEnd(await ownRedis());
const client = untilEnd(new Redis(redis.url));
client.on('error', () => undefined);
beforeEach(() => {
  village += 1;
  logged = [];
});
afterEach(async () => {
  await Promise.all(stops.map((stop) => stop()));
  stops = [];
});

const namespace = (): string => `village-${village}`;

/** Starts a replica with these jobs; returns a function that stops its jobs. */
const replica = (...jobs: readonly Job[]): (() => Promise<void>) => replicaWith(TIMING, jobs);

function replicaWith(timing: JobTiming, jobs: readonly Job[], leads = (): boolean => true): () => Promise<void> {
  const open = openRedisLink(redis.url, log);
  const link = { ...open, ping: () => (pings ?? open.ping)() };
  const registry = new Registry();
  const stop = startJobs({ redisUrl: redis.url, namespace: namespace(), jobs, link, registry, log, leads, timing });
  let stopping: Promise<void> | null = null;
  const stopOnce = (): Promise<void> => (stopping ??= stop().finally(() => link.close()));
  stops.push(stopOnce);
  return stopOnce;
}

function counting(name: string, everyMs: number): Job & { readonly runs: () => number } {
  let runs = 0;
  const run = async (): Promise<void> => void (runs += 1);
  return { ...queuedJob({ name, everyMs, run }), runs: () => runs };
}

test('a job runs once across two replicas, however often its scheduler is recreated', async () => {
  const [hourly, other] = [counting('hourly', HOUR_MS), counting('hourly', HOUR_MS)];
  const [often, oftenToo] = [counting('often', 50), counting('often', 50)];
  replica(hourly, often);
  replica(other, oftenToo);
  await eventually(
    'forty runs of the frequent job, on both replicas',
    () => often.runs() + oftenToo.runs() > 40 && often.runs() > 0 && oftenToo.runs() > 0,
  );
  assert.equal(hourly.runs() + other.runs(), 1);
});

test('a Redis that lost its data gets every job again', async () => {
  const [hourly, often] = [counting('hourly', HOUR_MS), counting('often', 50)];
  replica(hourly, often);
  await eventually('the first runs', () => hourly.runs() === 1 && often.runs() > 2);
  await client.flushall();
  const before = often.runs();
  await eventually('runs after the loss', () => hourly.runs() === 2 && often.runs() > before + 2);
});

test('a Redis outage is reported once, and jobs run when it is back', async () => {
  const often = counting('often', 50);
  replica(often);
  await eventually('the first runs', () => often.runs() > 2);
  await redis.stop();
  const before = often.runs();
  await eventually('the outage in the log', () => logged.includes('warn jobs wait: Redis does not answer'));
  await redis.start();
  await eventually('runs after the outage', () => often.runs() > before + 2);
  // A connection that is still down may report again after the first one is back.
  assert.ok(logged.filter((line) => line.startsWith('warn jobs wait')).length <= 2);
});

test('jobs that start during a Redis outage run once it is over', async () => {
  await redis.stop();
  const often = counting('often', 50);
  replica(often);
  await eventually('the outage in the log', () => logged.includes('warn jobs wait: Redis does not answer'));
  await redis.start();
  await eventually('the first runs', () => often.runs() > 2);
});

test('upkeep runs without Redis, on the replica that leads', async () => {
  let leader = 0;
  const counts = [0, 0];
  const upkeep = counts.map((_, at) =>
    job({ name: 'upkeep', everyMs: 20, run: async () => void (counts[at] = (counts[at] ?? 0) + 1) }),
  );
  await redis.stop();
  try {
    for (const [at, each] of upkeep.entries()) replicaWith(TIMING, [each], () => leader === at);
    await eventually('runs of the leader', () => (counts[0] ?? 0) > 3);
    assert.equal(counts[1], 0);
    leader = 1;
    await eventually('runs of the next leader', () => (counts[1] ?? 0) > 3);
  } finally {
    await redis.start();
  }
});

test('jobs can be stopped during a Redis outage', async () => {
  const often = counting('often', 50);
  const stop = replica(often);
  await eventually('the first run', () => often.runs() > 0);
  await redis.stop();
  try {
    await stop();
  } finally {
    await redis.start();
  }
});

test('jobs whose connections wait to reconnect leave no timer when they are stopped', async () => {
  const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const before = timers();
  const often = counting('often', 50);
  const stop = replica(often);
  await eventually('the first run', () => often.runs() > 0);
  await redis.stop();
  // By then, each connection tries again once a second.
  await sleep(4_000);
  await redis.start();
  // The link is connected again before the connections of the jobs are.
  pings = async () => undefined;
  try {
    await stop();
    await eventually('the last timer to end', () => timers() <= before);
  } finally {
    pings = null;
  }
});

test('the job of a killed replica runs on another one', async () => {
  const program = resolve(import.meta.dirname, '../testing/hanging-job.ts');
  const killed = spawn(process.execPath, [program, redis.url, namespace()], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await once(killed.stdout, 'data');
  } finally {
    killed.kill('SIGKILL');
  }
  const hourly = counting('hourly', HOUR_MS);
  replicaWith({ ...TIMING, lockMs: 1_000 }, [hourly]);
  await eventually('the job on the replica that lives', () => hourly.runs() === 1);
});

test('stopping waits for the running job', async () => {
  const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const order: string[] = [];
  const run = async (): Promise<void> => {
    begun.resolve();
    await gate.promise;
    order.push('ended');
  };
  const stop = replica(queuedJob({ name: 'slow', everyMs: HOUR_MS, run }));
  await begun.promise;
  const stopped = stop().then(() => order.push('stopped'));
  gate.resolve();
  await stopped;
  assert.deepEqual(order, ['ended', 'stopped']);
});

test('every replica receives the result of a shared job; repeated failures are logged once', async () => {
  const seen: number[][] = [[], []];
  let runs = 0;
  const shared = seen.map((results) =>
    sharedJob({
      name: 'shared',
      everyMs: 50,
      result: z.int(),
      run: async () => {
        runs += 1;
        if (runs < 4) throw new Error('not yet');
        return runs;
      },
      receive: (result) => void results.push(result),
    }),
  );
  replica(...shared.slice(0, 1));
  await eventually('the first result', () => (seen[0]?.length ?? 0) > 0);
  assert.equal(logged.filter((line) => line === 'warn job shared failed; it runs again').length, 1);
  replica(...shared.slice(1));
  await eventually('a result that both know', () => seen[0]?.some((result) => seen[1]?.includes(result)));
});
