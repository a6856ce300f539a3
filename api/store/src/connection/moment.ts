import { type RawBuilder, sql } from 'kysely';

/** A moment as RFC 3339 in UTC with the microseconds that Postgres stores; a Date keeps only milliseconds. */
export type Moment = string;

export function asMoment(value: RawBuilder<unknown>): RawBuilder<Moment> {
  return sql<Moment>`to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}
