import { BucketQueue } from './bucket-queue.ts';
import { STEP_X, STEP_Y } from './directions.ts';
import { isConnected } from './regions.ts';
import { USUAL_STEP_COST } from './terrain.ts';
import type { WorldMap } from './world-map.ts';

/** Up to this many tiles people cut across the grass when one corner is enough. */
const SHORT_WALK_TILES = 48;

/** Working memory of the search, one per map, told apart by a stamp instead of being cleared. */
interface Scratch {
  readonly cost: Int32Array;
  readonly step: Uint8Array;
  /** Stamp of the search that reached a tile, and of the one that is done with it. */
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
    cost: new Int32Array(tiles), step: new Uint8Array(tiles), seen: new Int32Array(tiles), done: new Int32Array(tiles),
    queue: new BucketQueue(), stamp: 0,
  };
  scratchOf.set(map, made);
  return made;
}

/** Tiles of a walk along one axis and then the other, or null when something stands in the way. */
function cornerWalk(map: WorldMap, ends: { from: number; to: number }, axes: readonly [number, number]): number[] | null {
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
  return Math.abs(fromX - toX) + Math.abs((from - fromX) - (to - toX)) / map.width;
}

function walkBack(map: WorldMap, scratch: Scratch, ends: { from: number; to: number }): number[] {
  const tiles = [ends.to];
  for (let tile = ends.to; tile !== ends.from; ) {
    const step = scratch.step[tile] ?? 0;
    tile -= (STEP_X[step] ?? 0) + (STEP_Y[step] ?? 0) * map.width;
    tiles.push(tile);
  }
  return tiles.toReversed();
}

/** Offers one neighbour to the queue, when this is the best way to it so far. */
function offer(map: WorldMap, scratch: Scratch, way: { readonly from: number; readonly next: number; readonly direction: number; readonly to: number }): void {
  const { cost, seen, done, stamp } = scratch;
  const { next } = way;
  const price = map.stepCost[next] ?? 0;
  if (price === 0 || done[next] === stamp) return;
  const total = (cost[way.from] ?? 0) + price;
  if (seen[next] === stamp && (cost[next] ?? 0) <= total) return;
  seen[next] = stamp;
  cost[next] = total;
  scratch.step[next] = way.direction;
  scratch.queue.push(next, total + tilesApart(map, next, way.to) * USUAL_STEP_COST);
}

/** Offers the neighbours of a tile, in the order of the directions. */
function spread(map: WorldMap, scratch: Scratch, reach: { readonly tile: number; readonly to: number }): void {
  const { tile: from, to } = reach;
  const x = from % map.width;
  offer(map, scratch, { from, next: from - map.width, direction: 1, to });
  if (x < map.width - 1) offer(map, scratch, { from, next: from + 1, direction: 2, to });
  offer(map, scratch, { from, next: from + map.width, direction: 3, to });
  if (x > 0) offer(map, scratch, { from, next: from - 1, direction: 4, to });
}

/**
 * A* over the step costs. The estimate is that of grass: roads cost less, so a way may be a little longer than the best,
 * but the search looks at little more than the way itself. Ties fall by the order of the queue, the same everywhere.
 */
function search(map: WorldMap, ends: { from: number; to: number }): number[] | null {
  const scratch = scratchFor(map);
  const { cost, seen, done, queue } = scratch;
  scratch.stamp += 1;
  queue.clear();
  cost[ends.from] = 0;
  seen[ends.from] = scratch.stamp;
  queue.push(ends.from, tilesApart(map, ends.from, ends.to) * USUAL_STEP_COST);
  for (let tile = queue.pop(); tile >= 0; tile = queue.pop()) {
    if (tile === ends.to) return walkBack(map, scratch, ends);
    if (done[tile] === scratch.stamp) continue;
    done[tile] = scratch.stamp;
    spread(map, scratch, { tile, to: ends.to });
  }
  return null;
}

/** The tiles of the walk between two tiles, both included, or null when no way leads there. Fixed by the map alone. */
export function route(map: WorldMap, from: number, to: number): number[] | null {
  if (!isConnected(map, from, to)) return null;
  const ends = { from, to };
  if (tilesApart(map, from, to) <= SHORT_WALK_TILES) {
    const corner = cornerWalk(map, ends, [0, 1]) ?? cornerWalk(map, ends, [1, 0]);
    if (corner !== null) return corner;
  }
  return search(map, ends);
}
