import { systemClock, type Clock } from '../clock.ts';

/** Back-off of one key that fails again and again, as controller-runtime has it. */
const MIN_RETRY_MS = 5;
const MAX_RETRY_MS = 1_000_000;

/** Every so many-th key is a bulk one, if any waits: a storm of changes does not stop the first list or a resync. */
const FAIR_EVERY = 8;

/** `live` changes go before the first list and resyncs. */
export type Urgency = 'live' | 'bulk';

interface Delayed {
  readonly atMs: number;
  readonly urgency: Urgency;
  readonly cancel: () => void;
}

export interface WorkQueueOptions {
  /** Told of each key that is handed out, and how long it had waited. */
  readonly onTaken?: (key: string, waitedMs: number) => void;
}

/**
 * Keys to work on. A key waits once however often it is added, is worked on by one worker at a time, and waits again
 * after that worker if it was added meanwhile.
 */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #options: WorkQueueOptions;
  /** Keys in their order, and since when they wait. */
  readonly #ready: Record<Urgency, Map<string, number>> = { live: new Map(), bulk: new Map() };
  /** Since when they are worked on. */
  readonly #processing = new Map<string, number>();
  /** Added while they were worked on. */
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

  /** Keys that wait for a worker. */
  get depth(): number {
    return this.#ready.live.size + this.#ready.bulk.size;
  }

  /** Keys that wait for a time. */
  get delayed(): number {
    return this.#delayed.size;
  }

  get processing(): number {
    return this.#processing.size;
  }

  /** Failures that were given another attempt, since the start. */
  get retries(): number {
    return this.#retries;
  }

  /** How long keys have waited without any being taken or done; 0 while there is progress or nothing to do. */
  get stalledMs(): number {
    return this.depth === 0 ? 0 : this.#clock.now() - this.#progressAtMs;
  }

  /** How long the key that is worked on longest has been; 0 if none is. */
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

  /** Adds the key after `delayMs`. Of two delays the earlier counts, and of two urgencies the greater. */
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

  /**
   * Adds the key after the back-off of its failures so far, this one included; returns the wait.
   * @param atLeastMs what the server asks for (Retry-After)
   */
  addAfterFailure(key: string, atLeastMs = 0): number {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    this.#retries += 1;
    const delayMs = Math.max(atLeastMs, Math.min(MAX_RETRY_MS, MIN_RETRY_MS * 2 ** Math.min(failures - 1, 30)));
    this.addAfter(key, delayMs);
    return delayMs;
  }

  /** The key has done well: its back-off starts anew. */
  forgive(key: string): void {
    this.#failures.delete(key);
  }

  /** The next key, when there is one; undefined when the queue is closed. Say `done` when it has been worked on. */
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

  /** Nothing more is added or handed out. */
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
