import { STEP_X, STEP_Y } from '../../map/directions.ts';
import type { WorldMap } from '../../map/world-map.ts';
import type { Walk } from './walk.ts';

/** Cell of a tile. */
export function cellOf(map: WorldMap, tile: number): number {
  return map.cellOf[tile] ?? 0;
}

/** The tile that the agent is still leaving when a walk begins, or the first tile of the walk. */
function tileLeft(map: WorldMap, { tiles, lead }: Pick<Walk, 'tiles' | 'lead'>): number {
  return (tiles[0] ?? 0) - (STEP_X[lead] ?? 0) - (STEP_Y[lead] ?? 0) * map.width;
}

/** Cells that a walk crosses, in order, each once. The cell of the tile that the agent is leaving when the walk begins is the first. */
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

/** Removes a slot from a list; it does not keep the order. */
function drop(list: number[] | undefined, slot: number): void {
  const at = list?.indexOf(slot) ?? -1;
  const last = at < 0 ? undefined : list?.pop();
  if (list !== undefined && last !== undefined && last !== slot) list[at] = last;
}

/**
 * An index of agents and items by cell of 16 by 16 tiles. It lists an agent in every cell that its path crosses, so a viewer of a cell
 * knows every agent that will walk through it. It computes the cells of new walks at the next query, because a world without queries
 * does not need them. Mutable; derived from the rest of the state.
 */
export class CellIndex {
  readonly #map: WorldMap;
  /** Slots by cell, without an order. The lists are short and cost less memory and time than sets. */
  readonly #agents: number[][];
  readonly #items: Set<number>[];
  readonly #cells: (readonly number[])[] = [];
  /** The newest walks that are not in the index yet, by slot, and their slots. */
  readonly #walks: (Pick<Walk, 'tiles' | 'lead'> | undefined)[] = [];
  #unlisted: number[] = [];

  constructor(map: WorldMap) {
    this.#map = map;
    const count = map.cellsWide * map.cellsHigh;
    this.#agents = Array.from({ length: count }, () => []);
    this.#items = Array.from({ length: count }, () => new Set<number>());
  }

  /** Cells that the agent's path crosses. */
  cellsOf(slot: number): readonly number[] {
    if (this.#unlisted.length > 0) this.#listAll();
    return this.#cells[slot] ?? NO_CELLS;
  }

  /** Slots of the agents whose path crosses a cell, each once. */
  agentsIn(cell: number): readonly number[] {
    if (this.#unlisted.length > 0) this.#listAll();
    return this.#agents[cell] ?? NO_CELLS;
  }

  /** Numbers of the items that lie in a cell. */
  itemsIn(cell: number): ReadonlySet<number> {
    return this.#items[cell] ?? new Set();
  }

  /** Records an agent's new walk; an empty walk removes the agent. */
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
