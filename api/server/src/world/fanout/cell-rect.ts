import { CELL_SIZE } from '@hamlet/contract';
import type { WorldMap } from '@hamlet/core';

/** A rectangle in cells, not in tiles. */
export interface CellRect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export const NO_CELLS: CellRect = { x: 0, y: 0, width: 0, height: 0 };

function span(start: number, length: number, limit: number): { readonly first: number; readonly count: number } {
  const first = Math.min(Math.max(0, Math.floor(start / CELL_SIZE)), limit);
  const end = Math.min(Math.max(first, Math.ceil((start + length) / CELL_SIZE)), limit);
  return { first, count: end - first };
}

export function cellRect(
  map: WorldMap,
  view: { readonly x: number; readonly y: number; readonly width: number; readonly height: number },
): CellRect {
  const across = span(view.x, view.width, map.cellsWide);
  const down = span(view.y, view.height, map.cellsHigh);
  return { x: across.first, y: down.first, width: across.count, height: down.count };
}

/** The rectangle comes from a viewer, so a loop over it must end at the map's edge. */
export function clippedCells(map: WorldMap, rect: CellRect): CellRect {
  const clip = (value: number, limit: number): number => Math.min(Math.max(0, value), limit);
  const [x, y] = [clip(rect.x, map.cellsWide), clip(rect.y, map.cellsHigh)];
  return {
    x,
    y,
    width: clip(rect.x + rect.width, map.cellsWide) - x,
    height: clip(rect.y + rect.height, map.cellsHigh) - y,
  };
}

export function rectHas(rect: CellRect, map: WorldMap, cell: number): boolean {
  const y = Math.floor(cell / map.cellsWide);
  const x = cell - y * map.cellsWide;
  return x >= rect.x && y >= rect.y && x < rect.x + rect.width && y < rect.y + rect.height;
}

export function eachCell(rect: CellRect, map: WorldMap, visit: (cell: number) => void): void {
  for (let y = rect.y; y < rect.y + rect.height; y += 1) {
    for (let x = rect.x; x < rect.x + rect.width; x += 1) visit(y * map.cellsWide + x);
  }
}

export function sameRect(a: CellRect, b: CellRect): boolean {
  return a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;
}
