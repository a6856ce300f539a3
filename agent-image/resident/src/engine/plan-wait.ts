/** A refusal of the gateway, with the wait that it asks for; null if it asks for none. */
export interface RefusedAsk {
  readonly code: string;
  readonly retryAfterMs: number | null;
}

/** The waits for the gateway within one attempt of the engine. */
export interface Waits {
  readonly count: number;
  readonly waitedMs: number;
  readonly limitMs: number;
}

/** Refusals that end by themselves: of requests a minute, of requests at one time, of a provider with no free place. */
const PASSING: ReadonlySet<string> = new Set(['rate_limited', 'too_many_in_flight', 'model_busy']);
const FIRST_MS = 1_000;
/** Each request counts towards the requests a minute, so the waits grow up to this. */
const LONGEST_BACKOFF_MS = 15_000;
/** Conversations of one agent that wait for the same limit do not return together. */
const SPREAD = 0.25;

/**
 * Milliseconds until the same request may be sent again: at least the time that the gateway asks for. Null if waiting
 * does not help, or would be longer than `limitMs` in all. `chance` is from 0 to below 1. Pure.
 */
export function planWait({ code, retryAfterMs }: RefusedAsk, waits: Waits, chance: number): number | null {
  if (!PASSING.has(code)) return null;
  const backoffMs = Math.min(LONGEST_BACKOFF_MS, FIRST_MS * 2 ** waits.count);
  const waitMs = Math.ceil(Math.max(retryAfterMs ?? 0, backoffMs) * (1 + SPREAD * chance));
  return waits.waitedMs + waitMs > waits.limitMs ? null : waitMs;
}
