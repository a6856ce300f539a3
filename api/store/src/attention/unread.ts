import { AWAY_DAYS_MAX, UNREAD_MAX } from '@hamlet/contract';
import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';
import { firstPlaceAt } from '../timeline/timeline-places.ts';

/** The newest posts and replies that a query reads, so that it costs the same on a board of any size. */
const POSTS_MAX = 200;
const REPLIES_MAX = 300;
/** Row-level security filters after the index, so a query reads no further back than this many posts of the whole board. */
const BEHIND_MAX = 5_000;
/** The newest conversations of a person that a query reads, and the newest texts of each. */
const SESSIONS_MAX = 200;
const TEXTS_MAX = 20;

/** Texts before this time count as read, without any mark of their own; null for a person who has never looked at the village. */
const readUntil = (personId: string, thing: 'board' | 'sessions') => sql`
  (select greatest(seen_at, now() - make_interval(days => ${AWAY_DAYS_MAX})) as base from person_seen
    where person_id = ${personId} and thing = ${thing})`;

/** A post with texts of others that the person has not read. */
export interface UnreadPost {
  readonly postId: string;
  readonly texts: number;
  readonly at: Date;
  readonly title: string;
  /** True if the person wrote the post. */
  readonly isOwn: boolean;
  /** Author of the newest text. */
  readonly authorType: string;
  readonly authorId: string;
  readonly authorName: string;
  readonly isReply: boolean;
}

/** Unread posts, newest first, at most UNREAD_MAX. The transaction needs the person as viewer of the board. */
export async function readUnreadPosts(tx: Tx, personId: string): Promise<readonly UnreadPost[]> {
  const written = sql`made.author_type = 'human' and made.author_id = ${personId}`;
  const part = (table: 'post' | 'reply', limit: number) => {
    const id = sql.ref(`made.${table}_id`);
    const behind = sql`${sql.id('board', `${table}_behind`)}(${BEHIND_MAX})`;
    return sql`(select made.post_id, made.created_at as at, made.author_type, made.author_id, made.author_name, ${table}::text as what
      from read_until cross join lateral (
        select * from ${sql.table(`board.${table}`)} made
        where ${id} > greatest(${firstPlaceAt(sql`read_until.base`)}, (select ${behind})) and made.hidden is null and not (${written})
        order by ${id} desc limit ${limit}) made)`;
  };
  const { rows } = await sql<UnreadPost>`
    with read_until as ${readUntil(personId, 'board')},
    newest as (
      select made.*, count(*) over (partition by post_id)::integer as texts,
        row_number() over (partition by post_id order by at desc) as place
      from (${part('post', POSTS_MAX)} union all ${part('reply', REPLIES_MAX)}) made
      left join person_seen seen on seen.person_id = ${personId} and seen.thing = 'post/' || made.post_id
      where seen.seen_at is null or made.at > seen.seen_at)
    select newest.post_id as "postId", newest.texts, newest.at, post.title, newest.what = 'reply' as "isReply",
      post.author_type = 'human' and post.author_id = ${personId} as "isOwn",
      newest.author_type as "authorType", newest.author_id as "authorId", newest.author_name as "authorName"
    from newest join board.post on post.post_id = newest.post_id
    where newest.place = 1 order by newest.at desc limit ${UNREAD_MAX}`.execute(tx);
  return rows;
}

/** A conversation with answers of its agent that the person has not read. */
export interface UnreadSession {
  readonly sessionId: string;
  readonly agentId: string;
  readonly title: string | null;
  /** At most TEXTS_MAX. */
  readonly texts: number;
  readonly at: Date;
}

/** Unread conversations of a person, newest first, at most UNREAD_MAX. */
export async function readUnreadSessions(db: Db, personId: string): Promise<readonly UnreadSession[]> {
  const { rows } = await sql<UnreadSession>`
    with read_until as ${readUntil(personId, 'sessions')},
    mine as (
      select session_id, session.agent_id, session.title, greatest(read_until.base, seen.seen_at) as base
      from read_until cross join lateral (
        select session_id from session_person where person_id = ${personId} order by session_id desc limit ${SESSIONS_MAX}) p
      join session using (session_id)
      left join person_seen seen on seen.person_id = ${personId} and seen.thing = 'session/' || session_id)
    select mine.session_id as "sessionId", mine.agent_id as "agentId", mine.title, unread.texts, unread.at
    from mine cross join lateral (
      select count(*)::integer as texts, max(at) as at from (
        select at, author_role from session_message
        where session_message.session_id = mine.session_id order by number desc limit ${TEXTS_MAX}) newest
      where author_role = 'agent' and at > mine.base) unread
    where unread.texts > 0 order by unread.at desc limit ${UNREAD_MAX}`.execute(db);
  return rows;
}
