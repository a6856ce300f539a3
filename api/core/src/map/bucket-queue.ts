/**
 * A queue of tiles by a small integer priority. If priorities are equal, the newest tile comes first, so that the search follows one path
 * to its end instead of all paths at once. Mutable for speed: the route search keeps its memory between searches.
 */
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

  /** Removes and returns the tile with the lowest priority; -1 if the queue is empty. */
  pop(): number {
    for (; this.#lowest <= this.#highest; this.#lowest += 1) {
      const tile = this.#buckets[this.#lowest]?.pop();
      if (tile !== undefined) return tile;
    }
    return -1;
  }
}
