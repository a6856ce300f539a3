import { type Selection, sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';
import type { Tables } from '../connection/tables.generated.ts';

export type InternalEvent = Readonly<Selection<Tables, 'internal_event', 'id' | 'event' | 'data'>>;

/** Channel that announces a committed internal event; the payload is its kind. */
export const INTERNAL_EVENTS_CHANNEL = 'internal_event';
/** Key of the advisory lock that makes the order of ids the order of commits. */
export const ORDER_LOCK = 4_832_003;
const KEPT_HOURS = 1;

/** Takes the lock that makes the order of ids the order of commits. Other writers wait for it, so call it late in a transaction. */
export async function lockInternalEvents(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(${ORDER_LOCK})`.execute(tx);
}

/** Adds an event. Holds the lock that orders events until the transaction ends. */
export async function addInternalEvent(tx: Tx, event: InternalEvent['event'], data: unknown): Promise<void> {
  await lockInternalEvents(tx);
  await addInternalEvents(tx, event, [data]);
}

/** The caller has taken the lock that orders events. */
export async function addInternalEvents(tx: Tx, event: InternalEvent['event'], all: readonly unknown[]): Promise<void> {
  if (all.length === 0) return;
  const texts = all.map((data) => JSON.stringify(data));
  await sql`
    with added as (insert into internal_event (event, data) select ${event}, data::jsonb from unnest(${texts}::text[]) with ordinality as news (data, place) order by place)
    select pg_notify(${INTERNAL_EVENTS_CHANNEL}, ${event})`.execute(tx);
}

export async function readInternalEvents(db: Db, after: number, limit: number): Promise<readonly InternalEvent[]> {
  return db
    .selectFrom('internal_event')
    .select(['id', 'event', 'data'])
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** The ids of the first and last stored event; both 0 if there are none. A reader that resumes before `first - 1` would miss events. */
export async function internalEventRange(db: Db): Promise<{ readonly first: number; readonly last: number }> {
  return db
    .selectFrom('internal_event')
    .select([sql<number>`coalesce(min(id), 0)`.as('first'), sql<number>`coalesce(max(id), 0)`.as('last')])
    .executeTakeFirstOrThrow();
}

/** Deletes events older than an hour except the newest, whose id marks the position of the stream. */
export async function forgetOldInternalEvents(db: Db): Promise<void> {
  await sql`
    delete from internal_event where at < now() - ${KEPT_HOURS} * interval '1 hour' and id < (select max(id) from internal_event)`.execute(
    db,
  );
}
