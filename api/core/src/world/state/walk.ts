import { TICKS_PER_TILE } from '@hamlet/contract';
import { STEP_X, STEP_Y, stepBetween } from '../../map/directions.ts';

/** Server and viewer compute the tiles from the path's record and the map. */
export interface Walk {
  readonly tiles: readonly number[];
  readonly startTick: number;
  /** Direction of the step under way at the start; 0 for none. */
  readonly lead: number;
}

export const arrivalTick = (walk: Walk): number => walk.startTick + (walk.tiles.length - 1) * TICKS_PER_TILE;

/** The tile at which the next walk begins, and the step that led there. */
export function turningPoint(
  walk: Walk,
  startTick: number,
  width: number,
): { readonly tile: number; readonly lead: number } {
  const last = walk.tiles.length - 1;
  const steps = Math.floor((startTick - walk.startTick) / TICKS_PER_TILE);
  if (steps > last) return { tile: walk.tiles[last] ?? 0, lead: 0 };
  if (steps <= 0) return { tile: walk.tiles[0] ?? 0, lead: walk.lead };
  const tile = walk.tiles[steps] ?? 0;
  return { tile, lead: stepBetween(walk.tiles[steps - 1] ?? tile, tile, width) };
}

/** In quarters of a tile at whole ticks. All movement of the world is this formula. */
export function walkPosition(walk: Walk, width: number, tick: number): { x: number; y: number; step: number } {
  const steps = (tick - walk.startTick) / TICKS_PER_TILE;
  const first = walk.tiles[0] ?? 0;
  if (steps < 0) {
    const ahead = Math.max(steps, -1);
    return {
      x: (first % width) + (STEP_X[walk.lead] ?? 0) * ahead,
      y: Math.floor(first / width) + (STEP_Y[walk.lead] ?? 0) * ahead,
      step: walk.lead,
    };
  }
  const whole = Math.min(Math.floor(steps), walk.tiles.length - 1);
  const tile = walk.tiles[whole] ?? first;
  const next = walk.tiles[whole + 1];
  const step = next === undefined ? 0 : stepBetween(tile, next, width);
  const part = next === undefined ? 0 : steps - whole;
  return {
    x: (tile % width) + (STEP_X[step] ?? 0) * part,
    y: Math.floor(tile / width) + (STEP_Y[step] ?? 0) * part,
    step,
  };
}
