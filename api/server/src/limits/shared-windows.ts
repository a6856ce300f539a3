import { Redis } from 'ioredis';
import type { Log } from '../service/log.ts';

/** How many requests of a key are in its window, and when that ends. */
export interface Counted {
  readonly count: number;
  readonly endsInMs: number;
}

/** Windows that all replicas count in. */
export interface SharedWindows {
  /** Counts one request; null where Redis does not answer, at once or within 200 ms. */
  count(key: string, windowMs: number): Promise<Counted | null>;
  readonly reachable: boolean;
  close(): void;
}

const PREFIX = 'hamlet:requests:';
const ANSWER_LIMIT_MS = 200;
/** After a failure Redis is left alone for so long, so that not every request waits for it. */
const REST_MS = 500;
const RECONNECT_MAX_MS = 500;

/** One step for Redis, so that a window that was begun always ends. */
const COUNT = `
local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return { count, redis.call('PTTL', KEYS[1]) }`;

/** Opens a connection for counting; does not wait for it. Mutable because it rests after a failure. */
export function openSharedWindows(url: string, ports: { readonly log: Log; readonly monotonicMs: () => number }): SharedWindows {
  const { log, monotonicMs } = ports;
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    maxRetriesPerRequest: 0,
    commandTimeout: ANSWER_LIMIT_MS,
    retryStrategy: (attempt: number) => Math.min(attempt * 50, RECONNECT_MAX_MS),
  });
  let restUntilMs = -Infinity;
  let complained = false;
  const fail = (error: unknown): null => {
    if (!complained) log('warn', 'requests are counted by this replica alone, and money and models wait: redis does not answer', { error });
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
    count: async (key, windowMs) => {
      if (redis.status !== 'ready' || monotonicMs() < restUntilMs) return null;
      try {
        const [count, endsInMs] = (await redis.eval(COUNT, 1, `${PREFIX}${key}`, windowMs)) as [number, number];
        return { count, endsInMs };
      } catch (error) {
        restUntilMs = monotonicMs() + REST_MS;
        return fail(error);
      }
    },
    close: () => redis.disconnect(),
  };
}
