import { sql } from 'kysely';
import type { Db } from '../connection/database.ts';
import { firstRow } from '../connection/result-rows.ts';

/** A table with its indexes and long texts. `rows` is the estimate of the statistics, so that nothing is counted. */
export interface TableSize {
  /** With its schema, such as `ledger.entry`. */
  readonly name: string;
  readonly rows: number;
  readonly bytes: number;
}

/** All tables of the village; works for the role of the API, also for tables that it may not read. */
export async function readTableSizes(
  db: Db,
): Promise<{ readonly databaseBytes: number; readonly tables: readonly TableSize[] }> {
  const { rows: tables } = await sql<TableSize>`
    select schemaname || '.' || relname as name, n_live_tup as rows, pg_total_relation_size(relid) as bytes
    from pg_stat_user_tables order by name`.execute(db);
  const { rows } = await sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`.execute(db);
  return { databaseBytes: firstRow(rows, 'the database returned no size').bytes, tables };
}
