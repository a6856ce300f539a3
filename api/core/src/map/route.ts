import { neighbour } from './flow-field.ts';
import { STEP_X, STEP_Y } from './directions.ts';
import { MIN_STEP_COST } from './terrain.ts';
import type { WorldMap } from './world-map.ts';
import { TileHeap } from './tile-heap.ts';

/** Up to this many tiles people cut across the grass when one corner is enough. */
const SHORT_WALK_TILES = 48;

/** Working memory of the search, one per map, told apart by a stamp instead of being cleared. */
interface Scratch {
  readonly cost: Int32Array;
  readonly step: Uint8Array;
  readonly seen: Int32Array;
  readonly heap: TileHeap;
  stamp: number;
}

const scratchOf = new WeakMap<WorldMap, Scratch>();

function scratchFor(map: WorldMap): Scratch {
  const known = scratchOf.get(map);
  if (known !== undefined) return known;
  const tiles = map.width * map.height;
  const made: Scratch = {
    cost: new Int32Array(tiles), step: new Uint8Array(tiles), seen: new Int32Array(tiles), heap: new TileHeap(), stamp: 0,
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

function estimate(map: WorldMap, tile: number, to: number): number {
  const dx = Math.abs((tile % map.width) - (to % map.width));
  const dy = Math.abs(Math.floor(tile / map.width) - Math.floor(to / map.width));
  return (dx + dy) * MIN_STEP_COST;
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

/** A* over the step costs; ties fall by the order of the heap, which is the same everywhere. */
function search(map: WorldMap, ends: { from: number; to: number }): number[] | null {
  const scratch = scratchFor(map);
  const { cost, step, seen, heap } = scratch;
  scratch.stamp += 1;
  heap.clear();
  cost[ends.from] = 0;
  seen[ends.from] = scratch.stamp;
  heap.push(ends.from, estimate(map, ends.from, ends.to));
  for (let tile = heap.pop(); tile >= 0; tile = heap.pop()) {
    if (tile === ends.to) return walkBack(map, scratch, ends);
    for (let direction = 1; direction <= 4; direction += 1) {
      const next = neighbour(map, tile, direction);
      if (next < 0) continue;
      const total = (cost[tile] ?? 0) + (map.stepCost[next] ?? 0);
      if (seen[next] === scratch.stamp && (cost[next] ?? 0) <= total) continue;
      seen[next] = scratch.stamp;
      cost[next] = total;
      step[next] = direction;
      heap.push(next, total + estimate(map, next, ends.to));
    }
  }
  return null;
}

/** The tiles of the walk between two tiles, both included, or null when no way leads there. Fixed by the map alone. */
export function route(map: WorldMap, from: number, to: number): number[] | null {
  if (map.walkable[to] !== 1) return null;
  const ends = { from, to };
  if (estimate(map, from, to) <= SHORT_WALK_TILES * MIN_STEP_COST) {
    const corner = cornerWalk(map, ends, [0, 1]) ?? cornerWalk(map, ends, [1, 0]);
    if (corner !== null) return corner;
  }
  return search(map, ends);
}
