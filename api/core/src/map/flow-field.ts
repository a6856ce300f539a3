import { STEP_X, STEP_Y } from './directions.ts';
import { MAX_STEP_COST } from './terrain.ts';
import type { WorldMap } from './world-map.ts';

/** No way leads from a tile with this step to the target. */
export const NO_WAY = 255;

/** Fields are made when first walked and kept for the life of the map: one byte per tile and slot. */
const fieldsOf = new WeakMap<WorldMap, (Uint8Array | undefined)[]>();

/** The neighbour of a tile in a direction, or -1 at the border of the map or where nobody can stand. */
export function neighbour(map: WorldMap, tile: number, direction: number): number {
  const x = (tile % map.width) + (STEP_X[direction] ?? 0);
  const y = Math.floor(tile / map.width) + (STEP_Y[direction] ?? 0);
  if (x < 0 || y < 0 || x >= map.width || y >= map.height) return -1;
  const next = y * map.width + x;
  return map.walkable[next] === 1 ? next : -1;
}

/** Dijkstra outwards from one tile; costs are small integers, so a ring of buckets is the queue. */
function growField(map: WorldMap, target: number): Uint8Array {
  const steps = new Uint8Array(map.width * map.height).fill(NO_WAY);
  const distance = new Int32Array(steps.length).fill(0x7fff_ffff);
  const ring: number[][] = Array.from({ length: MAX_STEP_COST + 1 }, () => []);
  distance[target] = 0;
  steps[target] = 0;
  ring[0]?.push(target);
  for (let reached = 0, waiting = 1; waiting > 0; reached += 1) {
    const bucket = ring[reached % ring.length] ?? [];
    waiting -= bucket.length;
    for (const tile of bucket) {
      if (distance[tile] === reached) waiting += relax(map, { tile, reached, steps, distance, ring });
    }
    bucket.length = 0;
  }
  return steps;
}

interface Growth {
  readonly tile: number;
  readonly reached: number;
  readonly steps: Uint8Array;
  readonly distance: Int32Array;
  readonly ring: number[][];
}

/** Improves the neighbours of one tile and says how many were queued. Walking back pays for the tile walked onto. */
function relax(map: WorldMap, growth: Growth): number {
  const { tile } = growth;
  const x = tile % map.width;
  return (
    improve(map, growth, { next: tile - map.width, back: 3 }) +
    (x < map.width - 1 ? improve(map, growth, { next: tile + 1, back: 4 }) : 0) +
    improve(map, growth, { next: tile + map.width, back: 1 }) +
    (x > 0 ? improve(map, growth, { next: tile - 1, back: 2 }) : 0)
  );
}

function improve(map: WorldMap, growth: Growth, way: { readonly next: number; readonly back: number }): number {
  const { next } = way;
  const cost = growth.reached + (map.stepCost[growth.tile] ?? 0);
  if (map.walkable[next] !== 1 || (growth.distance[next] ?? 0) <= cost) return 0;
  growth.distance[next] = cost;
  growth.steps[next] = way.back;
  growth.ring[cost % growth.ring.length]?.push(next);
  return 1;
}

/** For every tile the step that leads towards a slot: 0 at the slot, NO_WAY where none leads there. */
export function flowField(map: WorldMap, slot: number): Uint8Array {
  let fields = fieldsOf.get(map);
  if (fields === undefined) {
    fields = [];
    fieldsOf.set(map, fields);
  }
  const known = fields[slot];
  if (known !== undefined) return known;
  const grown = growField(map, map.slots[slot]?.tile ?? 0);
  fields[slot] = grown;
  return grown;
}
