import { refused } from '../http/outcome.ts';
import type { Refused } from '../http/outcome.ts';

/** So many wrong passwords for one name from one address, and for one address whatever the name, in one window. */
const PER_NAME = 10;
const PER_ADDRESS = 50;
const WINDOW_MS = 300_000;
const TRACKED_MAX = 20_000;

/**
 * Slows down who guesses passwords: what counts is failures alone. Counted in this process, so N replicas allow N times as many; that is
 * still far from what guessing needs. Mutable because it is a counter; above 20,000 keys the ended windows are forgotten, then all.
 */
export class SignInThrottle {
  readonly #failures = new Map<string, { count: number; endsMs: number }>();
  readonly #monotonicMs: () => number;

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs;
  }

  /** A refusal where too much has failed already; null lets the attempt be made. */
  refuse(name: string, address: string): Refused | null {
    const nowMs = this.#monotonicMs();
    for (const [key, max] of limitsOf(name, address)) {
      const window = this.#failures.get(key);
      if (window === undefined || window.endsMs <= nowMs || window.count < max) continue;
      const waitS = Math.ceil((window.endsMs - nowMs) / 1_000);
      return { ...refused('rate_limited', `Too many wrong passwords; wait ${waitS} s`), retryAfterS: waitS };
    }
    return null;
  }

  /** Counts a failure. */
  note(name: string, address: string): void {
    const nowMs = this.#monotonicMs();
    if (this.#failures.size >= TRACKED_MAX) this.#forget(nowMs);
    for (const [key] of limitsOf(name, address)) {
      const window = this.#failures.get(key);
      if (window === undefined || window.endsMs <= nowMs) this.#failures.set(key, { count: 1, endsMs: nowMs + WINDOW_MS });
      else window.count += 1;
    }
  }

  #forget(nowMs: number): void {
    for (const [key, { endsMs }] of this.#failures) if (endsMs <= nowMs) this.#failures.delete(key);
    if (this.#failures.size >= TRACKED_MAX) this.#failures.clear();
  }
}

function limitsOf(name: string, address: string): readonly (readonly [string, number])[] {
  return [[`name ${name.toLowerCase()} at ${address}`, PER_NAME], [`address ${address}`, PER_ADDRESS]];
}
