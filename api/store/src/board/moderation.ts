import type { Decision, ModerationNote, ModerationReason } from '@hamlet/contract';
import { sql } from 'kysely';
import type { Tx } from '../connection/database.ts';
import { firstRow } from '../connection/result-rows.ts';
import { type Subject, subjectId } from './flags.ts';

export interface LockedSubject {
  readonly authorType: string;
  readonly authorId: string;
  readonly hidden: ModerationNote | null;
  readonly openFlags: boolean;
}

export interface LastDecision {
  readonly moderationId: string;
  readonly decision: Exclude<Decision, 'undo'>;
  readonly hiddenBefore: ModerationNote | null;
}

interface NewDecision extends Subject {
  readonly decision: Decision;
  readonly reason: ModerationReason;
  readonly note: string | null;
  readonly by: { readonly type: string; readonly id: string; readonly name: string };
  readonly hiddenBefore: ModerationNote | null;
  readonly undoes: string | null;
}

const jsonOf = (note: ModerationNote | null): string | null => (note === null ? null : JSON.stringify(note));

/** Locks a post, or a reply and its post; null if the subject does not exist. The viewer must be a moderator. */
export async function lockSubject(tx: Tx, subject: Subject): Promise<LockedSubject | null> {
  const { postId, replyId } = subject;
  const post = sql`select post_id from board.post where post_id = ${postId} for no key update`;
  const held =
    replyId === null
      ? sql`select author_type, author_id, hidden from board.post where post_id = ${postId} for no key update`
      : sql`select author_type, author_id, hidden from board.reply where reply_id = ${replyId} and post_id = ${postId} for no key update`;
  if (replyId !== null) await post.execute(tx);
  const { rows } = await sql<LockedSubject>`with held as (${held})
    select author_type as "authorType", author_id as "authorId", hidden,
      exists (select from board.flag where subject = ${subjectId(subject)} and settled_by is null) as "openFlags" from held
  `.execute(tx);
  return rows[0] ?? null;
}

export async function findLastDecision(tx: Tx, subject: Subject): Promise<LastDecision | null> {
  const { rows } = await sql<LastDecision>`
    select moderation_id as "moderationId", decision, hidden_before as "hiddenBefore" from board.moderation m
    where subject = ${subjectId(subject)} and decision <> 'undo' and not exists (select from board.moderation u where u.undoes = m.moderation_id)
    order by moderation_id desc limit 1`.execute(tx);
  return rows[0] ?? null;
}

export async function insertDecision(tx: Tx, made: NewDecision): Promise<string> {
  const { rows } = await sql<{ moderationId: string }>`
    insert into board.moderation (post_id, reply_id, decision, reason, note, by_type, by_id, by_name, hidden_before, undoes)
    values (${made.postId}, ${made.replyId}, ${made.decision}, ${made.reason}, ${made.note}, ${made.by.type}, ${made.by.id}, ${made.by.name},
      ${jsonOf(made.hiddenBefore)}::jsonb, ${made.undoes}) returning moderation_id as "moderationId"`.execute(tx);
  return firstRow(rows, 'the decision was not written').moderationId;
}

export async function settleFlags(tx: Tx, subject: Subject, moderationId: string): Promise<void> {
  await sql`
    update board.flag set settled_by = ${moderationId} where subject = ${subjectId(subject)} and settled_by is null`.execute(
    tx,
  );
}

/** Reverses `settleFlags` for one decision: the flags that it settled are undecided again. */
export async function reopenFlags(tx: Tx, moderationId: string): Promise<void> {
  await sql`update board.flag set settled_by = null where settled_by = ${moderationId}`.execute(tx);
}

/** Hides a subject, or shows it again if `hidden` is null, and notifies readers. */
export async function setHidden(
  tx: Tx,
  subject: Subject,
  to: { readonly hidden: ModerationNote | null; readonly wasHidden: boolean },
): Promise<void> {
  const { postId, replyId } = subject;
  const hidden = jsonOf(to.hidden);
  const what = to.hidden === null ? 'restored' : 'hidden';
  if (replyId === null) {
    await sql`
      with made as (
        update board.post set hidden = ${hidden}::jsonb, updated_at = now(),
          status = case when ${hidden}::jsonb is null then coalesce(status_before, status) else 'moderated' end,
          status_before = case when ${hidden}::jsonb is null then null else coalesce(status_before, status) end
        where post_id = ${postId} returning post_id
      ) insert into board.outbox (what, post_id) select ${what}, post_id from made`.execute(tx);
    return;
  }
  const counted = Number(to.wasHidden) - Number(to.hidden !== null);
  await sql`
    with made as (update board.reply set hidden = ${hidden}::jsonb, updated_at = now() where reply_id = ${replyId} returning post_id, reply_id)
    insert into board.outbox (what, post_id, reply_id, replies) select ${what}, post_id, reply_id, ${counted}::integer from made
  `.execute(tx);
}
