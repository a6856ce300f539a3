import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';
import { COLUMNS, type Row } from '../connection/tables.generated.ts';

/** Channel that announces a committed change of a setting; the payload is its key. */
export const VILLAGE_SETTINGS_CHANNEL = 'village_setting';
/** Far more than there are settings. */
const READ_MAX = 100;

export type VillageSettingRow = Row<'village_setting'>;

export function readVillageSettings(db: Db): Promise<readonly VillageSettingRow[]> {
  return db.selectFrom('village_setting').select(COLUMNS.village_setting).limit(READ_MAX).execute();
}

/** Stores the value of a setting, or deletes it with null, so that the chart decides again. */
export async function putVillageSetting(
  tx: Tx,
  {
    key,
    value,
    by,
  }: { readonly key: string; readonly value: unknown; readonly by: { readonly role: string; readonly id: string } },
): Promise<void> {
  if (value === null) await tx.deleteFrom('village_setting').where('key', '=', key).execute();
  else {
    const set = { value: JSON.stringify(value), set_by_role: by.role, set_by_id: by.id, set_at: sql<Date>`now()` };
    await tx
      .insertInto('village_setting')
      .values({ key, ...set })
      .onConflict((conflict) => conflict.column('key').doUpdateSet(set))
      .execute();
  }
  await sql`select pg_notify(${VILLAGE_SETTINGS_CHANNEL}, ${key})`.execute(tx);
}
