import { CELL_SIZE } from '@hamlet/contract';
import type { Drawn, HamletViewer } from './hamlet-viewer.ts';
import type { FromServer } from './ipc.ts';

type Truth = Extract<FromServer, { type: 'truth' }>;

/** The difference between the drawn agents and the truth: the largest distance in tiles, missing agents, surplus agents. */
export interface Fidelity {
  readonly compared: number;
  readonly worstTiles: number;
  readonly worstDrawnTiles: number;
  readonly missing: number;
  readonly extra: number;
}

function inside(cells: Drawn['cells'], x: number, y: number): boolean {
  const [cellX, cellY] = [Math.floor(x / CELL_SIZE), Math.floor(y / CELL_SIZE)];
  return cellX >= cells.x && cellY >= cells.y && cellX < cells.x + cells.width && cellY < cells.y + cells.height;
}

function compareAt(drawn: Drawn, which: 'now' | 'before', truth: Truth): Fidelity {
  const positions = truth[which];
  const seen = new Map([...drawn[which]].filter(([, { x, y }]) => inside(drawn.cells, x, y)));
  let [compared, worst, missing] = [0, 0, 0];
  for (let slot = 0; slot * 2 < positions.length; slot += 1) {
    const [x, y] = [(positions[slot * 2] ?? 0) / 4, (positions[slot * 2 + 1] ?? 0) / 4];
    const at = drawn[which].get(slot);
    if (at !== undefined) seen.delete(slot);
    if (!inside(drawn.cells, x, y)) continue;
    compared += 1;
    if (at === undefined) missing += 1;
    else worst = Math.max(worst, Math.abs(at.x - x) + Math.abs(at.y - y));
  }
  const zero = { compared, missing, extra: seen.size };
  return which === 'now'
    ? { ...zero, worstTiles: worst, worstDrawnTiles: 0 }
    : { ...zero, worstTiles: 0, worstDrawnTiles: worst };
}

function sum(a: Fidelity, b: Fidelity): Fidelity {
  return {
    compared: a.compared + b.compared,
    missing: a.missing + b.missing,
    extra: a.extra + b.extra,
    worstTiles: Math.max(a.worstTiles, b.worstTiles),
    worstDrawnTiles: Math.max(a.worstDrawnTiles, b.worstDrawnTiles),
  };
}

/** Compares the truth with every viewer that drew the update of its tick: at that tick, and at the tick then on screen. */
export function compare(viewers: readonly HamletViewer[], truth: Truth): Fidelity {
  let total: Fidelity = { compared: 0, worstTiles: 0, worstDrawnTiles: 0, missing: 0, extra: 0 };
  for (const viewer of viewers) {
    const drawn = viewer.drawn.get(truth.tick);
    if (drawn === undefined) continue;
    total = sum(total, compareAt(drawn, 'now', truth));
    total = sum(total, compareAt(drawn, 'before', truth));
  }
  return total;
}
