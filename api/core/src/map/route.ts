import { STEP_X, STEP_Y } from './directions.ts';
import { isConnected } from './regions.ts';
import { USUAL_STEP_COST } from './terrain.ts';
import type { WorldMap } from './world-map.ts';

/** A priority queue of tiles; among equal priorities the newest comes first, so that a search follows one path. Mutable for speed. */
class BucketQueue {
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

/** Walks of at most this many tiles take the direct path with one corner, even across grass, if it is free. */
const SHORT_WALK_TILES = 48;

/** Each search has its own stamp, so the arrays need no clearing. */
interface Scratch {
  readonly cost: Int32Array;
  readonly step: Uint8Array;
  /** Stamp of the last search that reached (`seen`) or finished (`done`) a tile. */
  readonly seen: Int32Array;
  readonly done: Int32Array;
  readonly queue: BucketQueue;
  stamp: number;
}

const scratchOf = new WeakMap<WorldMap, Scratch>();

function scratchFor(map: WorldMap): Scratch {
  const known = scratchOf.get(map);
  if (known !== undefined) return known;
  const tiles = map.width * map.height;
  const made: Scratch = {
    cost: new Int32Array(tiles),
    step: new Uint8Array(tiles),
    seen: new Int32Array(tiles),
    done: new Int32Array(tiles),
    queue: new BucketQueue(),
    stamp: 0,
  };
  scratchOf.set(map, made);
  return made;
}

/** Null if a tile on the walk is not walkable. */
function cornerWalk(
  map: WorldMap,
  ends: { from: number; to: number },
  axes: readonly [number, number],
): number[] | null {
  const tiles = [ends.from];
  let tile = ends.from;
  for (const axis of axes) {
    const here = axis === 0 ? tile % map.width : Math.floor(tile / map.width);
    const there = axis === 0 ? ends.to % map.width : Math.floor(ends.to / map.width);
    const step = Math.sign(there - here) * (axis === 0 ? 1 : map.width);
    for (let left = Math.abs(there - here); left > 0; left -= 1) {
      tile += step;
      if (map.walkable[tile] !== 1) return null;
      tiles.push(tile);
    }
  }
  return tiles;
}

function tilesApart(map: WorldMap, from: number, to: number): number {
  const [fromX, toX] = [from % map.width, to % map.width];
  return Math.abs(fromX - toX) + Math.abs(from - fromX - (to - toX)) / map.width;
}

function walkBack(map: WorldMap, scratch: Scratch, ends: { from: number; to: number }): number[] {
  const tiles = [ends.to];
  for (let tile = ends.to; tile !== ends.from;) {
    const step = scratch.step[tile] ?? 0;
    tile -= (STEP_X[step] ?? 0) + (STEP_Y[step] ?? 0) * map.width;
    tiles.push(tile);
  }
  return tiles.toReversed();
}

/** Stores numbers in fields, so that the inner loop rarely allocates or divides. */
class Spread {
  readonly #map: WorldMap;
  readonly #scratch: Scratch;
  readonly #toX: number;
  readonly #toY: number;
  #cost = 0;

  constructor(map: WorldMap, scratch: Scratch, to: number) {
    this.#map = map;
    this.#scratch = scratch;
    this.#toX = to % map.width;
    this.#toY = (to - this.#toX) / map.width;
  }

  from(tile: number): void {
    const { width } = this.#map;
    const x = tile % width;
    const y = (tile - x) / width;
    const [apartX, apartY] = [Math.abs(x - this.#toX), Math.abs(y - this.#toY)];
    this.#cost = this.#scratch.cost[tile] ?? 0;
    this.#offer(tile - width, 1, apartX + Math.abs(y - 1 - this.#toY));
    if (x < width - 1) this.#offer(tile + 1, 2, Math.abs(x + 1 - this.#toX) + apartY);
    this.#offer(tile + width, 3, apartX + Math.abs(y + 1 - this.#toY));
    if (x > 0) this.#offer(tile - 1, 4, Math.abs(x - 1 - this.#toX) + apartY);
  }

  /** `apart` is the distance from the target in tiles. */
  #offer(next: number, direction: number, apart: number): void {
    const { cost, seen, done, stamp, step, queue } = this.#scratch;
    const price = this.#map.stepCost[next] ?? 0;
    if (price === 0 || done[next] === stamp) return;
    const total = this.#cost + price;
    if (seen[next] === stamp && (cost[next] ?? 0) <= total) return;
    seen[next] = stamp;
    cost[next] = total;
    step[next] = direction;
    queue.push(next, total + apart * USUAL_STEP_COST);
  }
}

/** A* with the cost of grass as its heuristic: a route may cost slightly more than the best, but the search reads few tiles. */
function search(map: WorldMap, ends: { from: number; to: number }): number[] | null {
  const scratch = scratchFor(map);
  const { cost, seen, done, queue } = scratch;
  scratch.stamp += 1;
  queue.clear();
  cost[ends.from] = 0;
  seen[ends.from] = scratch.stamp;
  queue.push(ends.from, tilesApart(map, ends.from, ends.to) * USUAL_STEP_COST);
  const spread = new Spread(map, scratch, ends.to);
  for (let tile = queue.pop(); tile >= 0; tile = queue.pop()) {
    if (tile === ends.to) return walkBack(map, scratch, ends);
    if (done[tile] === scratch.stamp) continue;
    done[tile] = scratch.stamp;
    spread.from(tile);
  }
  return null;
}

/** The tiles of a route including both ends; null if no path leads there. Depends only on the map. */
export function route(map: WorldMap, from: number, to: number): number[] | null {
  if (!isConnected(map, from, to)) return null;
  const ends = { from, to };
  if (tilesApart(map, from, to) <= SHORT_WALK_TILES) {
    const corner = cornerWalk(map, ends, [0, 1]) ?? cornerWalk(map, ends, [1, 0]);
    if (corner !== null) return corner;
  }
  return search(map, ends);
}
