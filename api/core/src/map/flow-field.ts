import { STEP_X, STEP_Y } from './directions.ts';
import { MAX_STEP_COST } from './terrain.ts';
import type { WorldMap } from './world-map.ts';

/** No way leads from a tile with this step to the target. */
export const NO_WAY = 255;

/** The field has not been grown as far as a tile with this step. */
const UNKNOWN = 254;

interface Field {
  /** One byte per tile. */
  readonly steps: Uint8Array;
  readonly isWhole: boolean;
}

/** Fields are made when first walked and kept for the life of the map. */
const fieldsOf = new WeakMap<WorldMap, (Field | undefined)[]>();

/** Neighbour of a tile in a direction, or -1 at the border or if it is not walkable. */
export function neighbour(map: WorldMap, tile: number, direction: number): number {
  const x = (tile % map.width) + (STEP_X[direction] ?? 0);
  const y = Math.floor(tile / map.width) + (STEP_Y[direction] ?? 0);
  if (x < 0 || y < 0 || x >= map.width || y >= map.height) return -1;
  const next = y * map.width + x;
  return map.walkable[next] === 1 ? next : -1;
}

/**
 * Dijkstra outwards from one tile, until `from` is reached or, for -1, everything; costs are small integers, so a ring of buckets is the queue.
 * The steps of tiles that are nearer than the last bucket are final, so a field that ends early agrees with the whole one wherever it knows a step.
 */
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
  // Queued tiles are no nearer than the next bucket; their step may still change if the field grows on.
  for (const tile of ring.flat()) if ((distance[tile] ?? 0) >= reached) steps[tile] = UNKNOWN;
  return { steps, isWhole: false };
}

interface Growth {
  readonly reached: number;
  readonly steps: Uint8Array;
  readonly distance: Int32Array;
  readonly ring: number[][];
}

/** Continues from every tile of the bucket that is reached, which it empties; says by how many more tiles the queue has grown. */
function spread(map: WorldMap, growth: Growth): number {
  const { ring, reached } = growth;
  const bucket = ring[reached % ring.length] ?? [];
  let grown = -bucket.length;
  for (const tile of bucket) if (growth.distance[tile] === reached) grown += relax(map, growth, tile);
  bucket.length = 0;
  return grown;
}

/** Improves the neighbours of one tile and says how many were queued. Walking back pays for the tile walked onto. */
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
 * For every tile the step that leads towards a slot: 0 at the slot, NO_WAY where none leads there. With `from`, only the way from that tile is sure to
 * be in it: the first walk to a slot pays for the ground between, the second from further off for the whole map.
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
