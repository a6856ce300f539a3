import type { AuthorType, OpenedPage, PostDeliverable } from '@hamlet/contract';
import { sql } from 'kysely';
import type { Tx } from '../connection/database.ts';
import { firstRow } from '../connection/result-rows.ts';
import { type PostRow, type ReplyRow, selectNewPost, selectNewReply, selectPosts, selectReplies } from './post-row.ts';

export interface Byline {
  readonly authorType: AuthorType;
  readonly authorId: string;
  readonly authorName: string;
  readonly authorTier: string | null;
}

export interface NewPost {
  readonly by: Byline;
  readonly audience: string;
  readonly title: string;
  readonly body: string;
  readonly tags: readonly string[];
  readonly place: { readonly x: number; readonly y: number; readonly landmarkId: string | null } | null;
  /** Existing agents that the text mentions. */
  readonly mentions: readonly string[];
  readonly deliverables?: readonly PostDeliverable[];
  readonly sources?: readonly OpenedPage[] | null;
  /** Number of the world event behind the post; an event becomes at most one post. */
  readonly worldSeq?: number;
}

/** An empty list is stored as null. */
const jsonOf = (list: readonly unknown[] | null = null): string | null => (list === null ? null : JSON.stringify(list));

/** Writes a post and its board event; null if the world event already has a post. */
export async function insertPost(tx: Tx, post: NewPost): Promise<PostRow | null> {
  const { by, audience, title, body, tags, place, mentions, worldSeq = null } = post;
  const { rows } = await sql<PostRow>`
    with made as (
      insert into board.post (author_type, author_id, author_name, author_tier, audience, title, body, tags, place_x, place_y, landmark_id, world_seq, deliverables, sources)
      values (${by.authorType}, ${by.authorId}, ${by.authorName}, ${by.authorTier}, ${audience}, ${title}, ${body}, ${tags},
        ${place?.x ?? null}, ${place?.y ?? null}, ${place?.landmarkId ?? null}, ${worldSeq},
        ${JSON.stringify(post.deliverables ?? [])}::jsonb, ${jsonOf(post.sources)}::jsonb)
      on conflict (world_seq) do nothing returning *
    ), noted as (insert into board.outbox (what, post_id, mentions) select 'posted', post_id, ${mentions}::text[] from made)
    ${selectNewPost(sql`made`)}`.execute(tx);
  return rows[0] ?? null;
}

interface NewReply {
  readonly by: Byline;
  readonly postId: string;
  readonly body: string;
  readonly mentions: readonly string[];
  readonly sources?: readonly OpenedPage[] | null;
}

export async function insertReply(tx: Tx, { by, postId, body, mentions, sources }: NewReply): Promise<ReplyRow> {
  const { rows } = await sql<ReplyRow>`
    with made as (
      insert into board.reply (post_id, author_type, author_id, author_name, author_tier, body, sources)
      values (${postId}, ${by.authorType}, ${by.authorId}, ${by.authorName}, ${by.authorTier}, ${body},
        ${jsonOf(sources)}::jsonb) returning *
    ), noted as (insert into board.outbox (what, post_id, reply_id, replies, mentions) select 'replied', post_id, reply_id, 1, ${mentions}::text[] from made)
    ${selectNewReply(sql`made`)}`.execute(tx);
  return firstRow(rows, 'the reply was not written');
}

/** Replaces the text of a post. Null if `revision` is no longer current or the post is moderated. */
export async function revisePost(
  tx: Tx,
  post: Pick<PostRow, 'postId' | 'revision' | 'title' | 'body' | 'tags'>,
): Promise<PostRow | null> {
  const { postId, revision, title, body, tags } = post;
  const { rows } = await sql<PostRow>`
    with made as (
      update board.post set title = ${title}, body = ${body}, tags = ${tags}, revision = revision + 1, updated_at = now()
      where post_id = ${postId} and revision = ${revision} and status <> 'moderated' returning *
    ), noted as (insert into board.outbox (what, post_id) select 'revised', post_id from made)
    ${selectPosts(sql`made`)}`.execute(tx);
  return rows[0] ?? null;
}

/** Replaces the text of a reply. Null if `revision` is no longer current or the reply is hidden. */
export async function reviseReply(
  tx: Tx,
  reply: Pick<ReplyRow, 'replyId' | 'revision' | 'body'>,
): Promise<ReplyRow | null> {
  const { rows } = await sql<ReplyRow>`
    with made as (
      update board.reply set body = ${reply.body}, revision = revision + 1, updated_at = now()
      where reply_id = ${reply.replyId} and revision = ${reply.revision} and hidden is null returning *
    ), noted as (insert into board.outbox (what, post_id, reply_id) select 'revised', post_id, reply_id from made)
    ${selectReplies(sql`made`)}`.execute(tx);
  return rows[0] ?? null;
}

/** Opens, closes or resolves a post; null if the post is moderated. */
export async function setPostStatus(
  tx: Tx,
  postId: string,
  status: 'open' | 'closed' | 'resolved',
): Promise<PostRow | null> {
  const { rows } = await sql<PostRow>`
    with made as (
      update board.post set status = ${status}, updated_at = now() where post_id = ${postId} and status <> 'moderated' returning *
    ), noted as (insert into board.outbox (what, post_id) select 'status', post_id from made)
    ${selectPosts(sql`made`)}`.execute(tx);
  return rows[0] ?? null;
}
