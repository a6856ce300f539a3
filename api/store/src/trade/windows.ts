import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';
import type { BoughtDevices } from './purchases.ts';

/** A time in which devices are one agent's alone. */
export interface NewWindow {
  readonly devices: BoughtDevices;
  readonly startsAt: Date;
  readonly endsAt: Date;
  /** Whom it is sold to; null where it is offered in an auction. */
  readonly agentId: string | null;
}

/** Sets a window aside. Null where a part of that time is sold or offered already: the exclusion constraint decides, whoever else asks at once. */
export async function takeWindow(tx: Tx, { devices, startsAt, endsAt, agentId }: NewWindow): Promise<string | null> {
  const { rows } = await sql<{ windowId: string }>`
    insert into gpu_window (lane, resource_name, count, during, state, agent_id)
    values (${devices.lane}, ${devices.resourceName}, ${devices.count}, tstzrange(${startsAt}, ${endsAt}), ${agentId === null ? 'offered' : 'sold'}, ${agentId})
    on conflict do nothing returning window_id as "windowId"`.execute(tx);
  return rows[0]?.windowId ?? null;
}

/** Whether nobody has a lane in any part of a time, and none of it is offered. Only {@link takeWindow} decides. */
export async function isWindowFree(
  db: Db,
  lane: string,
  { startsAt, endsAt }: Pick<NewWindow, 'startsAt' | 'endsAt'>,
): Promise<boolean> {
  const { rows } = await sql<{ free: boolean }>`
    select not exists (select from gpu_window where lane = ${lane} and during && tstzrange(${startsAt}, ${endsAt}) and state <> 'withdrawn') as free`.execute(
    db,
  );
  return rows[0]?.free === true;
}

/** Ends the offer of a window: sold to an agent, or, with null, free for others. */
export async function endOffer(tx: Tx, windowId: string, agentId: string | null): Promise<void> {
  await sql`update gpu_window set state = ${agentId === null ? 'withdrawn' : 'sold'}, agent_id = ${agentId} where window_id = ${windowId}`.execute(
    tx,
  );
}

/** The clock that windows and purchases begin and end by. */
export async function databaseNow(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('the database did not say what time it is');
  return row.now;
}
