import type { Answer } from './village.ts';

export interface BackoffLimits {
  readonly firstMs: number;
  readonly maxMs: number;
}

/** Backoff for requests to the API: short enough that all agents reconnect within seconds of its restart. */
export const API_BACKOFF: BackoffLimits = { firstMs: 250, maxMs: 5_000 };

/**
 * The pause in ms after `failures` (at least 1) consecutive failures. It doubles with each failure. Half of it is multiplied by
 * `random` (0…1), which spreads the retries.
 */
export function backoffMs(failures: number, random: number, { firstMs, maxMs }: BackoffLimits = API_BACKOFF): number {
  const whole = Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 30));
  return Math.round(whole / 2 + (whole / 2) * random);
}

/** Ends the work on runs: a newer cycle has begun. */
export class CycleOver extends Error {}

export interface RetryPorts {
  readonly rest: (ms: number) => Promise<void>;
  readonly random: () => number;
}

export type Definite<T> = Extract<Answer<T>, { kind: 'ok' | 'refused' }>;

/**
 * Repeats a request until the API accepts or refuses it. Rejects with CycleOver, or with the signal's reason when the signal
 * aborts.
 */
export async function retry<T>(
  ask: () => Promise<Answer<T>>,
  signal: AbortSignal,
  { rest, random }: RetryPorts,
): Promise<Definite<T>> {
  for (let failures = 1; ; failures += 1) {
    signal.throwIfAborted();
    const answer = await ask();
    if (answer.kind === 'stale') throw new CycleOver('a newer cycle of the agent has begun');
    if (answer.kind !== 'unreachable') return answer;
    await rest(backoffMs(failures, random()));
  }
}

/** Rejects when the signal aborts, for a race with work that may ignore its signal. */
export function rejectOnAbort(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason as Error);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  return promise;
}
