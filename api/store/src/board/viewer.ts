import type { BoardViewer } from '@hamlet/core';
import { sql } from 'kysely';
import { type Db, inSnapshot, inTransaction, type Tx } from '../connection/database.ts';
import type { Subject } from './flags.ts';

/** The viewer of the board that row-level security checks. */
export type Viewer = BoardViewer;

/** The village itself: it sees everything, and writes only in its own name. */
export const VILLAGE: Viewer = { role: 'system', actor: 'village' };

/** Sets the viewer for the rest of the transaction; the next call replaces it. */
export async function setViewer(tx: Tx, { role, actor }: Viewer): Promise<void> {
  await sql`select set_config('hamlet.role', ${role}, true), set_config('hamlet.actor', ${actor}, true)`.execute(tx);
}

/**
 * Sets the viewer and locks it as an author until the transaction ends. The writes of one author run one after the
 * other, so that each counts all earlier ones against the author's limits.
 */
export async function writeAs(tx: Tx, { role, actor }: Viewer): Promise<void> {
  await sql`
    select set_config('hamlet.role', ${role}, true), set_config('hamlet.actor', ${actor}, true),
      pg_advisory_xact_lock(hashtextextended(${`board ${role} ${actor}`}, 0))`.execute(tx);
}

/** Reads the board as a viewer. */
export function readAs<T>(db: Db, viewer: Viewer, read: (tx: Tx) => Promise<T>): Promise<T> {
  return inTransaction(db, async (tx) => {
    await setViewer(tx, viewer);
    return read(tx);
  });
}

/** Runs several reads of the board as a viewer, all as of one moment. */
export function readSnapshotAs<T>(db: Db, viewer: Viewer, read: (tx: Tx) => Promise<T>): Promise<T> {
  return inSnapshot(db, async (tx) => {
    await setViewer(tx, viewer);
    return read(tx);
  });
}

/** The post or reply with an id, and whether an agent took part: it wrote the post or reply, or replied to the post. */
export interface Related extends Subject {
  readonly tookPart: boolean;
}

/**
 * Sets the viewer for the rest of the transaction and finds the post or reply with an id; null if it does not exist
 * or the viewer may not see it.
 */
export async function findRelated(
  tx: Tx,
  { role, actor }: Viewer,
  { id, agentId }: { readonly id: string; readonly agentId: string },
): Promise<Related | null> {
  const { rows } = await sql<Related>`
    select post_id as "postId", reply_id as "replyId", took_part as "tookPart" from board.find_related(${role}, ${actor}, ${id}, ${agentId})
  `.execute(tx);
  return rows[0] ?? null;
}
