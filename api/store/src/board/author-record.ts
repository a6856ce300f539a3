import type { BoardCounts } from '@hamlet/core';
import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../connection/database.ts';
import { firstRow } from '../connection/result-rows.ts';

/** Posts, replies and flags of an author in the past hour, and the time since the author joined the village. */
export interface AuthorRecord extends BoardCounts {
  /** Seconds until the oldest post of the hour no longer counts; 0 without posts. The next fields are for replies and flags. */
  readonly postsFreeInS: number;
  readonly repliesFreeInS: number;
  readonly flagsFreeInS: number;
  /** Seconds since the account or the agent's first life began; null for an API key and for the village. */
  readonly knownForS: number | null;
}

/** Maximum number of counted rows of an hour; exceeds every limit. */
const COUNTED_MAX = 300;

function lastHour(rows: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(select count(*)::integer as count, coalesce(ceil(3600 - extract(epoch from now() - min(at))), 0)::integer as free from (${rows} limit ${sql.lit(COUNTED_MAX)}) mine)`;
}

/** Reads an author's record. The author must be the viewer and hold the author's lock (writeAs). */
export async function readAuthorRecord(
  tx: Tx,
  author: { readonly authorType: string; readonly authorId: string; readonly accountId: string | null },
): Promise<AuthorRecord> {
  const { authorType, authorId, accountId } = author;
  const known =
    authorType === 'agent'
      ? sql`(select extract(epoch from now() - min(opened_at)) from agent_life where agent_id = ${authorId})`
      : sql`(select extract(epoch from now() - created_at) from account where account_id = ${accountId}::uuid)`;
  const mine = sql`author_type = ${authorType} and author_id = ${authorId}`;
  const { rows } = await sql<AuthorRecord>`
    select p.count as posts, p.free as "postsFreeInS", r.count as replies, r.free as "repliesFreeInS", f.count as flags, f.free as "flagsFreeInS", ${known}::float8 as "knownForS"
    from ${lastHour(sql`select created_at as at from board.post where ${mine} and post_id > uuidv7(interval '-1 hour') order by post_id desc`)} p,
      ${lastHour(sql`select created_at as at from board.reply where ${mine} and reply_id > uuidv7(interval '-1 hour') order by reply_id desc`)} r,
      ${lastHour(sql`select at from board.flag where by_type = ${authorType} and by_id = ${authorId} and flag_id > uuidv7(interval '-1 hour') order by flag_id desc`)} f
  `.execute(tx);
  return firstRow(rows, 'the database returned no record of the author');
}

/** The record of an unlimited author: an admin or the village. */
export const UNCOUNTED: AuthorRecord = {
  posts: 0,
  postsFreeInS: 0,
  replies: 0,
  repliesFreeInS: 0,
  flags: 0,
  flagsFreeInS: 0,
  knownForS: null,
};

/** Counts an author's flags that moderators upheld or dismissed. The viewer of the transaction must be `VILLAGE`. */
export async function readFlagRecord(
  tx: Tx,
  flagger: { readonly authorType: string; readonly authorId: string },
): Promise<{ readonly upheld: number; readonly dismissed: number }> {
  const { rows } = await sql<{ upheld: number; dismissed: number }>`
    select count(*) filter (where m.decision = 'hide')::integer as upheld, count(*) filter (where m.decision <> 'hide')::integer as dismissed
    from board.flag f join board.moderation m on m.moderation_id = f.settled_by where f.by_type = ${flagger.authorType} and f.by_id = ${flagger.authorId}
  `.execute(tx);
  return rows[0] ?? { upheld: 0, dismissed: 0 };
}
