const BUCKETS = 1024;

/** A queue of agent slots by due tick. An entry may be outdated, so the caller checks it against the state. Mutable. */
export class TimerWheel {
  readonly #buckets: { tick: number; slot: number }[][] = Array.from({ length: BUCKETS }, () => []);
  #cursor: number;

  /** @param tick the queue begins after this tick */
  constructor(tick: number) {
    this.#cursor = tick;
  }

  /** Adds an entry. The next `take` returns an entry whose tick is past. */
  schedule(tick: number, slot: number): void {
    this.#buckets[Math.max(tick, this.#cursor + 1) % BUCKETS]?.push({ tick, slot });
  }

  /** Number of waiting entries. The entry of a replaced path stays until its tick. */
  get size(): number {
    return this.#buckets.reduce((sum, bucket) => sum + bucket.length, 0);
  }

  /** Removes and returns the entries up to a tick, ordered by tick, then slot. */
  take(tick: number): { tick: number; slot: number }[] {
    const due: { tick: number; slot: number }[] = [];
    const turns = Math.min(BUCKETS, tick - this.#cursor);
    for (let turn = 1; turn <= turns; turn += 1) {
      const at = (this.#cursor + turn) % BUCKETS;
      const bucket = this.#buckets[at] ?? [];
      if (bucket.length === 0) continue;
      due.push(...bucket.filter((entry) => entry.tick <= tick));
      this.#buckets[at] = bucket.filter((entry) => entry.tick > tick);
    }
    this.#cursor = Math.max(this.#cursor, tick);
    return due.toSorted((a, b) => a.tick - b.tick || a.slot - b.slot);
  }
}
