import { systemClock, type Clock } from '../clock.ts';

/** Leases go before writes that people wait for, and those before what may lag: late statuses, events. */
export const PRIORITIES = ['critical', 'normal', 'bulk'] as const;
export type Priority = (typeof PRIORITIES)[number];

/** What the gate lets through. */
export interface GateLimits {
  /** Requests a second in the long run. */
  readonly perSecond: number;
  /** Requests at once after a pause. */
  readonly burst: number;
  /** Requests without an answer at one time. `critical` ones are not counted. */
  readonly inFlight: number;
}

interface Waiter {
  readonly admit: () => void;
}

/** A token bucket with a limit on requests in flight and three waiting lists. `critical` requests never wait. */
export class RequestGate {
  readonly #limits: GateLimits;
  readonly #clock: Clock;
  readonly #waiting: Record<Exclude<Priority, 'critical'>, Waiter[]> = { normal: [], bulk: [] };
  #tokens: number;
  #filledAtMs: number;
  #inFlight = 0;
  #waitsForTokens = false;

  constructor(limits: GateLimits, clock: Clock = systemClock) {
    this.#limits = limits;
    this.#clock = clock;
    this.#tokens = limits.burst;
    this.#filledAtMs = clock.now();
  }

  /** Requests that wait for their turn. */
  get waiting(): number {
    return this.#waiting.normal.length + this.#waiting.bulk.length;
  }

  /** Runs `request` when its turn has come. */
  async pass<T>(priority: Priority, request: () => Promise<T>): Promise<T> {
    if (priority === 'critical') return request();
    await new Promise<void>((admit) => {
      this.#waiting[priority].push({ admit });
      this.#admit();
    });
    try {
      return await request();
    } finally {
      this.#inFlight -= 1;
      this.#admit();
    }
  }

  #admit(): void {
    this.#refill();
    while (this.waiting > 0 && this.#tokens >= 1 && this.#inFlight < this.#limits.inFlight) {
      const next = this.#waiting.normal.shift() ?? this.#waiting.bulk.shift();
      this.#tokens -= 1;
      this.#inFlight += 1;
      next?.admit();
    }
    if (this.waiting > 0 && this.#tokens < 1) this.#admitWhenFilled();
  }

  #admitWhenFilled(): void {
    if (this.#waitsForTokens) return;
    this.#waitsForTokens = true;
    this.#clock.after(Math.ceil(((1 - this.#tokens) / this.#limits.perSecond) * 1_000), () => {
      this.#waitsForTokens = false;
      this.#admit();
    });
  }

  #refill(): void {
    const now = this.#clock.now();
    this.#tokens = Math.min(this.#limits.burst, this.#tokens + ((now - this.#filledAtMs) / 1_000) * this.#limits.perSecond);
    this.#filledAtMs = now;
  }
}
