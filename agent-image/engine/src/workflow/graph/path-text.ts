import type { Point } from './layout-plan.ts';

/** A coordinate in a path, in pixels to a tenth. */
export const number = (value: number): string => String(Math.round(value * 10) / 10);

export const at = ({ x, y }: Point): string => `${number(x)} ${number(y)}`;
