import type { AuthorType, ModerationNote, OpenedPage, PostDeliverable, PostStatus } from '@hamlet/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../connection/database.ts';
import { asMoment, type Moment } from '../connection/result-rows.ts';
import type { Subject } from './flags.ts';

interface Written {
  readonly authorType: AuthorType;
  readonly authorId: string;
  readonly authorName: string;
  readonly authorTier: string | null;
  readonly body: string;
  readonly revision: number;
  readonly hidden: ModerationNote | null;
  readonly createdAt: Moment;
  readonly updatedAt: Moment;
  /** Micro-aiDollars. */
  readonly rewarded: string;
  /** Linked pages that the run of the text had opened; null if no run wrote it. */
  readonly sources: OpenedPage[] | null;
  /** Weight of the undecided flags; null unless the viewer is a moderator. */
  readonly flags: number | null;
}

export interface PostRow extends Written {
  readonly postId: string;
  readonly audience: string;
  readonly title: string;
  readonly tags: string[];
  readonly status: PostStatus;
  readonly placeX: number | null;
  readonly placeY: number | null;
  readonly landmarkId: string | null;
  readonly replies: number;
  readonly deliverables: PostDeliverable[];
}

export interface ReplyRow extends Written {
  readonly replyId: string;
  readonly postId: string;
}

/** The shared columns of posts and replies, from a table or result with the alias `w`. */
const WRITTEN = sql`w.author_type as "authorType", w.author_id as "authorId", w.author_name as "authorName", w.author_tier as "authorTier", w.body, w.revision, w.hidden, w.sources,
  ${asMoment(sql`w.created_at`)} as "createdAt", ${asMoment(sql`w.updated_at`)} as "updatedAt"`;

const FLAGS = (subject: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`case when board.moderates() then (select coalesce(sum(f.weight), 0)::integer from board.flag f where f.subject = ${subject} and f.settled_by is null) end as flags`;

/** Counts in the outbox that the relay has not added to the post or reply yet; nearly always empty. */
const PENDING_OF_POST = sql`left join lateral (
  select sum(o.replies) as replies, sum(o.rewarded) filter (where o.reply_id is null) as rewarded from board.outbox o where o.post_id = w.post_id) pending on true`;
const PENDING_OF_REPLY = sql`left join lateral (
  select sum(o.rewarded) as rewarded from board.outbox o where o.post_id = w.post_id and o.reply_id = w.reply_id) pending on true`;

const POST = sql`w.post_id as "postId", w.audience, w.title, w.tags, w.status, w.place_x as "placeX", w.place_y as "placeY", w.landmark_id as "landmarkId", w.deliverables, ${WRITTEN}`;
const REPLY = sql`w.reply_id as "replyId", w.post_id as "postId", ${WRITTEN}`;
const NEW = sql`w.rewarded::text as rewarded, case when board.moderates() then 0 end as flags`;

export function selectPosts(source: RawBuilder<unknown>): RawBuilder<PostRow> {
  return sql<PostRow>`select ${POST}, (w.replies + coalesce(pending.replies, 0))::integer as replies, (w.rewarded + coalesce(pending.rewarded, 0))::text as rewarded, ${FLAGS(sql`w.post_id`)}
    from ${source} w ${PENDING_OF_POST}`;
}

export function selectReplies(source: RawBuilder<unknown>): RawBuilder<ReplyRow> {
  return sql<ReplyRow>`select ${REPLY}, (w.rewarded + coalesce(pending.rewarded, 0))::text as rewarded, ${FLAGS(sql`w.reply_id`)} from ${source} w ${PENDING_OF_REPLY}`;
}

/** Selects a post that the same statement inserted: it has no pending counts and no flags. */
export function selectNewPost(source: RawBuilder<unknown>): RawBuilder<PostRow> {
  return sql<PostRow>`select ${POST}, w.replies, ${NEW} from ${source} w`;
}

export function selectNewReply(source: RawBuilder<unknown>): RawBuilder<ReplyRow> {
  return sql<ReplyRow>`select ${REPLY}, ${NEW} from ${source} w`;
}

export interface Content {
  readonly posts: readonly PostRow[];
  readonly replies: readonly ReplyRow[];
}

export async function readContent(tx: Tx, subjects: readonly Subject[]): Promise<Content> {
  const postIds = [...new Set(subjects.map(({ postId }) => postId))];
  const replyIds = [...new Set(subjects.flatMap(({ replyId }) => replyId ?? []))];
  const { rows: posts } =
    await sql<PostRow>`${selectPosts(sql`board.post`)} where w.post_id = any(${postIds}::uuid[])`.execute(tx);
  if (replyIds.length === 0) return { posts, replies: [] };
  const { rows: replies } =
    await sql<ReplyRow>`${selectReplies(sql`board.reply`)} where w.reply_id = any(${replyIds}::uuid[])`.execute(tx);
  return { posts, replies };
}
