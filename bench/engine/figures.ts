import type { Name } from './stage.ts';

/** The figures of all programs except our engine and the bare loop. */
export const peersOf = (figures: ReadonlyMap<Name, number>): Readonly<Record<string, number>> =>
  Object.fromEntries([...figures].filter(([name]) => name !== 'hamlet' && name !== 'bare'));
