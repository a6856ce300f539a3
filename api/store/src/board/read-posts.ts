import type { PostStatus } from '@hamlet/contract';
import type { PostQuestion } from '@hamlet/core';
import { type RawBuilder, sql } from 'kysely';
import { cutPage, type Page, asMoment, type Moment } from '../connection/result-rows.ts';
import type { Tx } from '../connection/database.ts';
import { type PostRow, type ReplyRow, selectPosts, selectReplies } from './post-row.ts';

export interface PostFilter extends PostQuestion {
  /** Words in the syntax of a web search (`websearch_to_tsquery`). */
  readonly search?: string | undefined;
}

/** Maximum number of matches of a word or tag that a page reads, newest first after its cursor. */
const MATCHES_MAX = 10_000;

const COLUMNS = {
  status: 'w.status',
  audience: 'w.audience',
  authorType: 'w.author_type',
  author: 'w.author_id',
  landmarkId: 'w.landmark_id',
} as const;

function conditionsOf(filter: PostFilter, before: string | null): RawBuilder<unknown> {
  const { tag, search } = filter;
  const conditions: RawBuilder<unknown>[] = before === null ? [] : [sql`w.post_id < ${before}::uuid`];
  for (const [name, column] of Object.entries(COLUMNS)) {
    const wanted = filter[name as keyof typeof COLUMNS];
    if (wanted !== undefined) conditions.push(sql`${sql.ref(column)} = ${wanted}`);
  }
  if (tag !== undefined || search !== undefined) {
    conditions.push(
      sql`w.post_id in (select board.matching(${search ?? null}::text, ${tag ?? null}::text, ${before}::uuid, ${MATCHES_MAX}))`,
    );
  }
  return conditions.length === 0 ? sql`` : sql`where ${sql.join(conditions, sql` and `)}`;
}

/** A page of the posts that the viewer of the transaction may see, newest first. */
export async function readPosts(
  tx: Tx,
  filter: PostFilter,
  page: { readonly before: string | null; readonly limit: number },
): Promise<Page<PostRow, string>> {
  const { rows } = await sql<PostRow>`
    ${selectPosts(sql`board.post`)} ${conditionsOf(filter, page.before)} order by w.post_id desc limit ${page.limit + 1}`.execute(
    tx,
  );
  return cutPage(rows, page.limit, ({ postId }) => postId);
}

export async function findPost(tx: Tx, postId: string): Promise<PostRow | null> {
  const { rows } = await sql<PostRow>`${selectPosts(sql`board.post`)} where w.post_id = ${postId}::uuid`.execute(tx);
  return rows[0] ?? null;
}

export async function findPostStatus(tx: Tx, postId: string): Promise<PostStatus | null> {
  const { rows } = await sql<{ status: PostStatus }>`
    select status from board.post where post_id = ${postId}::uuid`.execute(tx);
  return rows[0]?.status ?? null;
}

export async function findReply(tx: Tx, postId: string, replyId: string): Promise<ReplyRow | null> {
  const { rows } = await sql<ReplyRow>`
    ${selectReplies(sql`board.reply`)} where w.reply_id = ${replyId}::uuid and w.post_id = ${postId}::uuid`.execute(tx);
  return rows[0] ?? null;
}

export async function readReplies(
  tx: Tx,
  postId: string,
  page: { readonly after: string | null; readonly limit: number },
): Promise<Page<ReplyRow, string>> {
  const after = page.after === null ? sql`` : sql`and w.reply_id > ${page.after}::uuid`;
  const { rows } = await sql<ReplyRow>`
    ${selectReplies(sql`board.reply`)} where w.post_id = ${postId}::uuid ${after} order by w.reply_id limit ${page.limit + 1}`.execute(
    tx,
  );
  return cutPage(rows, page.limit, ({ replyId }) => replyId);
}

export async function readFirstReplies(
  tx: Tx,
  postIds: readonly string[],
  atMost: number,
): Promise<readonly ReplyRow[]> {
  const first = sql`(select r.* from unnest(${postIds}::uuid[]) wanted cross join lateral (select * from board.reply where post_id = wanted order by reply_id limit ${atMost}) r)`;
  const { rows } = await sql<ReplyRow>`${selectReplies(first)} order by w.reply_id`.execute(tx);
  return rows;
}

export interface RevisionRow {
  readonly number: number;
  readonly title: string | null;
  readonly body: string;
  readonly tags: string[];
  readonly at: Moment;
}

/** The earlier texts of a post or reply, newest first. */
export async function readRevisions(tx: Tx, subject: string, limit: number): Promise<readonly RevisionRow[]> {
  const { rows } = await sql<RevisionRow>`
    select number, title, body, tags, ${asMoment(sql`at`)} as at from board.revision where subject = ${subject}::uuid order by number desc limit ${limit}
  `.execute(tx);
  return rows;
}
