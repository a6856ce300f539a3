import { KubeError } from '../client/kube-error.ts';

/** Back-off of a watch that fails, as client-go has it. */
export const MIN_BACKOFF_MS = 800;
export const MAX_BACKOFF_MS = 30_000;

/** What to do after a list or a watch has failed. */
export interface Recovery {
  /** `relist`: the version is lost. `resume`: watch again from the last version. */
  readonly action: 'relist' | 'resume';
  readonly delayMs: number;
  /** For the metric and the log. */
  readonly cause: 'expired' | 'throttled' | 'forbidden' | 'server' | 'connection' | 'protocol';
}

/** The wait before attempt `failures` (1 is the first): doubling from 0.8 s to 30 s, spread over half to the whole of it. */
export function backoffMs(failures: number, random: number): number {
  const ceiling = Math.min(MAX_BACKOFF_MS, MIN_BACKOFF_MS * 2 ** Math.min(failures, 16));
  return Math.max(MIN_BACKOFF_MS, ceiling * (0.5 + random / 2));
}

/**
 * Decides from the error alone. The first 410 relists at once; a repeated one waits like everything else.
 * @param failures failures in a row, this one included
 * @param random 0 ≤ random < 1
 */
export function recoveryOf(error: unknown, failures: number, random: number): Recovery {
  const delayMs = backoffMs(failures, random);
  if (error instanceof SyntaxError || error instanceof RangeError)
    return { action: 'resume', delayMs, cause: 'protocol' };
  if (!(error instanceof KubeError)) return { action: 'resume', delayMs, cause: 'connection' };
  if (error.status === 410) return { action: 'relist', delayMs: failures <= 1 ? 0 : delayMs, cause: 'expired' };
  return recoveryFromRefusal(error.status, Math.max(delayMs, error.retryAfterMs ?? 0));
}

function recoveryFromRefusal(status: number, delayMs: number): Recovery {
  if (status === 429) return { action: 'resume', delayMs, cause: 'throttled' };
  if (status === 401 || status === 403)
    return { action: 'resume', delayMs: Math.max(delayMs, MAX_BACKOFF_MS / 2), cause: 'forbidden' };
  // Another 4xx does not go away by asking the same again: a list finds a version that the server knows.
  return { action: status < 500 ? 'relist' : 'resume', delayMs, cause: 'server' };
}
