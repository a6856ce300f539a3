import { Redis } from 'ioredis';
import type { Log } from '../service/log.ts';
import { withTimeout } from '../service/with-timeout.ts';

/** How many requests of a key are in its window, and when that ends. */
export interface Counted {
  readonly count: number;
  readonly endsInMs: number;
}

/** How long an answer is waited for: `short` where another count can stand in, `long` where nothing can. */
export type Patience = 'short' | 'long';

/** Windows that all replicas count in. */
export interface SharedWindows {
  /** Counts one request; null where Redis is not connected, or does not answer within 200 ms (`short`) or 2 s (`long`). */
  count(key: string, windowMs: number, patience: Patience): Promise<Counted | null>;
  readonly reachable: boolean;
  close(): void;
}

const PREFIX = 'hamlet:requests:';
const PATIENCE_MS: Readonly<Record<Patience, number>> = { short: 200, long: 2_000 };
/** After an answer that was not waited for, nobody with little patience waits for so long: not every request of a map is to be late. */
const REST_MS = 500;
/** Nobody waits any more for an answer that has not come by then. */
const FORGET_MS = 10_000;
const RECONNECT_MAX_MS = 500;

/** One step for Redis, so that a window that was begun always ends. */
const COUNT = `
local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return { count, redis.call('PTTL', KEYS[1]) }`;

/** Opens a connection for counting; does not wait for it. Mutable because it rests after a failure. */
export function openSharedWindows(
  url: string,
  ports: { readonly log: Log; readonly monotonicMs: () => number },
): SharedWindows {
  const { log, monotonicMs } = ports;
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    maxRetriesPerRequest: 0,
    commandTimeout: FORGET_MS,
    retryStrategy: (attempt: number) => Math.min(attempt * 50, RECONNECT_MAX_MS),
  });
  let restUntilMs = -Infinity;
  let complained = false;
  const fail = (error: unknown): null => {
    if (!complained)
      log('warn', 'requests are counted by this replica alone, and money and models wait: redis does not answer', {
        error,
      });
    complained = true;
    return null;
  };
  redis.on('error', fail);
  redis.on('ready', () => {
    complained = false;
    restUntilMs = -Infinity;
  });

  return {
    get reachable() {
      return redis.status === 'ready' && monotonicMs() >= restUntilMs;
    },
    count: async (key, windowMs, patience) => {
      if (redis.status !== 'ready' || (patience === 'short' && monotonicMs() < restUntilMs)) return null;
      try {
        const counted = redis.eval(COUNT, 1, `${PREFIX}${key}`, windowMs) as Promise<[number, number]>;
        const [count, endsInMs] = await withTimeout(PATIENCE_MS[patience], counted);
        return { count, endsInMs };
      } catch (error) {
        restUntilMs = monotonicMs() + REST_MS;
        return fail(error);
      }
    },
    close: () => redis.disconnect(),
  };
}
