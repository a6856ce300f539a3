/**
 * A binary heap of tiles by priority, then by age (later first, which follows one way to its end instead of all at once).
 * Mutable: it is the inner loop of the route search and keeps its memory between searches.
 */
export class TileHeap {
  #tiles: number[] = [];
  #priorities: number[] = [];

  clear(): void {
    this.#tiles.length = 0;
    this.#priorities.length = 0;
  }

  push(tile: number, priority: number): void {
    let at = this.#tiles.length;
    this.#tiles.push(tile);
    this.#priorities.push(priority);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if ((this.#priorities[parent] ?? 0) < priority) break;
      this.#move(parent, at);
      at = parent;
    }
    this.#tiles[at] = tile;
    this.#priorities[at] = priority;
  }

  /** The first tile, or -1 when the heap is empty. */
  pop(): number {
    const first = this.#tiles[0];
    const tile = this.#tiles.pop();
    const priority = this.#priorities.pop();
    if (first === undefined || tile === undefined || priority === undefined) return -1;
    if (this.#tiles.length > 0) this.#sink(tile, priority);
    return first;
  }

  #sink(tile: number, priority: number): void {
    const { length } = this.#tiles;
    let at = 0;
    for (let child = 1; child < length; child = at * 2 + 1) {
      if (child + 1 < length && (this.#priorities[child + 1] ?? 0) < (this.#priorities[child] ?? 0)) child += 1;
      if ((this.#priorities[child] ?? 0) >= priority) break;
      this.#move(child, at);
      at = child;
    }
    this.#tiles[at] = tile;
    this.#priorities[at] = priority;
  }

  #move(from: number, to: number): void {
    this.#tiles[to] = this.#tiles[from] ?? 0;
    this.#priorities[to] = this.#priorities[from] ?? 0;
  }
}
