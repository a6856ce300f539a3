import type { WorldEventOf } from '@hamlet/contract';
import { type Db, inTransaction } from '../connection/database.ts';
import { appendEvents } from './append.ts';
import { insertSnapshot, type Snapshot } from './history.ts';
import { seizeLease } from './lease.ts';

/** A map as the village keeps it: `plan` is text that only the caller reads. */
export interface KeptMap {
  readonly version: string;
  /** Events after this one were made on the map. */
  readonly sinceSeq: number;
  readonly plan: string;
}

/** Keeps a map, so that a later version of Hamlet can replay what was made on it. Idempotent: a kept map never changes. */
export async function keepMap(db: Db, map: KeptMap): Promise<void> {
  const { version, sinceSeq, plan } = map;
  await db
    .insertInto('world_map')
    .values({ version, since_seq: sinceSeq, plan })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** The plan of a map; null if the village has never kept it. */
export async function keptPlan(db: Db, version: string): Promise<string | null> {
  const row = await db.selectFrom('world_map').select('plan').where('version', '=', version).executeTakeFirst();
  return row?.plan ?? null;
}

/** The version of the map that the first events were made on; null in a village that has kept none. */
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

/** Everything that makes the world stand on another map from one event on. */
export interface MapChange {
  readonly event: WorldEventOf<'map'>;
  readonly plan: string;
  /** The world after the event. */
  readonly snapshot: Snapshot;
}

/**
 * Changes the map in one transaction. It takes the lease from its holder, so a writer on the old map commits nothing more, and frees it
 * with the commit. `prepare` runs while no one else can commit; null changes nothing.
 */
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
    await tx
      .insertInto('world_map')
      .values({ version: change.event.map_version, since_seq: change.event.seq, plan: change.plan })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
    return true;
  });
}
