import type { BoardViewer } from '@hamlet/core';
import { sql } from 'kysely';
import { inSnapshot, inTransaction } from '../connection/database.ts';
import type { Db, Tx } from '../connection/database.ts';

/** Who looks at the board, as row-level security knows it. */
export type Viewer = BoardViewer;

/** The village itself: sees everything and writes as nobody else. */
export const VILLAGE: Viewer = { role: 'system', actor: 'village' };

/** Says for the rest of the transaction who looks; the next call takes its place. */
export async function lookAs(tx: Tx, { role, actor }: Viewer): Promise<void> {
  await sql`select set_config('hamlet.role', ${role}, true), set_config('hamlet.actor', ${actor}, true)`.execute(tx);
}

/** The same, and holds the author's lock: what one author writes is counted one after the other. */
export async function writeAs(tx: Tx, { role, actor }: Viewer): Promise<void> {
  await sql`
    select set_config('hamlet.role', ${role}, true), set_config('hamlet.actor', ${actor}, true),
      pg_advisory_xact_lock(hashtextextended(${`board ${role} ${actor}`}, 0))`.execute(tx);
}

/** Reads the board as somebody. */
export function readAs<T>(db: Db, viewer: Viewer, read: (tx: Tx) => Promise<T>): Promise<T> {
  return inTransaction(db, async (tx) => {
    await lookAs(tx, viewer);
    return read(tx);
  });
}

/** Reads several things of the board as somebody and as of one moment. */
export function readSnapshotAs<T>(db: Db, viewer: Viewer, read: (tx: Tx) => Promise<T>): Promise<T> {
  return inSnapshot(db, async (tx) => {
    await lookAs(tx, viewer);
    return read(tx);
  });
}
