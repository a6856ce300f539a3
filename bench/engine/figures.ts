import type { Name } from './stage.ts';

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** The figures of all others than our engine and the bare loop. */
export const peersOf = (figures: ReadonlyMap<Name, number>): Readonly<Record<string, number>> =>
  Object.fromEntries([...figures].filter(([name]) => name !== 'hamlet' && name !== 'bare'));
