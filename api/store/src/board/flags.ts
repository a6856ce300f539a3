import type { ModerationReason } from '@hamlet/contract';
import { sql } from 'kysely';
import type { Tx } from '../connection/database.ts';

export interface Subject {
  readonly postId: string;
  readonly replyId: string | null;
}

export const subjectId = ({ postId, replyId }: Subject): string => replyId ?? postId;

interface NewFlag extends Subject {
  readonly by: { readonly type: string; readonly id: string; readonly name: string };
  readonly reason: ModerationReason;
  readonly note: string | null;
  readonly weight: number;
}

/** Raises a flag as the viewer, and notifies moderators. False if the viewer has flagged the subject before. */
export async function insertFlag(tx: Tx, { postId, replyId, by, reason, note, weight }: NewFlag): Promise<boolean> {
  const { rows } = await sql<{ flagId: string }>`
    with made as (
      insert into board.flag (post_id, reply_id, by_type, by_id, by_name, reason, note, weight)
      values (${postId}, ${replyId}, ${by.type}, ${by.id}, ${by.name}, ${reason}, ${note}, ${weight}) on conflict (subject, by_type, by_id) do nothing returning flag_id
    ), noted as (insert into board.outbox (what, post_id, reply_id) select 'flagged', ${postId}::uuid, ${replyId}::uuid from made)
    select flag_id as "flagId" from made`.execute(tx);
  return rows.length > 0;
}

/**
 * Sums the weights of the undecided flags and finds the heaviest reason. The viewer of the transaction must be
 * `VILLAGE`.
 */
export async function weighFlags(
  tx: Tx,
  subject: Subject,
): Promise<{ readonly weight: number; readonly reason: ModerationReason | null }> {
  const { rows } = await sql<{ weight: number; reason: ModerationReason }>`
    select sum(sum(weight)) over ()::integer as weight, reason from board.flag where subject = ${subjectId(subject)} and settled_by is null
    group by reason order by sum(weight) desc, reason limit 1`.execute(tx);
  return rows[0] ?? { weight: 0, reason: null };
}
