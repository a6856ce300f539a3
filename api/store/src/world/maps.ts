import type { WorldEventOf } from '@hamlet/contract';
import { type Db, inTransaction } from '../connection/database.ts';
import { appendEvents } from './append.ts';
import { insertSnapshot, type Snapshot } from './history.ts';
import { seizeLease } from './lease.ts';

/** A stored map. Only the caller interprets the text `plan`. */
export interface KeptMap {
  readonly version: string;
  /** The number of the last event before this map; later events happened on this map. */
  readonly sinceSeq: number;
  readonly plan: string;
}

/**
 * Stores a map, so that a later version of Hamlet can replay the events that happened on this map. Idempotent: a
 * stored map never changes.
 */
export async function keepMap(db: Db, map: KeptMap): Promise<void> {
  const { version, sinceSeq, plan } = map;
  await db
    .insertInto('world_map')
    .values({ version, since_seq: sinceSeq, plan })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** The plan of a map; null if the village has not stored the map. */
export async function keptPlan(db: Db, version: string): Promise<string | null> {
  const row = await db.selectFrom('world_map').select('plan').where('version', '=', version).executeTakeFirst();
  return row?.plan ?? null;
}

/** The version of the map on which the first events were made; null if the village has stored no map. */
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

/** A change of the world to another map: the event, the new plan and the world after the event. */
export interface MapChange {
  readonly event: WorldEventOf<'map'>;
  readonly plan: string;
  /** The world after the event. */
  readonly snapshot: Snapshot;
}

/**
 * Changes the map in one transaction. It takes the lease from its holder, so that a writer on the old map commits
 * nothing more, and releases it with the commit. `prepare` runs while no writer can commit; if it returns null,
 * nothing changes and the answer is false.
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
