import { wakefulClock, type Clock } from '../time/clock.ts';
import { TokenBucket, type Rate } from '../time/token-bucket.ts';

/** Leases come first, Events last. */
export const PRIORITIES = ['critical', 'normal', 'events'] as const;
export type Priority = (typeof PRIORITIES)[number];

export interface GateLimits {
  readonly perSecond: number;
  readonly burst: number;
  readonly inFlight: number;
}

/** A lease takes one request every two seconds, so more than this limit indicates a faulty loop. */
const CRITICAL_RATE: Rate = { perSecond: 10, burst: 30 };
const EVENTS_RATE: Rate = { perSecond: 10, burst: 25 };
/** Every eighth request comes from the least urgent non-empty lane, so that no lane starves. */
const FAIR_EVERY = 8;
/** The longest pause that one response of the server can cause. */
const MAX_HOLD_MS = 30_000;

interface Lane {
  readonly bucket: TokenBucket;
  readonly waiting: (() => void)[];
  readonly critical: boolean;
}

/** Limits requests: a token bucket and a queue for each priority, and one limit on concurrent requests for all but `critical`. */
export class RequestGate {
  readonly #inFlightLimit: number;
  readonly #clock: Clock;
  readonly #lanes: Readonly<Record<Priority, Lane>>;
  readonly #byUrgency: readonly Lane[];
  #inFlight = 0;
  #admitted = 0;
  #heldUntilMs = 0;
  #cancelTimer: (() => void) | undefined;

  constructor({ perSecond, burst, inFlight }: GateLimits, clock: Clock = wakefulClock) {
    const lane = (rate: Rate, critical = false): Lane => ({
      bucket: new TokenBucket(rate, clock),
      waiting: [],
      critical,
    });
    this.#inFlightLimit = inFlight;
    this.#clock = clock;
    this.#lanes = {
      critical: lane(CRITICAL_RATE, true),
      normal: lane({ perSecond, burst }),
      events: lane(EVENTS_RATE),
    };
    this.#byUrgency = PRIORITIES.map((priority) => this.#lanes[priority]);
  }

  get waiting(): number {
    return this.#byUrgency.reduce((sum, { waiting }) => sum + waiting.length, 0);
  }

  /** Pauses all but `critical` requests for `milliseconds` (30 s at most), as the server requested. */
  hold(milliseconds: number): void {
    this.#heldUntilMs = Math.max(this.#heldUntilMs, this.#clock.now() + Math.min(milliseconds, MAX_HOLD_MS));
  }

  async pass<T>(priority: Priority, request: () => Promise<T>): Promise<T> {
    const lane = this.#lanes[priority];
    await new Promise<void>((admit) => {
      lane.waiting.push(admit);
      this.#admit();
    });
    try {
      return await request();
    } finally {
      if (!lane.critical) this.#inFlight -= 1;
      this.#admit();
    }
  }

  #admit(): void {
    for (let lane = this.#next(); lane !== undefined; lane = this.#next()) {
      lane.bucket.take();
      this.#admitted += 1;
      if (!lane.critical) this.#inFlight += 1;
      lane.waiting.shift()?.();
    }
    this.#admitLater();
  }

  #next(): Lane | undefined {
    const fair = this.#admitted % FAIR_EVERY === FAIR_EVERY - 1;
    const lanes = fair ? this.#byUrgency.toReversed() : this.#byUrgency;
    return lanes.find(
      (lane) =>
        lane.waiting.length > 0 && this.#waitMs(lane) === 0 && (lane.critical || this.#inFlight < this.#inFlightLimit),
    );
  }

  #waitMs({ bucket, critical }: Lane): number {
    return critical ? bucket.waitMs : Math.max(bucket.waitMs, this.#heldUntilMs - this.#clock.now());
  }

  /** Sets a timer for the next waiting request, even a due one, because no later request may arrive to admit it. */
  #admitLater(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const waitsMs = this.#byUrgency
      .filter(({ waiting, critical }) => waiting.length > 0 && (critical || this.#inFlight < this.#inFlightLimit))
      .map((lane) => this.#waitMs(lane));
    if (waitsMs.length === 0) return;
    this.#cancelTimer = this.#clock.after(Math.max(0, Math.ceil(Math.min(...waitsMs))), () => this.#admit());
  }
}
