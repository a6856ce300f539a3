import { setTimeout as delay } from 'node:timers/promises';

const ENDING_MS = 25;

/** Returns a pause of `ms`. It stays above zero when the process ends, so that repeated requests do not starve its timer. */
export function restUntil(stop: AbortSignal): (ms: number) => Promise<void> {
  return async (ms) => {
    await delay(ms, undefined, { signal: stop }).catch(() => {});
    if (stop.aborted) await delay(Math.min(ms, ENDING_MS));
  };
}
