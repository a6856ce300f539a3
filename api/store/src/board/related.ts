import { sql } from 'kysely';
import type { Tx } from '../connection/database.ts';
import type { Subject } from './flags.ts';
import type { Viewer } from './viewer.ts';

/** What an id on the board names, and whether an agent had to do with it: it wrote the post or reply, or has replied to the post. */
export interface Related extends Subject {
  readonly tookPart: boolean;
}

/** What an id names to a viewer, who looks at the board for the rest of the transaction; null where that is nothing. */
export async function findRelated(
  tx: Tx,
  { role, actor }: Viewer,
  { id, agentId }: { readonly id: string; readonly agentId: string },
): Promise<Related | null> {
  const { rows } = await sql<Related>`
    select post_id as "postId", reply_id as "replyId", took_part as "tookPart" from board.find_related(${role}, ${actor}, ${id}, ${agentId})`.execute(
    tx,
  );
  return rows[0] ?? null;
}
