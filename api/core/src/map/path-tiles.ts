import type { TilePosition } from '@hamlet/contract';
import { STEP_X, STEP_Y } from './directions.ts';
import { NO_WAY, flowField } from './flow-field.ts';
import { route } from './route.ts';
import type { WorldMap } from './world-map.ts';

export const tileIndex = (map: WorldMap, position: TilePosition): number => position.y * map.width + position.x;

export function tilePosition(map: WorldMap, tile: number): TilePosition {
  return { x: tile % map.width, y: Math.floor(tile / map.width) };
}

/** A flow field takes a byte per tile and slot, so larger maps use only the route search. */
const FIELD_MAX_TILES = 512 * 512;

function alongField(map: WorldMap, from: number, slot: number): number[] | null {
  const field = flowField(map, slot, from);
  if (field[from] === NO_WAY) return null;
  const tiles = [from];
  for (let tile = from, step = field[tile] ?? 0; step !== 0; step = field[tile] ?? 0) {
    tile += (STEP_X[step] ?? 0) + (STEP_Y[step] ?? 0) * map.width;
    tiles.push(tile);
  }
  return tiles;
}

/** Null if no path leads there. */
type Walks = Map<number, readonly number[] | null>;

/**
 * A cache of two generations, because a command, its event and replicas need the same walk within a moment: a full
 * `younger` replaces `older`.
 */
interface RecentWalks {
  younger: Walks;
  older: Walks;
}

const recentOf = new WeakMap<WorldMap, RecentWalks>();
const GENERATION_WALKS = 4096;

function recentWalks(map: WorldMap): RecentWalks {
  const known = recentOf.get(map) ?? { younger: new Map(), older: new Map() };
  recentOf.set(map, known);
  return known;
}

function remember(recent: RecentWalks, key: number, walk: readonly number[] | null): void {
  if (recent.younger.size >= GENERATION_WALKS) {
    recent.older = recent.younger;
    recent.younger = new Map();
  }
  recent.younger.set(key, walk);
}

/** Tiles including both ends; null without a path. A walk to a slot uses the flow field, any other the route search. */
export function walkTiles(map: WorldMap, from: number, to: number): readonly number[] | null {
  if (from === to) return [from];
  const recent = recentWalks(map);
  const key = from * map.stepCost.length + to;
  const known = recent.younger.get(key) ?? recent.older.get(key);
  if (known !== undefined || recent.younger.has(key)) return known ?? null;
  const slot = map.stepCost.length > FIELD_MAX_TILES ? undefined : map.slotAt.get(to);
  const walk = slot === undefined ? route(map, from, to) : alongField(map, from, slot);
  remember(recent, key, walk);
  return walk;
}
