import { sql } from 'kysely';
import type { Tx } from '../connection/database.ts';

/** A note on the notice board in the world. */
export interface WorldNote {
  readonly seq: number;
  readonly agentId: string;
  readonly text: string;
}

const EVENTS_AT_ONCE = 5_000;

/**
 * Locks the cursor and reads the notes in the next world events, up to `upTo`. Null if another replica holds the lock.
 */
export async function takeWorldNotes(
  tx: Tx,
): Promise<{ readonly notes: readonly WorldNote[]; readonly upTo: number; readonly from: number } | null> {
  const { rows: held } = await sql<{ seq: number }>`
    select seq from board.world_cursor for update skip locked`.execute(tx);
  const from = held[0]?.seq;
  if (from === undefined) return null;
  const { rows } = await sql<Omit<WorldNote, 'text'> & { text: string | null; upTo: number }>`
    with read as (select seq, agent_id, case when kind = 'use_board' then nullif(trim(event ->> 'text'), '') end as text
      from world_event where seq > ${from} order by seq limit ${EVENTS_AT_ONCE})
    select seq, agent_id as "agentId", text, (select max(seq) from read) as "upTo" from read where text is not null or seq = (select max(seq) from read) order by seq
  `.execute(tx);
  const upTo = rows.at(-1)?.upTo ?? from;
  return {
    notes: rows.flatMap(({ seq, agentId, text }) => (text === null ? [] : [{ seq, agentId, text }])),
    upTo,
    from,
  };
}

export async function moveWorldCursor(tx: Tx, seq: number): Promise<void> {
  await sql`update board.world_cursor set seq = ${seq}`.execute(tx);
}
