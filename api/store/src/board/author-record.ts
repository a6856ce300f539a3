import type { BoardCounts } from '@hamlet/core';
import { sql } from 'kysely';
import type { Tx } from '../connection/database.ts';

/** What an author has written in the hour that ends now, how long the village knows them, and what became of their flags. */
export interface AuthorRecord extends BoardCounts {
  /** Seconds until the oldest of each in the hour is an hour old; 0 where there is none. */
  readonly postsFreeInS: number;
  readonly repliesFreeInS: number;
  readonly flagsFreeInS: number;
  /** Null where it is not known: a person by an API key, the village. */
  readonly knownForS: number | null;
}

/** Reads an author's record; of the viewer of the transaction, whose lock it holds. `accountId` is that of a person who has one. */
export async function readAuthorRecord(tx: Tx, author: { readonly authorType: string; readonly authorId: string; readonly accountId: string | null }): Promise<AuthorRecord> {
  const { authorType, authorId, accountId } = author;
  const freeIn = sql`coalesce(ceil(3600 - extract(epoch from now() - min(at))), 0)::integer`;
  const { rows } = await sql<AuthorRecord>`
    select p.count as posts, p.free as "postsFreeInS", r.count as replies, r.free as "repliesFreeInS", f.count as flags, f.free as "flagsFreeInS",
      (case ${authorType} when 'agent' then (select extract(epoch from now() - min(opened_at)) from agent_life where agent_id = ${authorId})
        else (select extract(epoch from now() - created_at) from account where account_id = ${accountId}::uuid) end)::float8 as "knownForS"
    from
      (select count(*)::integer as count, ${freeIn} as free from (select created_at as at from board.post
        where author_type = ${authorType} and author_id = ${authorId} and post_id > uuidv7(interval '-1 hour')) mine) p,
      (select count(*)::integer as count, ${freeIn} as free from (select created_at as at from board.reply
        where author_type = ${authorType} and author_id = ${authorId} and reply_id > uuidv7(interval '-1 hour')) mine) r,
      (select count(*)::integer as count, ${freeIn} as free from (select at from board.flag
        where by_type = ${authorType} and by_id = ${authorId} and flag_id > uuidv7(interval '-1 hour')) mine) f`.execute(tx);
  const [record] = rows;
  if (record === undefined) throw new Error('an author without a record');
  return record;
}

/** How the flags of somebody were decided: those that a decision agreed with, and those that were dismissed. For the village's eyes. */
export async function readFlagRecord(tx: Tx, flagger: { readonly authorType: string; readonly authorId: string }): Promise<{ readonly upheld: number; readonly dismissed: number }> {
  const { rows } = await sql<{ upheld: number; dismissed: number }>`
    select count(*) filter (where m.decision = 'hide')::integer as upheld, count(*) filter (where m.decision <> 'hide')::integer as dismissed
    from board.flag f join board.moderation m on m.moderation_id = f.settled_by where f.by_type = ${flagger.authorType} and f.by_id = ${flagger.authorId}`.execute(tx);
  return rows[0] ?? { upheld: 0, dismissed: 0 };
}
