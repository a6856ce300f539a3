import { STEP_X, STEP_Y } from '../../map/directions.ts';
import type { WorldMap } from '../../map/world-map.ts';
import type { Walk } from './walk.ts';

export const cellOf = (map: WorldMap, tile: number): number => map.cellOf[tile] ?? 0;

/** The tile that the agent is still leaving, or the first tile of the walk. */
function tileLeft(map: WorldMap, { tiles, lead }: Pick<Walk, 'tiles' | 'lead'>): number {
  return (tiles[0] ?? 0) - (STEP_X[lead] ?? 0) - (STEP_Y[lead] ?? 0) * map.width;
}

/** The cells that a walk crosses, each once, in order; the first has the tile that the agent is leaving. */
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

const NO_CELLS: readonly number[] = [];

/** Removes a value without preserving the order. */
function drop(list: number[] | undefined, slot: number): void {
  const at = list?.indexOf(slot) ?? -1;
  const last = at < 0 ? undefined : list?.pop();
  if (list !== undefined && last !== undefined && last !== slot) list[at] = last;
}

/** Lists an agent in every cell of its path. New walks are listed at the next query, because many worlds are never queried. */
export class CellIndex {
  readonly #map: WorldMap;
  /** Arrays take less memory and time than sets here. */
  readonly #agents: number[][];
  readonly #items: Set<number>[];
  readonly #cells: (readonly number[])[] = [];
  /** Walks that are not in the index yet. */
  readonly #walks: (Pick<Walk, 'tiles' | 'lead'> | undefined)[] = [];
  #unlisted: number[] = [];

  constructor(map: WorldMap) {
    this.#map = map;
    const count = map.cellsWide * map.cellsHigh;
    this.#agents = Array.from({ length: count }, () => []);
    this.#items = Array.from({ length: count }, () => new Set<number>());
  }

  cellsOf(slot: number): readonly number[] {
    if (this.#unlisted.length > 0) this.#listAll();
    return this.#cells[slot] ?? NO_CELLS;
  }

  agentsIn(cell: number): readonly number[] {
    if (this.#unlisted.length > 0) this.#listAll();
    return this.#agents[cell] ?? NO_CELLS;
  }

  itemsIn(cell: number): ReadonlySet<number> {
    return this.#items[cell] ?? new Set();
  }

  /** An empty walk removes the agent. */
  place(slot: number, walk: Pick<Walk, 'tiles' | 'lead'>): void {
    if (this.#walks[slot] === undefined) this.#unlisted.push(slot);
    this.#walks[slot] = walk;
  }

  #listAll(): void {
    const slots = this.#unlisted;
    this.#unlisted = [];
    for (const slot of slots) {
      const walk = this.#walks[slot];
      this.#walks[slot] = undefined;
      if (walk !== undefined) this.#list(slot, walk);
    }
  }

  #list(slot: number, walk: Pick<Walk, 'tiles' | 'lead'>): void {
    const before = this.#cells[slot] ?? NO_CELLS;
    const cells = cellsOfWalk(this.#map, walk);
    for (const cell of before) if (!cells.includes(cell)) drop(this.#agents[cell], slot);
    for (const cell of cells) if (!before.includes(cell)) this.#agents[cell]?.push(slot);
    this.#cells[slot] = cells;
  }

  lay(number: number, tile: number): void {
    this.#items[cellOf(this.#map, tile)]?.add(number);
  }

  lift(number: number, tile: number): void {
    this.#items[cellOf(this.#map, tile)]?.delete(number);
  }
}
