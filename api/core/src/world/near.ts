import { CELL_SIZE, type TilePosition } from '@hamlet/contract';
import { tilePosition } from '../map/path-tiles.ts';
import { positionAt } from './position.ts';
import type { WorldState } from './state/state.ts';

/** Diagonal steps count as one. */
export function distanceBetween(a: TilePosition, b: TilePosition): number {
  return Math.max(Math.abs(a.x - b.x), Math.abs(a.y - b.y));
}

/** `rect` is in tiles. */
function cellsOfRect(
  map: { readonly cellsWide: number; readonly cellsHigh: number },
  rect: { readonly x: number; readonly y: number; readonly width: number; readonly height: number },
): number[] {
  const cells: number[] = [];
  const left = Math.max(0, Math.floor(rect.x / CELL_SIZE));
  const right = Math.min(map.cellsWide - 1, Math.ceil((rect.x + rect.width) / CELL_SIZE) - 1);
  const bottom = Math.min(map.cellsHigh - 1, Math.ceil((rect.y + rect.height) / CELL_SIZE) - 1);
  for (let y = Math.max(0, Math.floor(rect.y / CELL_SIZE)); y <= bottom; y += 1) {
    for (let x = left; x <= right; x += 1) cells.push(y * map.cellsWide + x);
  }
  return cells;
}

/** `radius` in tiles. Nearest first, then by slot. */
export function slotsNear(
  world: WorldState,
  center: TilePosition,
  look: { readonly radius: number; readonly tick: number },
): number[] {
  const side = look.radius * 2 + 1;
  const cells = cellsOfRect(world.map, {
    x: center.x - look.radius,
    y: center.y - look.radius,
    width: side,
    height: side,
  });
  const found = new Map<number, number>();
  for (const cell of cells) {
    for (const slot of world.index.agentsIn(cell)) {
      const distance = distanceBetween(center, positionAt(world, slot, look.tick));
      if (distance <= look.radius) found.set(slot, distance);
    }
  }
  return [...found].toSorted((a, b) => a[1] - b[1] || a[0] - b[0]).map(([slot]) => slot);
}

/** Nearest first, then by number. */
export function itemsNear(world: WorldState, center: TilePosition, radius: number): number[] {
  const side = radius * 2 + 1;
  const found: { readonly number: number; readonly distance: number }[] = [];
  for (const cell of cellsOfRect(world.map, {
    x: center.x - radius,
    y: center.y - radius,
    width: side,
    height: side,
  })) {
    for (const number of world.index.itemsIn(cell)) {
      const tile = world.items.byNumber.get(number)?.tile ?? -1;
      const distance = tile < 0 ? Number.POSITIVE_INFINITY : distanceBetween(center, tilePosition(world.map, tile));
      if (distance <= radius) found.push({ number, distance });
    }
  }
  return found.toSorted((a, b) => a.distance - b.distance || a.number - b.number).map(({ number }) => number);
}

/** Nearest first. */
export function near(
  world: WorldState,
  center: TilePosition,
  look: { readonly radius: number; readonly tick: number },
): string[] {
  return slotsNear(world, center, look).map((slot) => world.agents.ids[slot] ?? '');
}
