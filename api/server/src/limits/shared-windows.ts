import { Redis } from 'ioredis';
import { createComplaint, type Log } from '../service/log.ts';
import { redisTls } from '../service/redis-tls.ts';
import { withTimeout } from '../service/with-timeout.ts';

export interface Counted {
  readonly count: number;
  readonly endsInMs: number;
}

/** How long to wait for Redis: `short` if a count on this replica can replace the answer, otherwise `long`. */
type Patience = 'short' | 'long';

const PREFIX = 'hamlet:requests:';
const PATIENCE_MS: Readonly<Record<Patience, number>> = { short: 200, long: 2_000 };
/** For this time after a timeout, `short` calls do not wait for Redis, so that an outage does not delay every request for the map. */
const REST_MS = 500;
const FORGET_MS = 10_000;
const RECONNECT_MAX_MS = 500;

/** One script counts and sets the expiry, so that every window ends. */
const COUNT = `
local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return { count, redis.call('PTTL', KEYS[1]) }`;

export function openSharedWindows(url: string, ports: { readonly log: Log; readonly monotonicMs: () => number }) {
  const { log, monotonicMs } = ports;
  const redis = new Redis(url, {
    ...redisTls(url),
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    maxRetriesPerRequest: 0,
    commandTimeout: FORGET_MS,
    retryStrategy: (attempt: number) => Math.min(attempt * 50, RECONNECT_MAX_MS),
  });
  let restUntilMs = -Infinity;
  let answersCounts = true;
  const complaint = createComplaint(
    log,
    'Redis does not answer: this replica counts requests alone, and refuses requests that move money or call models',
  );
  redis.on('error', complaint.fail);
  redis.on('ready', () => {
    complaint.succeed();
    restUntilMs = -Infinity;
    answersCounts = true;
  });

  return {
    get reachable() {
      return redis.status === 'ready' && monotonicMs() >= restUntilMs;
    },
    /** False while Redis is not connected, and from a count without an answer to the next with one. */
    get answers() {
      return redis.status === 'ready' && answersCounts;
    },
    /** Counts one request; null if Redis is not connected, or does not answer within 200 ms (`short`) or 2 s (`long`). */
    count: async (key: string, windowMs: number, patience: Patience) => {
      if (redis.status !== 'ready' || (patience === 'short' && monotonicMs() < restUntilMs)) return null;
      try {
        const counted = redis.eval(COUNT, 1, `${PREFIX}${key}`, windowMs) as Promise<[number, number]>;
        const [count, endsInMs] = await withTimeout(PATIENCE_MS[patience], counted);
        answersCounts = true;
        return { count, endsInMs };
      } catch (error) {
        answersCounts = false;
        restUntilMs = monotonicMs() + REST_MS;
        complaint.fail(error);
        return null;
      }
    },
    /** Reads a window without counting; null if it has ended, or Redis does not answer within 200 ms. */
    read: async (key: string) => {
      if (redis.status !== 'ready') return null;
      try {
        const name = `${PREFIX}${key}`;
        const [count, endsInMs] = await withTimeout(
          PATIENCE_MS.short,
          Promise.all([redis.get(name), redis.pttl(name)]),
        );
        return count === null || endsInMs <= 0 ? null : { count: Number(count), endsInMs };
      } catch {
        return null;
      }
    },
    close: () => redis.disconnect(),
  };
}

export type SharedWindows = ReturnType<typeof openSharedWindows>;
