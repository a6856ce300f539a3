import type { Client, FiringBody, FiredRun } from '@hamlet/contract';
import { fireSchedule, ProblemError } from '@hamlet/contract/operator';
import type { VillageTime } from './village-time.ts';

const TIMEOUT_MS = 10_000;
/** Retry-After is rounded up to whole seconds. */
const RETRY_AFTER_EXACT_TO_MS = 500;

/** What became of a firing. */
export type FiringResult =
  | { readonly kind: 'fired'; readonly claimed: boolean; readonly runs: readonly FiredRun[] }
  /** By the clock of the database the slot has not come. */
  | { readonly kind: 'too early' }
  /** The slot lies further back than the api remembers: it can no longer be fired once. */
  | { readonly kind: 'forgotten' }
  /** The api trusts another leader and has fired nothing. */
  | { readonly kind: 'stale' }
  | { readonly kind: 'failed'; readonly error: unknown };

/** Fires one slot; told again, the api gives the first answer. What it says of the time is learned. */
export type Fire = (body: FiringBody) => Promise<FiringResult>;

/** Fires through the api, which claims (Schedule, slot) in Postgres before anything happens. */
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

/** Retry-After counts from the database's clock to the slot. */
function tooEarly(response: Response, { slotMs, time, between }: Asked): FiringResult {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  if (Number.isFinite(seconds))
    time.learn(slotMs - seconds * 1_000 + RETRY_AFTER_EXACT_TO_MS, between, RETRY_AFTER_EXACT_TO_MS);
  return { kind: 'too early' };
}
