import { setTimeout as delay } from 'node:timers/promises';

/** A pause while the process ends. */
const ENDING_MS = 25;

/**
 * Returns a pause of `ms`. When the process ends it takes a moment, not nothing: a request that is repeated without an answer would
 * otherwise leave the process no time for the timer that ends it.
 */
export function restUntil(stop: AbortSignal): (ms: number) => Promise<void> {
  return async (ms) => {
    await delay(ms, undefined, { signal: stop }).catch(() => {});
    if (stop.aborted) await delay(Math.min(ms, ENDING_MS));
  };
}
