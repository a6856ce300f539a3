import { setTimeout as delay } from 'node:timers/promises';

const ENDING_MS = 25;

/**
 * Returns a pause of `ms`. When the process ends, the pause is short but not zero: otherwise a repeated request without an answer
 * would starve the timer that ends the process.
 */
export function restUntil(stop: AbortSignal): (ms: number) => Promise<void> {
  return async (ms) => {
    await delay(ms, undefined, { signal: stop }).catch(() => {});
    if (stop.aborted) await delay(Math.min(ms, ENDING_MS));
  };
}
