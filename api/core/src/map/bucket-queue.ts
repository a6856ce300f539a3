/** A queue of tiles; the newest of equal priority comes first, so that a search follows one path. Mutable for speed. */
export class BucketQueue {
  readonly #buckets: number[][] = [];
  #lowest = 0;
  #highest = -1;

  clear(): void {
    for (let priority = 0; priority <= this.#highest; priority += 1) {
      const bucket = this.#buckets[priority];
      if (bucket !== undefined) bucket.length = 0;
    }
    this.#lowest = 0;
    this.#highest = -1;
  }

  push(tile: number, priority: number): void {
    while (this.#buckets.length <= priority) this.#buckets.push([]);
    this.#buckets[priority]?.push(tile);
    if (priority < this.#lowest) this.#lowest = priority;
    if (priority > this.#highest) this.#highest = priority;
  }

  /** -1 if the queue is empty. */
  pop(): number {
    for (; this.#lowest <= this.#highest; this.#lowest += 1) {
      const tile = this.#buckets[this.#lowest]?.pop();
      if (tile !== undefined) return tile;
    }
    return -1;
  }
}
