/** A page of a list: its rows, and the place of the last of them where more follow. */
export interface Page<Row, Place> {
  readonly rows: readonly Row[];
  readonly next: Place | null;
}

/** Cuts a page out of rows that were read with one more than it shows, which only says that more follow. Pure. */
export function cutPage<Row, Place>(
  read: readonly Row[],
  limit: number,
  placeOf: (last: Row) => Place,
): Page<Row, Place> {
  const rows = read.slice(0, limit);
  const last = rows.at(-1);
  return { rows, next: read.length > limit && last !== undefined ? placeOf(last) : null };
}
