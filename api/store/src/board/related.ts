import { sql } from 'kysely';
import type { Tx } from '../connection/database.ts';
import type { Subject } from './flags.ts';

/** What an id on the board names, and whether an agent had to do with it: it wrote the post or reply, or has replied to the post. */
export interface Related extends Subject {
  readonly tookPart: boolean;
}

/** What an id names to the viewer of the transaction; null where that is nothing. */
export async function findRelated(tx: Tx, id: string, agentId: string): Promise<Related | null> {
  const wrote = sql`author_type = 'agent' and author_id = ${agentId}`;
  const { rows } = await sql<Related>`
    select post_id as "postId", null::uuid as "replyId", (${wrote}) or exists (select from board.reply r where r.post_id = p.post_id and ${wrote}) as "tookPart"
      from board.post p where post_id = ${id}::uuid
    union all select post_id, reply_id, ${wrote} from board.reply where reply_id = ${id}::uuid`.execute(tx);
  return rows[0] ?? null;
}

/** Counts money that names a post or reply. Micro-aiDollars, below zero where they were taken. */
export async function noteReward(tx: Tx, { postId, replyId }: Subject, micro: bigint): Promise<void> {
  await sql`insert into board.outbox (what, post_id, reply_id, rewarded) values ('rewarded', ${postId}, ${replyId}, ${String(micro)}::bigint)`.execute(tx);
}
