/**
 * Does one kind of work for many keys at once, such as bots or conversations, so that a slow one delays no other: one piece of
 * work at a time for each key, and at most `atMost` in all. The keys that waited longest come first.
 */
export class KeyedWork<K> {
  readonly #atMost: number;
  readonly #running = new Map<K, Promise<void>>();
  /** Order of the last starts. */
  #starts = new Map<K, number>();
  #count = 0;

  constructor(atMost: number) {
    this.#atMost = atMost;
  }

  /** The keys whose work runs; only `start` adds to them. */
  running(): readonly K[] {
    return [...this.#running.keys()];
  }

  /** Starts `work` for the keys without running work, as far as there is room. `work` must not reject. */
  start(wanted: readonly K[], work: (each: K) => Promise<void>): void {
    this.#starts = new Map([...this.#starts].filter(([each]) => wanted.includes(each)));
    const resting = wanted
      .filter((each) => !this.#running.has(each))
      .toSorted((a, b) => (this.#starts.get(a) ?? 0) - (this.#starts.get(b) ?? 0));
    for (const each of resting.slice(0, Math.max(0, this.#atMost - this.#running.size))) {
      this.#starts.set(each, (this.#count += 1));
      const running = work(each).finally(() => this.#running.delete(each));
      this.#running.set(each, running);
    }
  }

  /** Resolves when the work that runs now has ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#running.values());
  }
}
