import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import type * as BullMq from 'bullmq';
import { Counter } from 'prom-client';
import type { z } from 'zod';
import { createComplaint, type Complaint } from './log.ts';
import type { RedisLink } from './redis-link.ts';
import { redisTls } from './redis-tls.ts';
import { repeat } from './single-flight.ts';
import { withTimeout } from './with-timeout.ts';
import type { Services } from './services.ts';

/** The whole of BullMQ, with its queues in Postgres and its other clients of Redis, would take 5 MB more. */
const load = createRequire(import.meta.url);
const { Queue } = load('bullmq/dist/cjs/classes/queue.js') as Pick<typeof BullMq, 'Queue'>;
const { Worker } = load('bullmq/dist/cjs/classes/worker.js') as Pick<typeof BullMq, 'Worker'>;

export interface Job {
  readonly name: string;
  readonly everyMs: number;
  /** Must be safe to run twice, even at the same time. Resolves with the JSON text that `receive` takes. */
  readonly run: () => Promise<string>;
  /** Receives the result of a run on this replica or another one. */
  readonly receive: (result: string) => void;
  /**
   * `postgres`: upkeep that must happen, done by the replica that holds the lock for it, even without Redis. `redis`: work that may
   * be late or leaves the village, done by any replica.
   */
  readonly by: 'postgres' | 'redis';
}

type Work = Pick<Job, 'name' | 'everyMs'> & { readonly run: () => Promise<unknown> };

const plainJob = (spec: Work, by: Job['by']): Job => ({
  ...spec,
  by,
  run: () => spec.run().then(() => ''),
  receive: () => undefined,
});

/** Upkeep, such as expiry and retention, which does not depend on Redis. */
export const job = (spec: Work): Job => plainJob(spec, 'postgres');

/** Work that Redis hands to one replica: without Redis it waits. */
export const queuedJob = (spec: Work): Job => plainJob(spec, 'redis');

/** A job whose result every replica receives, for example to show it in its metrics. If a result is lost, the next one replaces it. */
export function sharedJob<T>(
  spec: Pick<Job, 'name' | 'everyMs'> & {
    readonly result: z.ZodType<T>;
    readonly run: () => Promise<T>;
    readonly receive: (result: T) => void;
  },
): Job {
  return {
    ...spec,
    by: 'redis',
    run: async () => JSON.stringify(await spec.run()),
    receive: (text) => spec.receive(spec.result.parse(JSON.parse(text))),
  };
}

export interface JobTiming {
  /** Longest time until schedulers that Redis has lost exist again. */
  readonly deriveEveryMs: number;
  /** A job runs on another replica if its own replica has not renewed the lock for this long. */
  readonly lockMs: number;
}

interface JobPorts extends Pick<Services, 'registry' | 'log'> {
  readonly redisUrl: string;
  readonly namespace: string;
  readonly jobs: readonly Job[];
  readonly link: Pick<RedisLink, 'ping' | 'publish' | 'subscribe'>;
  /** True while this replica does the upkeep. */
  readonly leads: () => boolean;
  readonly timing?: JobTiming;
}

const TIMING: JobTiming = { deriveEveryMs: 15_000, lockMs: 30_000 };
/** Interval at which a replica checks whether it leads, in milliseconds. */
const LOOK_EVERY_MS = 1_000;
const QUEUE = 'jobs';
/** Enough that slow jobs, such as a call to PayPal, leave room for those that are due every second. */
const AT_ONCE = 8;
/** A scheduler whose next run is this late has lost its job; the API creates it again. */
const LOST_AFTER_MS = 30_000;
const FAILED_KEPT = 100;
const EVENTS_KEPT = 100;
const RECONNECT_MAX_MS = 1_000;
const COMMAND_LIMIT_MS = 5_000;
const PING_LIMIT_MS = 1_000;
const STOP_LIMIT_MS = 8_000;
/** A timer may be this late, in milliseconds. */
const TIMER_SLACK_MS = 50;

const OPTIONS = { removeOnComplete: { count: 0 }, removeOnFail: { count: FAILED_KEPT } };

/** Adds schedulers that are missing, changed or stuck, and removes those whose jobs this version does not have. */
async function deriveSchedulers(queue: BullMq.Queue, jobs: readonly Job[]): Promise<void> {
  const known = new Map((await queue.getJobSchedulers()).map((scheduler) => [scheduler.key, scheduler]));
  for (const { name, everyMs } of jobs) {
    const scheduler = known.get(name);
    known.delete(name);
    const isStuck = Date.now() - (scheduler?.next ?? 0) > LOST_AFTER_MS;
    if (Number(scheduler?.every) !== everyMs || isStuck)
      await queue.upsertJobScheduler(name, { every: everyMs }, { name, opts: OPTIONS });
  }
  for (const name of known.keys()) await queue.removeJobScheduler(name);
}

interface State {
  readonly each: Job;
  running: Promise<void> | null;
  readonly complaint: Complaint;
}

interface Runner {
  run(name: string): Promise<void>;
  idle(): Promise<unknown>;
}

