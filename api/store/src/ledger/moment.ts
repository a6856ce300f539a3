import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { Db } from '../connection/database.ts';

/** A moment as RFC 3339 in UTC with all six digits of the second that Postgres keeps; a Date would lose three of them. */
export type Moment = string;

/** A timestamptz as a Moment. */
export function asMoment(value: RawBuilder<unknown>): RawBuilder<Moment> {
  return sql<Moment>`to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

/**
 * The moment to read an account at: the one asked for, or now where that lies ahead or none is. Once this has answered, nothing more can be dated
 * at or before that moment, so what is read for it stays so.
 */
export async function freezeMoment(db: Db, accountId: number, asked: Moment | null): Promise<Moment> {
  const frozen = sql`ledger.freeze(array[${accountId}::bigint], coalesce(${asked}::timestamptz, 'infinity'))`;
  const { rows } = await sql<{ moment: Moment }>`select ${asMoment(frozen)} as moment`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('no moment to read at');
  return row.moment;
}
