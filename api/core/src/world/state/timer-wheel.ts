const BUCKETS = 1024;

/** Agent slots by due tick. An entry may be outdated: check it against the state. Mutable. */
export class TimerWheel {
  readonly #buckets: { tick: number; slot: number }[][] = Array.from({ length: BUCKETS }, () => []);
  #cursor: number;

  /** Begins after this tick. */
  constructor(tick: number) {
    this.#cursor = tick;
  }

  /** An entry whose tick is past is due at the next `take`. */
  schedule(tick: number, slot: number): void {
    this.#buckets[Math.max(tick, this.#cursor + 1) % BUCKETS]?.push({ tick, slot });
  }

  /** The entry of a replaced path stays until its tick. */
  get size(): number {
    return this.#buckets.reduce((sum, bucket) => sum + bucket.length, 0);
  }

  /** By tick, then slot. */
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
