import { KubeError } from '../client/kube-error.ts';
import { backoffMs } from '../time/backoff.ts';

/** Back-off of a watch that fails, as in client-go: 0.8 to 1.6 s, then doubling to 15 to 30 s. */
export const WATCH_BACKOFF = { firstMs: 1_600, maxMs: 30_000 } as const;

export interface Recovery {
  /** `relist`: the version is lost. `resume`: watch again from the last version. */
  readonly action: 'relist' | 'resume';
  readonly delayMs: number;
  readonly cause: 'expired' | 'throttled' | 'forbidden' | 'server' | 'connection' | 'protocol';
}

/** Chooses the recovery after `failures` in a row; `random` is in 0…1. The first 410 relists at once, a repeated one waits. */
export function recoveryOf(error: unknown, failures: number, random: number): Recovery {
  const delayMs = backoffMs(failures, WATCH_BACKOFF, random);
  if (error instanceof SyntaxError || error instanceof RangeError)
    return { action: 'resume', delayMs, cause: 'protocol' };
  if (!(error instanceof KubeError)) return { action: 'resume', delayMs, cause: 'connection' };
  if (error.status === 410) return { action: 'relist', delayMs: failures <= 1 ? 0 : delayMs, cause: 'expired' };
  return recoveryFromRefusal(error.status, Math.max(delayMs, error.retryAfterMs ?? 0));
}

function recoveryFromRefusal(status: number, delayMs: number): Recovery {
  if (status === 429) return { action: 'resume', delayMs, cause: 'throttled' };
  if (status === 401 || status === 403)
    return { action: 'resume', delayMs: Math.max(delayMs, WATCH_BACKOFF.maxMs / 2), cause: 'forbidden' };
  // A retry of the same watch would fail with the same 4xx. A new list returns a version that the server knows.
  return { action: status < 500 ? 'relist' : 'resume', delayMs, cause: 'server' };
}
