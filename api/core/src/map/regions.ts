import type { WorldMap } from './world-map.ts';

const regionsOf = new WeakMap<WorldMap, Uint32Array>();

/** Region number of each tile: tiles of one region reach each other; 0 if not walkable. */
function floodAll(map: WorldMap): Uint32Array {
  const regions = new Uint32Array(map.width * map.height);
  const open: number[] = [];
  let last = 0;
  const visit = (tile: number): void => {
    if (map.walkable[tile] !== 1 || regions[tile] !== 0) return;
    regions[tile] = last;
    open.push(tile);
  };
  for (let start = 0; start < regions.length; start += 1) {
    if (map.walkable[start] !== 1 || regions[start] !== 0) continue;
    last += 1;
    visit(start);
    for (let tile = open.pop(); tile !== undefined; tile = open.pop()) {
      const x = tile % map.width;
      if (x > 0) visit(tile - 1);
      if (x < map.width - 1) visit(tile + 1);
      visit(tile - map.width);
      visit(tile + map.width);
    }
  }
  return regions;
}

function regionsFor(map: WorldMap): Uint32Array {
  const known = regionsOf.get(map) ?? floodAll(map);
  regionsOf.set(map, known);
  return known;
}

const mainRegionOf = new WeakMap<WorldMap, number>();

/** The region with the most tiles; the first of equals. */
function mainRegion(map: WorldMap): number {
  const known = mainRegionOf.get(map);
  if (known !== undefined) return known;
  const tiles = new Map<number, number>();
  for (const region of regionsFor(map)) if (region !== 0) tiles.set(region, (tiles.get(region) ?? 0) + 1);
  const [main] = [...tiles].reduce((most, next) => (next[1] > most[1] ? next : most), [0, 0]);
  mainRegionOf.set(map, main);
  return main;
}

/** Whether a tile belongs to the largest part of the map whose tiles can be reached from one another. */
export function isInMainRegion(map: WorldMap, tile: number): boolean {
  const region = regionsFor(map)[tile] ?? 0;
  return region !== 0 && region === mainRegion(map);
}

/** Whether any way leads between two tiles: known at once, so that asking for an island costs no search. */
export function isConnected(map: WorldMap, from: number, to: number): boolean {
  const regions = regionsFor(map);
  return regions[from] === regions[to] && regions[from] !== 0;
}
