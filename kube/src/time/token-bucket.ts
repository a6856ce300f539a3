import type { Clock } from './clock.ts';

export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** A rate limiter. It gains `perSecond` tokens a second up to `burst`, and each `take` uses one. */
export class TokenBucket {
  readonly #rate: Rate;
  readonly #clock: Clock;
  #tokens: number;
  #filledAtMs: number;

  constructor(rate: Rate, clock: Clock) {
    this.#rate = rate;
    this.#clock = clock;
    this.#tokens = rate.burst;
    this.#filledAtMs = clock.now();
  }

  /** Milliseconds until there is a token; 0 if there is one. */
  get waitMs(): number {
    this.#refill();
    return this.#tokens >= 1 ? 0 : Math.ceil(((1 - this.#tokens) / this.#rate.perSecond) * 1_000);
  }

  take(): boolean {
    this.#refill();
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  #refill(): void {
    const nowMs = this.#clock.now();
    this.#tokens = Math.min(
      this.#rate.burst,
      this.#tokens + ((nowMs - this.#filledAtMs) / 1_000) * this.#rate.perSecond,
    );
    this.#filledAtMs = nowMs;
  }
}
