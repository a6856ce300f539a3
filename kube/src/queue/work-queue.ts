import { backoffMs } from '../time/backoff.ts';
import { systemClock, type Clock } from '../time/clock.ts';

/** Back-off of one key that keeps failing, as in controller-runtime. */
const RETRY = { firstMs: 5, maxMs: 1_000_000 } as const;

/** Every eighth key is a bulk key, if one is waiting, so that a storm of changes never stops the first list or a resync. */
const FAIR_EVERY = 8;

/** A `live` key (a change) comes before a `bulk` key (the first list or a resync). */
export type Urgency = 'live' | 'bulk';

interface Delayed {
  readonly atMs: number;
  readonly urgency: Urgency;
  readonly cancel: () => void;
}

interface WorkQueueOptions {
  /** Called for each key that a worker takes, with the milliseconds that it waited. */
  readonly onTaken?: (key: string, waitedMs: number) => void;
}

/** A queue of keys. A key waits at most once and has at most one worker. A key added during its work waits for its end. */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #options: WorkQueueOptions;
  readonly #ready: Record<Urgency, Map<string, number>> = { live: new Map(), bulk: new Map() };
  readonly #processing = new Map<string, number>();
  readonly #again = new Map<string, Urgency>();
  readonly #delayed = new Map<string, Delayed>();
  readonly #failures = new Map<string, number>();
  readonly #takers: ((key: string | undefined) => void)[] = [];
  #taken = 0;
  #retries = 0;
  #progressAtMs: number;
  #closed = false;

  constructor(clock: Clock = systemClock, options: WorkQueueOptions = {}) {
    this.#clock = clock;
    this.#options = options;
    this.#progressAtMs = clock.now();
  }

  get depth(): number {
    return this.#ready.live.size + this.#ready.bulk.size;
  }

  get delayed(): number {
    return this.#delayed.size;
  }

  get processing(): number {
    return this.#processing.size;
  }

  get retries(): number {
    return this.#retries;
  }

  /** How long keys have waited, in ms, while no worker took or finished any; 0 while there is progress or the queue is empty. */
  get stalledMs(): number {
    return this.depth === 0 ? 0 : this.#clock.now() - this.#progressAtMs;
  }

  get longestMs(): number {
    const [since] = this.#processing.values();
    return since === undefined ? 0 : this.#clock.now() - since;
  }

  add(key: string, urgency: Urgency = 'live'): void {
    if (this.#closed) return;
    if (this.#processing.has(key)) {
      if (this.#again.get(key) !== 'live') this.#again.set(key, urgency);
      return;
    }
    const { live, bulk } = this.#ready;
    if (live.has(key)) return;
    const nowMs = this.#clock.now();
    if (this.depth === 0) this.#progressAtMs = nowMs;
    if (urgency === 'live') {
      live.set(key, bulk.get(key) ?? nowMs);
      bulk.delete(key);
    } else if (!bulk.has(key)) bulk.set(key, nowMs);
    this.#hand();
  }

  /** Adds the key after `delayMs`. The earlier of two delays wins, and so does the greater of two urgencies. */
  addAfter(key: string, delayMs: number, urgency: Urgency = 'live'): void {
    if (this.#closed) return;
    if (delayMs <= 0) return this.add(key, urgency);
    const wished = { atMs: this.#clock.now() + delayMs, urgency };
    const earlier = this.#delayed.get(key);
    if (earlier === undefined) return this.#delay(key, wished);
    if (earlier.atMs <= wished.atMs && (earlier.urgency === 'live' || urgency === 'bulk')) return;
    earlier.cancel();
    this.#delay(key, {
      atMs: Math.min(earlier.atMs, wished.atMs),
      urgency: earlier.urgency === 'live' ? 'live' : urgency,
    });
  }

  /** Adds the key after its back-off, or after `atLeastMs` (Retry-After) if that is longer. Returns the wait in ms. */
  addAfterFailure(key: string, atLeastMs = 0): number {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    this.#retries += 1;
    const delayMs = Math.max(atLeastMs, backoffMs(failures, RETRY));
    this.addAfter(key, delayMs);
    return delayMs;
  }

  forgive(key: string): void {
    this.#failures.delete(key);
  }

  /** The next key, once there is one; undefined when the queue is closed. Call `done` after the work. */
  take(): Promise<string | undefined> {
    const key = this.#next();
    if (key !== undefined || this.#closed) return Promise.resolve(key);
    return new Promise((resolve) => this.#takers.push(resolve));
  }

  done(key: string): void {
    this.#processing.delete(key);
    this.#progressAtMs = this.#clock.now();
    const urgency = this.#again.get(key);
    this.#again.delete(key);
    if (urgency !== undefined) this.add(key, urgency);
  }

  close(): void {
    this.#closed = true;
    for (const { cancel } of this.#delayed.values()) cancel();
    this.#delayed.clear();
    for (const taker of this.#takers.splice(0)) taker(undefined);
  }

  #delay(key: string, { atMs, urgency }: Omit<Delayed, 'cancel'>): void {
    const cancel = this.#clock.after(Math.max(0, atMs - this.#clock.now()), () => {
      this.#delayed.delete(key);
      this.add(key, urgency);
    });
    this.#delayed.set(key, { atMs, urgency, cancel });
  }

  #next(): string | undefined {
    if (this.#closed || this.depth === 0) return undefined;
    const { live, bulk } = this.#ready;
    const bulkFirst = this.#taken % FAIR_EVERY === FAIR_EVERY - 1 && bulk.size > 0;
    const ready = live.size === 0 || bulkFirst ? bulk : live;
    const [[key, sinceMs] = ['', 0]] = ready;
    const nowMs = this.#clock.now();
    ready.delete(key);
    this.#taken += 1;
    this.#progressAtMs = nowMs;
    this.#processing.set(key, nowMs);
    this.#options.onTaken?.(key, nowMs - sinceMs);
    return key;
  }

  #hand(): void {
    const taker = this.#takers.shift();
    if (taker !== undefined) taker(this.#next());
  }
}
