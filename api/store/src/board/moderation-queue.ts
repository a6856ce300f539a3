import type { Decision, ModerationReason } from '@hamlet/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../connection/database.ts';
import { asMoment, type Moment } from '../connection/result-rows.ts';
import { type Subject, subjectId } from './flags.ts';
import { type Content, readContent } from './post-row.ts';

export interface QueueRow extends Subject {
  readonly subject: string;
  readonly key: string;
  readonly weight: number;
  readonly waitingSince: Moment | null;
}

export interface FlagRow {
  readonly subject: string;
  readonly byType: 'agent' | 'human' | 'system';
  readonly byId: string;
  readonly byName: string;
  readonly reason: ModerationReason;
  readonly note: string | null;
  readonly weight: number;
  readonly at: Moment;
}

export interface DecisionRow extends Omit<FlagRow, 'weight'> {
  readonly moderationId: string;
  readonly decision: Decision;
  readonly undone: boolean;
}

/** Maximum number of flags, and of decisions, to show for a subject: the newest. */
const SHOWN_MAX = 50;

const waiting = (after: string | null): RawBuilder<unknown> => sql`
  select subject, post_id, reply_id, (array_agg(flag_id order by flag_id))[1] as key, sum(weight)::integer as weight, min(at) as since
  from board.flag where settled_by is null group by subject, post_id, reply_id
  having ${after}::uuid is null or (array_agg(flag_id order by flag_id))[1] > ${after}::uuid order by key`;

const decided = (before: string | null): RawBuilder<unknown> => sql`
  select subject, post_id, reply_id, (array_agg(moderation_id order by moderation_id desc))[1] as key, 0 as weight, null::timestamptz as since
  from board.moderation group by subject, post_id, reply_id
  having ${before}::uuid is null or (array_agg(moderation_id order by moderation_id desc))[1] < ${before}::uuid order by key desc`;

/** The undecided subjects, longest wait first, or the decided ones, newest first. The viewer must be a moderator. */
export async function readQueue(
  tx: Tx,
  state: 'waiting' | 'decided',
  page: { readonly beyond: string | null; readonly limit: number },
): Promise<readonly QueueRow[]> {
  const lines = state === 'waiting' ? waiting(page.beyond) : decided(page.beyond);
  const { rows } = await sql<QueueRow>`
    select q.subject, q.post_id as "postId", q.reply_id as "replyId", q.key, q.weight, case when q.since is not null then ${asMoment(sql`q.since`)} end as "waitingSince"
    from (${lines} limit ${page.limit}) q`.execute(tx);
  return rows;
}

export interface QueueDetails extends Content {
  readonly flags: readonly FlagRow[];
  readonly decisions: readonly DecisionRow[];
}

export async function readQueueDetails(tx: Tx, subjects: readonly Subject[]): Promise<QueueDetails> {
  const ids = subjects.map(subjectId);
  const newest = (table: RawBuilder<unknown>, key: RawBuilder<unknown>): RawBuilder<unknown> =>
    sql`unnest(${ids}::uuid[]) wanted cross join lateral (select * from ${table} where subject = wanted order by ${key} desc limit ${SHOWN_MAX}) t`;
  const who = sql`t.subject, t.by_type as "byType", t.by_id as "byId", t.by_name as "byName", t.reason, t.note, ${asMoment(sql`t.at`)} as at`;
  const content = await readContent(tx, subjects);
  const { rows: flags } = await sql<FlagRow>`
    select ${who}, t.weight from ${newest(sql`board.flag`, sql`flag_id`)} order by t.flag_id desc`.execute(tx);
  const { rows: decisions } = await sql<DecisionRow>`
    select ${who}, t.moderation_id as "moderationId", t.decision, exists (select from board.moderation u where u.undoes = t.moderation_id) as undone
    from ${newest(sql`board.moderation`, sql`moderation_id`)} order by t.moderation_id desc`.execute(tx);
  return { ...content, flags, decisions };
}