/** Runs a job by its name, never twice at once on this replica, and publishes its result to every replica. */
function createRunner({ namespace, jobs, link, registry, log }: JobPorts): Runner {
  const channel = `hamlet:${namespace}:job-results`;
  const states = new Map<string, State>(
    jobs.map((each) => [
      each.name,
      { each, running: null, complaint: createComplaint(log, `job ${each.name} failed; it runs again`) },
    ]),
  );
  const runs = new Counter({
    name: 'hamlet_jobs_total',
    help: 'Runs of background jobs on this replica, by job and outcome',
    labelNames: ['job', 'outcome'],
    registers: [registry],
  });
  void link.subscribe(channel, (message) => {
    const at = message.indexOf(' ');
    states.get(message.slice(0, at))?.each.receive(message.slice(at + 1));
  });
  async function runOnce({ each, complaint }: State): Promise<void> {
    try {
      const result = await each.run();
      runs.inc({ job: each.name, outcome: 'done' });
      complaint.succeed();
      if (result === '') return;
      each.receive(result);
      await link.publish(channel, `${each.name} ${result}`);
    } catch (error) {
      runs.inc({ job: each.name, outcome: 'failed' });
      complaint.fail(error);
      throw error;
    }
  }

  return {
    run: async (name) => {
      const state = states.get(name);
      // If a run takes longer than its interval, the runs that come due are skipped.
      if (state === undefined || state.running !== null) return;
      state.running = runOnce(state).finally(() => {
        state.running = null;
      });
      await state.running;
    },
    idle: () => Promise.allSettled([...states.values()].map(({ running }) => running)),
  };
}

/** Runs all jobs. Returns a function that stops their schedules and waits for running jobs. */
export function startJobs(ports: JobPorts): () => Promise<void> {
  const runner = createRunner(ports);
  const stops = [
    ...ports.jobs.filter(({ by }) => by === 'postgres').map((each) => startUpkeep(ports, runner, each)),
    startQueue({ ...ports, jobs: ports.jobs.filter(({ by }) => by === 'redis') }, runner),
  ];
  return async () => void (await Promise.all(stops.map((stop) => stop())));
}

/** Runs upkeep while this replica leads: at once when it begins to lead, then at the interval of the job. */
function startUpkeep({ leads }: Pick<JobPorts, 'leads'>, runner: Runner, { name, everyMs }: Job): () => Promise<void> {
  let nextMs = 0;
  const tick = async (): Promise<void> => {
    if (!leads() || performance.now() < nextMs) return;
    nextMs = performance.now() + everyMs;
    await runner.run(name);
  };
  // The runner logs a failure, and the job runs again after its interval.
  return repeat(Math.min(everyMs, LOOK_EVERY_MS), tick, () => undefined);
}

/**
 * Schedules jobs in Redis, and runs those that this replica takes. Everything in Redis can be recreated from `jobs`;
 * without Redis the jobs are late.
 */
function startQueue(ports: JobPorts, runner: Runner): () => Promise<void> {
  const { redisUrl, namespace, jobs, link, log, timing = TIMING } = ports;
  const prefix = `hamlet:${namespace}`;
  const complaint = createComplaint(log, 'jobs wait: Redis does not answer');
  let stopping = false;
  let reconnectMs = 0;
  const connection = {
    url: redisUrl,
    ...redisTls(redisUrl),
    retryStrategy: (attempt: number): number | null => {
      // An ending process does not reconnect to Redis.
      if (stopping) return null;
      const pauseMs = Math.min(attempt * 50, RECONNECT_MAX_MS);
      reconnectMs = Math.max(reconnectMs, performance.now() + pauseMs);
      return pauseMs;
    },
  };
  const queue = new Queue(QUEUE, {
    prefix,
    connection: { ...connection, enableOfflineQueue: false, commandTimeout: COMMAND_LIMIT_MS },
    streams: { events: { maxLen: EVENTS_KEPT } },
  });
  const worker = new Worker(QUEUE, (due) => runner.run(due.name), {
    prefix,
    connection: { ...connection, maxRetriesPerRequest: null },
    concurrency: AT_ONCE,
    lockDuration: timing.lockMs,
    stalledInterval: timing.lockMs,
    ...OPTIONS,
  });
  queue.on('error', complaint.fail);
  worker.on('error', complaint.fail);
  const derive = (): Promise<void> => deriveSchedulers(queue, jobs).then(complaint.succeed);
  const stopDeriving = repeat(timing.deriveEveryMs, derive, complaint.fail);
  void derive().catch(complaint.fail);
  return async () => {
    stopping = true;
    await stopDeriving();
    // BullMQ closes no connection that waits to reconnect: it would wait for an end that never comes, and renew its locks.
    await sleep(Math.max(0, reconnectMs + TIMER_SLACK_MS - performance.now()));
    // Without Redis a graceful close never ends. A ping decides, because `link.connected` may lag.
    const isConnected = await withTimeout(PING_LIMIT_MS, link.ping()).then(
      () => true,
      () => false,
    );
    const closed = isConnected ? worker.close() : runner.idle().then(() => worker.close(true));
    await withTimeout(STOP_LIMIT_MS, closed).catch(complaint.fail);
    await withTimeout(COMMAND_LIMIT_MS, queue.close()).catch(complaint.fail);
  };
}
