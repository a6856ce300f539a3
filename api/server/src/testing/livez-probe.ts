import { setTimeout as sleep } from 'node:timers/promises';

const ASK_EVERY_MS = 50;

/** Requests /livez repeatedly. `stop` throws if an answer did not arrive within `capMs`. */
export function probeLivez(url: string, capMs: number) {
  let longestMs = 0;
  let answers = 0;
  let stopped = false;
  const asking = (async () => {
    while (!stopped) {
      const askedMs = performance.now();
      const response = await fetch(`${url}/livez`, { signal: AbortSignal.timeout(capMs) });
      await response.text();
      if (response.status !== 200) throw new Error(`/livez answered ${response.status}`);
      longestMs = Math.max(longestMs, performance.now() - askedMs);
      answers += 1;
      await sleep(ASK_EVERY_MS);
    }
  })();
  asking.catch(() => undefined);
  return {
    /** The longest time of an answer. */
    get longestMs() {
      return longestMs;
    },
    get answers() {
      return answers;
    },
    stop: async () => {
      stopped = true;
      await asking;
    },
  };
}
