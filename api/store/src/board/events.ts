import type { BoardEventKind, NewsWhy } from '@hamlet/contract';
import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';
import type { Subject } from './flags.ts';
import { type PostRow, readContent, type ReplyRow } from './post-row.ts';

/** A note on the notice board in the world. */
export interface WorldNote {
  readonly seq: number;
  readonly agentId: string;
  readonly text: string;
}

const EVENTS_AT_ONCE = 5_000;

/** Locks the cursor and reads the notes of the next world events, up to `upTo`. Null if another replica holds the lock. */
export async function takeWorldNotes(
  tx: Tx,
): Promise<{ readonly notes: readonly WorldNote[]; readonly upTo: number; readonly from: number } | null> {
  const { rows: held } = await sql<{ seq: number }>`
    select seq from board.world_cursor for update skip locked`.execute(tx);
  const from = held[0]?.seq;
  if (from === undefined) return null;
  const { rows } = await sql<Omit<WorldNote, 'text'> & { text: string | null; upTo: number }>`
    with read as (select seq, agent_id, case when kind = 'use_board' then nullif(trim(event ->> 'text'), '') end as text
      from world_event where seq > ${from} order by seq limit ${EVENTS_AT_ONCE})
    select seq, agent_id as "agentId", text, (select max(seq) from read) as "upTo" from read where text is not null or seq = (select max(seq) from read) order by seq
  `.execute(tx);
  const upTo = rows.at(-1)?.upTo ?? from;
  return {
    notes: rows.flatMap(({ seq, agentId, text }) => (text === null ? [] : [{ seq, agentId, text }])),
    upTo,
    from,
  };
}

export async function moveWorldCursor(tx: Tx, seq: number): Promise<void> {
  await sql`update board.world_cursor set seq = ${seq}`.execute(tx);
}

interface BoardEventRow {
  readonly offset: number;
  readonly what: BoardEventKind;
  readonly postId: string;
  readonly replyId: string | null;
}

/** An event with the post and reply as the viewer may see them now. */
export interface ShownEvent extends BoardEventRow {
  readonly post: PostRow | null;
  readonly reply: ReplyRow | null;
}

interface NewsRow extends BoardEventRow {
  readonly agentId: string;
  readonly why: NewsWhy;
}

/** Converts at most `atMost` outbox entries to events. Returns the last offset; null while another replica does this. */
export async function relayBoard(db: Db, atMost: number): Promise<number | null> {
  const { rows } = await sql<{ last: number | null }>`select board.relay(${atMost}) as last`.execute(db);
  return rows[0]?.last ?? null;
}

/** True if the outbox has entries. The viewer of the transaction must be `VILLAGE`. */
export async function outboxWaits(tx: Tx): Promise<boolean> {
  const { rows } = await sql<{ waits: boolean }>`select exists (select from board.outbox) as waits`.execute(tx);
  return rows[0]?.waits === true;
}

/** Deletes all but the newest `keptEvents` events, and news older than `keptDays` days. */
export async function forgetBoardEvents(db: Db, keptEvents: number, keptDays: number): Promise<void> {
  await sql`select board.forget(${keptEvents}, ${keptDays})`.execute(db);
}

/**
 * The first and last offset of the stored events; both 0 if there are none. The viewer of the transaction must be
 * `VILLAGE`.
 */
export async function boardRange(tx: Tx): Promise<{ readonly first: number; readonly last: number }> {
  const { rows } = await sql<{ first: number; last: number }>`
    select coalesce(min(event_offset), 0) as first, coalesce(max(event_offset), 0) as last from board.event`.execute(
    tx,
  );
  return rows[0] ?? { first: 0, last: 0 };
}

/** Events after an offset that the viewer may see, in order, with their posts and replies as they are now. */
export async function readBoardEvents(tx: Tx, after: number, limit: number): Promise<readonly ShownEvent[]> {
  const { rows } = await sql<BoardEventRow>`
    select event_offset as "offset", what, post_id as "postId", reply_id as "replyId" from board.event where event_offset > ${after} order by event_offset limit ${limit}
  `.execute(tx);
  return withContent(tx, rows);
}

async function withContent<T extends Subject>(
  tx: Tx,
  rows: readonly T[],
): Promise<(T & { post: PostRow | null; reply: ReplyRow | null })[]> {
  if (rows.length === 0) return [];
  const { posts, replies } = await readContent(tx, rows);
  const postOf = new Map(posts.map((post) => [post.postId, post]));
  const replyOf = new Map(replies.map((reply) => [reply.replyId, reply]));
  return rows.map((row) => ({
    ...row,
    post: postOf.get(row.postId) ?? null,
    reply: row.replyId === null ? null : (replyOf.get(row.replyId) ?? null),
  }));
}

/** News of an agent after an offset, oldest first, with the content that it may see. The viewer must be that agent. */
export async function readNews(
  tx: Tx,
  agentId: string,
  page: { readonly after: number; readonly limit: number },
): Promise<readonly (NewsRow & ShownEvent & { readonly answered: boolean })[]> {
  const { rows } = await sql<NewsRow & { answered: boolean }>`
    select n.event_offset as "offset", case when n.reply_id is null then 'posted' else 'replied' end as what, n.post_id as "postId", n.reply_id as "replyId", n.agent_id as "agentId", n.why,
      exists (select from board.reply r where r.post_id = n.post_id and r.author_type = 'agent' and r.author_id = n.agent_id and r.reply_id > coalesce(n.reply_id, n.post_id)) as answered
    from board.news n where n.agent_id = ${agentId} and n.event_offset > ${page.after} order by n.event_offset limit ${page.limit}
  `.execute(tx);
  return withContent(tx, rows);
}

/** News of some agents between two offsets, for their streams. The viewer of the transaction must be `VILLAGE`. */
export async function readNewsBetween(
  tx: Tx,
  agentIds: readonly string[],
  range: { readonly after: number; readonly upTo: number },
): Promise<readonly NewsRow[]> {
  const { rows } = await sql<NewsRow>`
    select event_offset as "offset", 'replied' as what, post_id as "postId", reply_id as "replyId", agent_id as "agentId", why from board.news
    where event_offset > ${range.after} and event_offset <= ${range.upTo} and agent_id = any(${agentIds}::text[]) order by event_offset
  `.execute(tx);
  return rows;
}
