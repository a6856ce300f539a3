import { wakefulClock, type Clock } from '../clock.ts';
import { TokenBucket, type Rate } from './token-bucket.ts';

/** Leases go before everything else, and Events come last. */
export const PRIORITIES = ['critical', 'normal', 'events'] as const;
export type Priority = (typeof PRIORITIES)[number];

/** What the gate lets through. */
export interface GateLimits {
  /** Requests a second in the long run: of `normal` ones. */
  readonly perSecond: number;
  /** Requests at once after a pause, likewise. */
  readonly burst: number;
  /** Requests without an answer at one time. `critical` ones are not counted: connections are kept for them. */
  readonly inFlight: number;
}

/** A lease takes one request every two seconds: more than this is a loop gone wrong. */
const CRITICAL_RATE: Rate = { perSecond: 10, burst: 30 };
const EVENTS_RATE: Rate = { perSecond: 10, burst: 25 };
/** Every so many-th request is of the least urgent lane that has one, so that no lane waits for ever. */
const FAIR_EVERY = 8;
/** No answer of the server holds the gate longer than this. */
const MAX_HOLD_MS = 30_000;

interface Lane {
  readonly bucket: TokenBucket;
  readonly waiting: (() => void)[];
  readonly critical: boolean;
}

/** Lanes by priority, each with a token bucket and a waiting list; one limit on requests in flight for all but `critical`. */
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

  /** Requests that wait for their turn. */
  get waiting(): number {
    return this.#byUrgency.reduce((sum, { waiting }) => sum + waiting.length, 0);
  }

  /** Requests without an answer, without `critical` ones. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** The server asks for a pause: nothing but `critical` passes for `milliseconds` (30 s at most). */
  hold(milliseconds: number): void {
    this.#heldUntilMs = Math.max(this.#heldUntilMs, this.#clock.now() + Math.min(milliseconds, MAX_HOLD_MS));
  }

  /** Runs `request` when its turn has come. */
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

  /**
   * Where a lane waits for a time and not for an answer. Its time may have come since it was looked at last: then at once, since
   * nobody else may ever ask again.
   */
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
