import { type Terrain, TERRAINS } from '@hamlet/contract';
import type { TileRect } from './camera.ts';
import { hash2 } from './noise.ts';

export type TileKind = Terrain;

export type TileMap = Readonly<{ width: number; height: number; at(x: number, y: number): TileKind }>;

/** A newer server may send other kinds of tiles; the map draws them as grass. */
export const tileKind = (name: string): TileKind => TERRAINS.find((kind) => kind === name) ?? 'grass';

/** Kinds that are objects on top of another tile. */
const FURNITURE: ReadonlySet<TileKind> = new Set([
  'counter',
  'table',
  'bed',
  'bookshelf',
  'workbench',
  'notice_board',
  'well',
  'stall',
]);
const SURFACES: ReadonlySet<TileKind> = new Set([
  'floor',
  'wood_floor',
  'rug',
  'plaza',
  'road',
  'grass',
  'meadow',
  'sand',
  'soil',
]);

const SIDES = [
  [0, 1],
  [1, 0],
  [-1, 0],
  [0, -1],
] as const;

/** The kind of a tile's ground: its own kind or, for furniture, the kind of the ground around it. */
export function surfaceAt(map: TileMap, x: number, y: number): TileKind {
  const own = map.at(x, y);
  if (!FURNITURE.has(own)) return own;
  for (let away = 1; away <= 3; away++) {
    for (const [dx, dy] of SIDES) {
      const kind = map.at(x + dx * away, y + dy * away);
      if (SURFACES.has(kind)) return kind === 'rug' ? 'wood_floor' : kind;
    }
  }
  return 'grass';
}

/** `terrain` has one byte for each tile, row by row: the index of its kind in `legend`. */
export function createTileMap(
  size: { readonly width: number; readonly height: number },
  terrain: Uint8Array,
  legend: readonly string[],
): TileMap {
  const { width, height } = size;
  const kinds = legend.map(tileKind);
  return {
    width,
    height,
    at(x, y) {
      const column = x < 0 ? 0 : x >= width ? width - 1 : x;
      const row = y < 0 ? 0 : y >= height ? height - 1 : y;
      const kind = kinds[terrain[row * width + column] ?? 0] ?? 'grass';
      return (column === x && row === y) || RUNS_ON.has(kind) ? kind : wilderness(x, y);
    },
  };
}

/** Kinds of tiles that continue beyond the edge of the map; all other kinds become forest there. */
const RUNS_ON: ReadonlySet<TileKind> = new Set(['water', 'deep_water', 'sand', 'road', 'bridge']);

function wilderness(x: number, y: number): TileKind {
  const chance = hash2(x, y, 200);
  if (chance < 0.42) return 'tree';
  return chance < 0.62 ? 'pine' : chance < 0.68 ? 'bush' : 'grass';
}

/** A house: adjacent indoor tiles, such as walls, floors and doors, and the rectangle around them. */
export type Building = Readonly<{ id: number; rect: TileRect; tiles: ReadonlySet<number> }>;

const INDOORS: ReadonlySet<TileKind> = new Set(['floor', 'wood_floor', 'rug', 'wall', 'door', 'window']);

export const isIndoors = (map: TileMap, x: number, y: number): boolean => INDOORS.has(surfaceAt(map, x, y));

/** The houses of a map: every group of at least six adjacent indoor tiles. */
export function findBuildings(map: TileMap): Building[] {
  const seen = new Uint8Array(map.width * map.height);
  const found: Building[] = [];
  for (let tile = 0; tile < seen.length; tile++) {
    if (seen[tile] === 1 || !isIndoors(map, tile % map.width, Math.floor(tile / map.width))) continue;
    const tiles = flood(map, seen, tile);
    if (tiles.length >= 6) found.push({ id: found.length, rect: boundsOf(tiles, map.width), tiles: new Set(tiles) });
  }
  return found;
}

function flood(map: TileMap, seen: Uint8Array, start: number): number[] {
  const tiles = [start];
  seen[start] = 1;
  for (let next = 0; next < tiles.length; next++) {
    const tile = tiles[next] ?? 0;
    const x = tile % map.width;
    const y = Math.floor(tile / map.width);
    for (const [dx, dy] of SIDES) {
      const [nx, ny] = [x + dx, y + dy];
      if (nx < 0 || ny < 0 || nx >= map.width || ny >= map.height) continue;
      const neighbour = ny * map.width + nx;
      if (seen[neighbour] === 1 || !isIndoors(map, nx, ny)) continue;
      seen[neighbour] = 1;
      tiles.push(neighbour);
    }
  }
  return tiles;
}

function boundsOf(tiles: readonly number[], width: number): TileRect {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const tile of tiles) {
    const x = tile % width;
    const y = Math.floor(tile / width);
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, x);
    bottom = Math.max(bottom, y);
  }
  return { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
}
