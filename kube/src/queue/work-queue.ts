import { systemClock, type Clock } from '../clock.ts';

/** Back-off of one key that fails again and again, as controller-runtime has it. */
const MIN_RETRY_MS = 5;
const MAX_RETRY_MS = 1_000_000;

/** `live` changes go before the first list and resyncs. */
export type Urgency = 'live' | 'bulk';

interface Delayed {
  readonly atMs: number;
  readonly cancel: () => void;
}

/**
 * Keys to work on. A key waits once however often it is added, is worked on by one worker at a time, and waits again
 * after that worker if it was added meanwhile.
 */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #ready: Record<Urgency, Set<string>> = { live: new Set(), bulk: new Set() };
  readonly #processing = new Set<string>();
  /** Added while they were worked on. */
  readonly #again = new Map<string, Urgency>();
  readonly #delayed = new Map<string, Delayed>();
  readonly #failures = new Map<string, number>();
  readonly #takers: ((key: string | undefined) => void)[] = [];
  #closed = false;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
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

  add(key: string, urgency: Urgency = 'live'): void {
    if (this.#closed) return;
    if (this.#processing.has(key)) {
      if (this.#again.get(key) !== 'live') this.#again.set(key, urgency);
      return;
    }
    if (urgency === 'live') this.#ready.bulk.delete(key);
    else if (this.#ready.live.has(key)) return;
    this.#ready[urgency].add(key);
    this.#hand();
  }

  /** Adds the key after `delayMs`. Of two delays the earlier counts. */
  addAfter(key: string, delayMs: number): void {
    if (this.#closed) return;
    if (delayMs <= 0) return this.add(key);
    const atMs = this.#clock.now() + delayMs;
    const earlier = this.#delayed.get(key);
    if (earlier !== undefined && earlier.atMs <= atMs) return;
    earlier?.cancel();
    const cancel = this.#clock.after(delayMs, () => {
      this.#delayed.delete(key);
      this.add(key);
    });
    this.#delayed.set(key, { atMs, cancel });
  }

  /** Adds the key after the back-off of its failures so far, this one included; returns the wait. */
  addAfterFailure(key: string): number {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    const delayMs = Math.min(MAX_RETRY_MS, MIN_RETRY_MS * 2 ** Math.min(failures - 1, 30));
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

  #next(): string | undefined {
    if (this.#closed) return undefined;
    for (const ready of [this.#ready.live, this.#ready.bulk]) {
      const [key] = ready;
      if (key === undefined) continue;
      ready.delete(key);
      this.#processing.add(key);
      return key;
    }
    return undefined;
  }

  #hand(): void {
    const taker = this.#takers.shift();
    if (taker !== undefined) taker(this.#next());
  }
}
