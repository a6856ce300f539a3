import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';

/** What an entry of the log is made from, by its number in the database. */
export const LOG_KINDS = { 1: 'ledger', 2: 'act', 3: 'turn' } as const;
export type LogKind = (typeof LOG_KINDS)[keyof typeof LOG_KINDS];

/** Where a row stands among all that is sealed: by transaction, then kind, then id. `xact` is decimal digits. */
export interface Place {
  readonly xact: string;
  readonly kind: number;
  readonly id: string;
}

/** Before every row. */
export const FIRST_PLACE: Place = { xact: '0', kind: 0, id: '00000000-0000-0000-0000-000000000000' };

/** A place as a row of SQL, to compare with `(xact, kind, id)`. */
export function asRow({ xact, kind, id }: Place): RawBuilder<unknown> {
  return sql`(${xact}::bigint, ${kind}::smallint, ${id}::uuid)`;
}
