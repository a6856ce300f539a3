const BUCKETS = 1024;

/** Slots by their due tick. Entries are hints to check against the state. Mutable: a queue. */
export class TimerWheel {
  readonly #buckets: { tick: number; slot: number }[][] = Array.from({ length: BUCKETS }, () => []);
  #cursor: number;

  /** @param tick everything due up to this tick has been handled */
  constructor(tick: number) {
    this.#cursor = tick;
  }

  /** An entry in the past falls due at the next turn. */
  schedule(tick: number, slot: number): void {
    this.#buckets[Math.max(tick, this.#cursor + 1) % BUCKETS]?.push({ tick, slot });
  }

  /** Entries that wait; a replaced path leaves its entry until that falls due. */
  get size(): number {
    return this.#buckets.reduce((sum, bucket) => sum + bucket.length, 0);
  }

  /** Removes and returns what is due up to a tick, ordered by tick, then slot. */
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
