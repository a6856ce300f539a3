import type { BoardViewer } from '@hamlet/core';
import { sql } from 'kysely';
import { type Db, inSnapshot, inTransaction, type Tx } from '../connection/database.ts';
import type { Subject } from './flags.ts';

export type Viewer = BoardViewer;

/** The village itself, which sees everything but writes only in its own name. */
export const VILLAGE: Viewer = { role: 'system', actor: 'village' };

/** Sets the viewer until the next call or the end of the transaction. */
export async function setViewer(tx: Tx, { role, actor }: Viewer): Promise<void> {
  await sql`select set_config('hamlet.role', ${role}, true), set_config('hamlet.actor', ${actor}, true)`.execute(tx);
}

/** Sets the viewer and locks it as an author, so that limits count all its earlier writes. */
export async function writeAs(tx: Tx, { role, actor }: Viewer): Promise<void> {
  await sql`
    select set_config('hamlet.role', ${role}, true), set_config('hamlet.actor', ${actor}, true),
      pg_advisory_xact_lock(hashtextextended(${`board ${role} ${actor}`}, 0))`.execute(tx);
}

export function readAs<T>(db: Db, viewer: Viewer, read: (tx: Tx) => Promise<T>): Promise<T> {
  return inTransaction(db, async (tx) => {
    await setViewer(tx, viewer);
    return read(tx);
  });
}

export function readSnapshotAs<T>(db: Db, viewer: Viewer, read: (tx: Tx) => Promise<T>): Promise<T> {
  return inSnapshot(db, async (tx) => {
    await setViewer(tx, viewer);
    return read(tx);
  });
}

/** A post or reply. `tookPart`: the agent wrote it or replied to the post. */
interface Related extends Subject {
  readonly tookPart: boolean;
}

/** Sets the viewer for the rest of the transaction. Null if the viewer may not see the post or reply. */
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
