import { STEP_X, STEP_Y } from '../../map/directions.ts';
import type { WorldMap } from '../../map/world-map.ts';
import type { Walk } from '../walk.ts';

/** Cell a tile lies in. */
export function cellOf(map: WorldMap, tile: number): number {
  return map.cellOf[tile] ?? 0;
}

/** The tile a walk is still leaving when it begins, or its first. */
function tileLeft(map: WorldMap, { tiles, lead }: Pick<Walk, 'tiles' | 'lead'>): number {
  return (tiles[0] ?? 0) - (STEP_X[lead] ?? 0) - (STEP_Y[lead] ?? 0) * map.width;
}

/** Cells a walk crosses, in the order it enters them, each once; that of the tile it is still leaving when it begins comes first. */
export function cellsOfWalk(map: WorldMap, walk: Pick<Walk, 'tiles' | 'lead'>): number[] {
  if (walk.tiles.length === 0) return [];
  let last = cellOf(map, tileLeft(map, walk));
  const cells = [last];
  for (const tile of walk.tiles) {
    const cell = map.cellOf[tile] ?? 0;
    if (cell === last) continue;
    last = cell;
    if (!cells.includes(cell)) cells.push(cell);
  }
  return cells;
}

/**
 * Uniform cells of 16 by 16 tiles. An agent is listed in every cell its path crosses, so whoever looks at a cell has heard of
 * everybody who will walk through it. Mutable: an index beside the state, derived from it.
 */
export class CellIndex {
  readonly #map: WorldMap;
  readonly #agents: Set<number>[];
  readonly #items: Set<number>[];
  readonly #cells: (readonly number[])[] = [];

  constructor(map: WorldMap) {
    this.#map = map;
    const count = map.cellsWide * map.cellsHigh;
    this.#agents = Array.from({ length: count }, () => new Set<number>());
    this.#items = Array.from({ length: count }, () => new Set<number>());
  }

  /** Cells the agent's path crosses. */
  cellsOf(slot: number): readonly number[] {
    return this.#cells[slot] ?? [];
  }

  agentsIn(cell: number): ReadonlySet<number> {
    return this.#agents[cell] ?? new Set();
  }

  /** Numbers of the items that lie in a cell. */
  itemsIn(cell: number): ReadonlySet<number> {
    return this.#items[cell] ?? new Set();
  }

  /** Lists an agent under a new walk; an empty one takes it out. */
  place(slot: number, walk: Pick<Walk, 'tiles' | 'lead'>): void {
    const before = this.cellsOf(slot);
    const cells = cellsOfWalk(this.#map, walk);
    for (const cell of before) if (!cells.includes(cell)) this.#agents[cell]?.delete(slot);
    for (const cell of cells) if (!before.includes(cell)) this.#agents[cell]?.add(slot);
    this.#cells[slot] = cells;
  }

  lay(number: number, tile: number): void {
    this.#items[cellOf(this.#map, tile)]?.add(number);
  }

  lift(number: number, tile: number): void {
    this.#items[cellOf(this.#map, tile)]?.delete(number);
  }
}
