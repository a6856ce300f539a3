import { type RawBuilder, sql } from 'kysely';

/** A moment as RFC 3339 in UTC with the microseconds that Postgres stores; a Date keeps only milliseconds. */
export type Moment = string;

export function asMoment(value: RawBuilder<unknown>): RawBuilder<Moment> {
  return sql<Moment>`to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

export interface Page<Row, Place> {
  readonly rows: readonly Row[];
  readonly next: Place | null;
}

/** Makes a page from rows that were selected with `limit + 1`. Pure. */
export function cutPage<Row, Place>(
  read: readonly Row[],
  limit: number,
  placeOf: (last: Row) => Place,
): Page<Row, Place> {
  const rows = read.slice(0, limit);
  const last = rows.at(-1);
  return { rows, next: read.length > limit && last !== undefined ? placeOf(last) : null };
}

/** Rows in the order of the requested hashes; null for a hash without a row. */
export function byHash<Row extends { readonly hash: Uint8Array }>(
  hashes: readonly Uint8Array[],
  rows: readonly Row[],
): readonly (Row | null)[] {
  const found = new Map(rows.map((row) => [row.hash.toHex(), row]));
  return hashes.map((hash) => found.get(hash.toHex()) ?? null);
}

/** The only row of a result. Throws an Error with the message `missing` if there is none. */
export function firstRow<Row>(rows: readonly Row[], missing: string): Row {
  const [row] = rows;
  if (row === undefined) throw new Error(missing);
  return row;
}
