import type { WorldEventOf } from '@hamlet/contract';
import { type Db, inTransaction } from '../connection/database.ts';
import type { Row } from '../connection/tables.generated.ts';
import { appendEvents } from './append.ts';
import { insertSnapshot, type Snapshot } from './history.ts';
import { seizeLease } from './lease.ts';

/** A stored map. `sinceSeq`: the last event before this map. */
type KeptMap = Omit<Row<'world_map'>, 'keptAt'>;

/** Stores a map, so that a later version can replay its events. A stored map never changes. */
export async function keepMap(db: Db, { version, sinceSeq, plan }: KeptMap): Promise<void> {
  await db
    .insertInto('world_map')
    .values({ version, since_seq: sinceSeq, plan })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function keptPlan(db: Db, version: string): Promise<string | null> {
  const row = await db.selectFrom('world_map').select('plan').where('version', '=', version).executeTakeFirst();
  return row?.plan ?? null;
}

export async function firstMapVersion(db: Db): Promise<string | null> {
  const row = await db
    .selectFrom('world_map')
    .select('version')
    .orderBy('since_seq')
    .orderBy('kept_at')
    .limit(1)
    .executeTakeFirst();
  return row?.version ?? null;
}

interface MapChange {
  readonly event: WorldEventOf<'map'>;
  readonly plan: string;
  readonly snapshot: Snapshot;
}

/** Changes the map with the lease taken, so that no writer commits on the old map. False, without a change, if `prepare` returns null. */
export async function commitMapChange(
  db: Db,
  holder: string,
  prepare: () => Promise<MapChange | null>,
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const epoch = await seizeLease(tx, holder);
    const change = await prepare();
    if (change === null) return false;
    await appendEvents(tx, epoch, [change.event]);
    await insertSnapshot(tx, epoch, change.snapshot);
    const { map_version: version, seq: sinceSeq } = change.event;
    await keepMap(tx, { version, sinceSeq, plan: change.plan });
    return true;
  });
}
