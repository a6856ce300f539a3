import { setTimeout as sleep } from 'node:timers/promises';

/** Longest wait of a test for a condition; no test asserts a shorter time. */
export const CAP_MS = 120_000;
const PAUSE_MS = 100;

export interface UntilOptions {
  readonly capMs?: number;
  readonly pauseMs?: number;
  /** Describes the state for the error message after a timeout. */
  readonly state?: () => Promise<unknown>;
}

/** Polls until the probe returns anything but undefined, null and false. A probe that throws is polled again. */
export async function until<T>(
  what: string,
  probe: () => Promise<T | false | null | undefined> | T | false | null | undefined,
  options: UntilOptions = {},
): Promise<T> {
  const { capMs = CAP_MS, pauseMs = PAUSE_MS } = options;
  const deadline = Date.now() + capMs;
  let last: unknown;
  for (;;) {
    try {
      const answer = await probe();
      if (answer !== undefined && answer !== null && answer !== false) return answer;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline)
      throw new Error(`${what}: not within ${capMs / 1000} s${await described(options.state)}`, { cause: last });
    await sleep(pauseMs);
  }
}

async function described(state: UntilOptions['state']): Promise<string> {
  if (state === undefined) return '';
  return `; state: ${await state().then(JSON.stringify, String)}`;
}
