import { setTimeout as sleep } from 'node:timers/promises';

/** Longest wait of a test for a condition; no test asserts a shorter time. */
export const CAP_MS = 120_000;
const PAUSE_MS = 100;
/** Longest pause between two probes. */
const PAUSE_MAX_MS = 200;
/** A pause lasts this share of the wait so far, because probes of a long wait would use more processor time than the tests. */
const PAUSE_SHARE = 0.1;

export interface UntilOptions {
  readonly capMs?: number;
  /** The first pause; later ones grow. */
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
  const began = Date.now();
  let last: unknown;
  for (;;) {
    try {
      const answer = await probe();
      if (answer !== undefined && answer !== null && answer !== false) return answer;
    } catch (error) {
      last = error;
    }
    const waitedMs = Date.now() - began;
    if (waitedMs > capMs)
      throw new Error(`${what}: not within ${capMs / 1000} s${await described(options.state)}`, { cause: last });
    await sleep(Math.max(pauseMs, Math.min(waitedMs * PAUSE_SHARE, PAUSE_MAX_MS)));
  }
}

async function described(state: UntilOptions['state']): Promise<string> {
  if (state === undefined) return '';
  return `; state: ${await state().then(JSON.stringify, String)}`;
}
