import type { Client, FiringBody, FiredRun } from '@hamlet/contract';
import { fireSchedule, ProblemError } from '@hamlet/contract/operator';

const TIMEOUT_MS = 10_000;
/** The api rounds Retry-After up to whole seconds, so half a second less is exact to half a second. */
const RETRY_AFTER_EXACT_TO_MS = 500;

export type FiringResult =
  | { readonly kind: 'fired'; readonly claimed: boolean; readonly runs: readonly FiredRun[] }
  /** The slot is still in the future by the database's clock. */
  | { readonly kind: 'too early' }
  /** The api no longer has records as old as the slot, so it cannot fire the slot exactly once. */
  | { readonly kind: 'forgotten' }
  /** The api trusts another leader and has not fired the slot. */
  | { readonly kind: 'stale' }
  | { readonly kind: 'failed'; readonly error: unknown };

/** Fires one slot. A repeated call returns the result of the first. */
export type Fire = (body: FiringBody) => Promise<FiringResult>;

/** Fires through the api, which first claims Schedule and slot in Postgres. Sets `time` from the api's answers. */
export function fireThrough(client: Client, time: VillageTime): Fire {
  return async (body) => {
    const sentMs = time.local();
    try {
      const outcome = await client.call(fireSchedule, { body, signal: AbortSignal.timeout(TIMEOUT_MS) });
      const between = [sentMs, time.local()] as const;
      if (outcome.ok) {
        time.learn(Date.parse(outcome.data.now), between);
        return { kind: 'fired', claimed: outcome.data.claimed, runs: outcome.data.runs };
      }
      if (outcome.problem.code === 'firing_too_early')
        return tooEarly(outcome.response, { slotMs: Date.parse(body.slot), time, between });
      if (outcome.problem.code === 'firing_forgotten') return { kind: 'forgotten' };
      if (outcome.problem.code === 'fence_stale') return { kind: 'stale' };
      return { kind: 'failed', error: new ProblemError(outcome.problem) };
    } catch (error) {
      return { kind: 'failed', error };
    }
  };
}

interface Asked {
  readonly slotMs: number;
  readonly time: VillageTime;
  readonly between: readonly [number, number];
}

/** Corrects `time` by Retry-After, which is the number of seconds until the slot by the database's clock. */
function tooEarly(response: Response, { slotMs, time, between }: Asked): FiringResult {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  if (Number.isFinite(seconds))
    time.learn(slotMs - seconds * 1_000 + RETRY_AFTER_EXACT_TO_MS, between, RETRY_AFTER_EXACT_TO_MS);
  return { kind: 'too early' };
}

/** Smaller differences from the database's clock may come from network delay, and are ignored. */
const NOTICEABLE_MS = 100;

/** An estimate of the database's clock, which decides about firings; equal to this machine's clock until the first answer. */
export class VillageTime {
  readonly #now: () => number;
  #aheadMs = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  now(): number {
    return this.#now() + this.#aheadMs;
  }

  local(): number {
    return this.#now();
  }

  /** Milliseconds by which the database's clock is ahead of this machine's clock. */
  get aheadMs(): number {
    return this.#aheadMs;
  }

  /** Adjusts the estimate to a database time that was read between two local times; `exactToMs` is its possible error. */
  learn(villageMs: number, between: readonly [sentMs: number, receivedMs: number], exactToMs = 0): void {
    const ahead = villageMs - (between[0] + between[1]) / 2;
    const unsure = (between[1] - between[0]) / 2 + exactToMs + NOTICEABLE_MS;
    if (Math.abs(ahead - this.#aheadMs) > unsure) this.#aheadMs = ahead;
  }
}
