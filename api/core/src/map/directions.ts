/** Change of x or y for each direction of a step: 0 none, 1 north, 2 east, 3 south, 4 west. */
export const STEP_X: readonly number[] = [0, 0, 1, 0, -1];
export const STEP_Y: readonly number[] = [0, -1, 0, 1, 0];
/** The facing after a step; south without a step. */
export const FACING_OF_STEP = ['south', 'north', 'east', 'south', 'west'] as const;
export type Facing = (typeof FACING_OF_STEP)[number];

/** The direction of a step between neighbours; 0 if both are the same tile. */
export function stepBetween(fromTile: number, toTile: number, width: number): number {
  const difference = toTile - fromTile;
  if (difference === 0) return 0;
  if (difference === -width) return 1;
  if (difference === 1) return 2;
  return difference === width ? 3 : 4;
}
