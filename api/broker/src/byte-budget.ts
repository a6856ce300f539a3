const HOUR_MS = 3_600_000;
const MAX_COUNTERS = 50_000;

interface Counter {
  spent: number;
  readonly since: number;
}

/** Bytes of each rule of an agent in its current hour, which starts with its first byte. */
export class ByteBudget {
  readonly #counters = new Map<string, Counter>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts bytes under a key; false once the hour's limit is passed. */
  spend(key: string, limit: number, bytes: number): boolean {
    const counter = this.#current(key);
    counter.spent += bytes;
    return counter.spent <= limit;
  }

  wait(key: string): number {
    return this.#current(key).since + HOUR_MS - this.#now();
  }

  #current(key: string): Counter {
    const known = this.#counters.get(key);
    if (known !== undefined && this.#now() - known.since < HOUR_MS) return known;
    const fresh = { spent: 0, since: this.#now() };
    this.#counters.delete(key);
    this.#counters.set(key, fresh);
    const oldest = this.#counters.keys().next().value;
    if (this.#counters.size > MAX_COUNTERS && oldest !== undefined) this.#counters.delete(oldest);
    return fresh;
  }
}
