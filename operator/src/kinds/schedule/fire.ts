import { fireSchedule, ProblemError, type Client, type FiringBody, type FiredRun } from '@hamlet/contract';
import type { VillageTime } from './village-time.ts';

const TIMEOUT_MS = 10_000;
/** The Date of an answer has whole seconds. */
const DATE_EXACT_TO_MS = 1_000;

/** What became of a firing. */
export type FiringResult =
  | { readonly kind: 'fired'; readonly claimed: boolean; readonly runs: readonly FiredRun[] }
  /** By the clock of the database the slot has not come. */
  | { readonly kind: 'too early' }
  /** The slot lies further back than the api remembers: it can no longer be fired once. */
  | { readonly kind: 'forgotten' }
  /** Another leader has taken over: this one must fire nothing any more. */
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
      if (outcome.problem.code === 'firing_too_early') return tooEarly(outcome.response, time, between);
      if (outcome.problem.code === 'firing_forgotten') return { kind: 'forgotten' };
      if (outcome.problem.code === 'fence_stale') return { kind: 'stale' };
      return { kind: 'failed', error: new ProblemError(outcome.problem) };
    } catch (error) {
      return { kind: 'failed', error };
    }
  };
}

function tooEarly(response: Response, time: VillageTime, between: readonly [number, number]): FiringResult {
  const date = Date.parse(response.headers.get('date') ?? '');
  if (!Number.isNaN(date)) time.learn(date + DATE_EXACT_TO_MS / 2, between, DATE_EXACT_TO_MS / 2);
  return { kind: 'too early' };
}
