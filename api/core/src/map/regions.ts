import type { WorldMap } from './world-map.ts';

const regionsOf = new WeakMap<WorldMap, Uint32Array>();

/** The region of each tile; 0 if the tile is not walkable. An agent can walk between any two tiles of a region. */
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

/** The largest region; a tie goes to the first. */
function mainRegion(map: WorldMap): number {
  const known = mainRegionOf.get(map);
  if (known !== undefined) return known;
  const tiles = new Map<number, number>();
  for (const region of regionsFor(map)) if (region !== 0) tiles.set(region, (tiles.get(region) ?? 0) + 1);
  const [main] = [...tiles].reduce((most, next) => (next[1] > most[1] ? next : most), [0, 0]);
  mainRegionOf.set(map, main);
  return main;
}

export function isInMainRegion(map: WorldMap, tile: number): boolean {
  const region = regionsFor(map)[tile] ?? 0;
  return region !== 0 && region === mainRegion(map);
}

/** True if a path connects two tiles. Needs no search: compares the numbers of two regions. */
export function isConnected(map: WorldMap, from: number, to: number): boolean {
  const regions = regionsFor(map);
  return regions[from] === regions[to] && regions[from] !== 0;
}
