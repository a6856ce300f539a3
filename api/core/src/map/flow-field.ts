import { STEP_X, STEP_Y } from './directions.ts';
import { MAX_STEP_COST } from './terrain.ts';
import type { WorldMap } from './world-map.ts';

/** Marks a tile from which no path leads to the target. */
export const NO_WAY = 255;

const UNKNOWN = 254;

interface Field {
  /** One byte per tile: the direction to walk. */
  readonly steps: Uint8Array;
  readonly isWhole: boolean;
}

/** Fields by slot. The first walk to a slot creates its field, which lives as long as the map. */
const fieldsOf = new WeakMap<WorldMap, (Field | undefined)[]>();

/** -1 at the border or if the neighbour is not walkable. */
export function neighbour(map: WorldMap, tile: number, direction: number): number {
  const x = (tile % map.width) + (STEP_X[direction] ?? 0);
  const y = Math.floor(tile / map.width) + (STEP_Y[direction] ?? 0);
  if (x < 0 || y < 0 || x >= map.width || y >= map.height) return -1;
  const next = y * map.width + x;
  return map.walkable[next] === 1 ? next : -1;
}

/** Dijkstra with a ring of buckets, until the search reaches `from` (-1: all tiles). Only final steps are returned. */
function growField(map: WorldMap, target: number, from: number): Field {
  const steps = new Uint8Array(map.width * map.height).fill(UNKNOWN);
  const distance = new Int32Array(steps.length).fill(0x7fff_ffff);
  const ring: number[][] = Array.from({ length: MAX_STEP_COST + 1 }, () => []);
  distance[target] = 0;
  steps[target] = 0;
  ring[0]?.push(target);
  const isFound = (reached: number): boolean => from >= 0 && (distance[from] ?? 0) <= reached;
  let [reached, waiting] = [0, 1];
  for (; waiting > 0 && !isFound(reached - 1); reached += 1) waiting += spread(map, { reached, steps, distance, ring });
  if (waiting === 0) return { steps: steps.map((step) => (step === UNKNOWN ? NO_WAY : step)), isWhole: true };
  // The step of a tile that still waits in the queue may change if the search continues.
  for (const tile of ring.flat()) if ((distance[tile] ?? 0) >= reached) steps[tile] = UNKNOWN;
  return { steps, isWhole: false };
}

interface Growth {
  readonly reached: number;
  readonly steps: Uint8Array;
  readonly distance: Int32Array;
  readonly ring: number[][];
}

/** Returns the change in the number of queued tiles. */
function spread(map: WorldMap, growth: Growth): number {
  const { ring, reached } = growth;
  const bucket = ring[reached % ring.length] ?? [];
  let grown = -bucket.length;
  for (const tile of bucket) if (growth.distance[tile] === reached) grown += relax(map, growth, tile);
  bucket.length = 0;
  return grown;
}

/** A step costs as much as the tile that it enters. Returns the number of queued neighbours. */
function relax(map: WorldMap, growth: Growth, tile: number): number {
  const x = tile % map.width;
  return (
    improve(map, growth, { tile, next: tile - map.width, back: 3 }) +
    (x < map.width - 1 ? improve(map, growth, { tile, next: tile + 1, back: 4 }) : 0) +
    improve(map, growth, { tile, next: tile + map.width, back: 1 }) +
    (x > 0 ? improve(map, growth, { tile, next: tile - 1, back: 2 }) : 0)
  );
}

function improve(
  map: WorldMap,
  growth: Growth,
  way: { readonly tile: number; readonly next: number; readonly back: number },
): number {
  const { next } = way;
  const cost = growth.reached + (map.stepCost[way.tile] ?? 0);
  if (map.walkable[next] !== 1 || (growth.distance[next] ?? 0) <= cost) return 0;
  growth.distance[next] = cost;
  growth.steps[next] = way.back;
  growth.ring[cost % growth.ring.length]?.push(next);
  return 1;
}

/**
 * Directions towards a slot: 0 at the slot, NO_WAY without a path. If `from` is given, at least the directions on the
 * path from it are known.
 */
export function flowField(map: WorldMap, slot: number, from = -1): Uint8Array {
  let fields = fieldsOf.get(map);
  if (fields === undefined) {
    fields = [];
    fieldsOf.set(map, fields);
  }
  const known = fields[slot];
  if (known !== undefined && (known.isWhole || (from >= 0 && known.steps[from] !== UNKNOWN))) return known.steps;
  const grown = growField(map, map.slots[slot]?.tile ?? 0, known === undefined ? from : -1);
  fields[slot] = grown;
  return grown.steps;
}
