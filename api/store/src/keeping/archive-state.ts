import { sql } from 'kysely';
import type { Db } from '../connection/database.ts';
import { COLUMNS, type Row } from '../connection/tables.generated.ts';

export type ArchiveState = Row<'archive_state'>;

/** The archive of the village's own Postgres, as its keeper reported it last; null in a village that keeps none. */
export async function readArchiveState(db: Db): Promise<ArchiveState | null> {
  const row = await db
    .selectFrom('archive_state')
    .select(COLUMNS.archive_state)
    .where(sql<boolean>`current_setting('archive_mode') <> 'off'`)
    .executeTakeFirst();
  return row ?? null;
}
