import type { WorldMap } from './world-map.ts';

const regionsOf = new WeakMap<WorldMap, Uint32Array>();

/** Numbers the tiles that can be reached from one another; 0 where nobody can stand. */
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

/** Whether any way leads between two tiles: known at once, so that asking for an island costs no search. */
export function isConnected(map: WorldMap, from: number, to: number): boolean {
  let regions = regionsOf.get(map);
  if (regions === undefined) {
    regions = floodAll(map);
    regionsOf.set(map, regions);
  }
  return regions[from] === regions[to] && regions[from] !== 0;
}
