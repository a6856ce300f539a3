import type { TimelineKind } from '@hamlet/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../connection/database.ts';
import { cutPage, type Page } from '../connection/result-rows.ts';

/** The tables of a timeline. */
type Source =
  | 'session'
  | 'run'
  | 'firing'
  | 'post'
  | 'reply'
  | 'purchase'
  | 'judgement'
  | 'measure'
  | 'pause'
  | 'audit';

/** A row of an agent. `place` is a UUID of version 7 for its time, which orders the timeline. */
export interface TimelinePlace {
  readonly source: Source;
  readonly id: string;
  readonly place: string;
}

export interface TimelineFilter {
  readonly agentId: string;
  /** The beginning of the agent's present life. An earlier agent of the name had its own. */
  readonly since: Date;
  readonly kinds: readonly TimelineKind[];
  readonly sessionId: string | null;
  /** Restricts to sessions of this person; null for all. */
  readonly personId: string | null;
}

interface PageEnd {
  readonly before: string | null;
  readonly limit: number;
}

/** A part of the list: the newest rows of one table by one index, so that a page costs the same at any length of the timeline. */
interface Part {
  readonly source: Source;
  readonly kind: TimelineKind;
  readonly from: RawBuilder<unknown>;
  /** A column with the id. */
  readonly id: string;
  /** The order, if it differs from the id. */
  readonly place?: RawBuilder<unknown>;
}

/** The first place at a time, of any table. */
export const firstPlaceAt = (at: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`timeline_place(${at}, '00000000-0000-0000-0000-000000000000')`;

const PLACE_OF_AUDIT = sql`timeline_place(made.at, made.audit_id)`;
const IN_TIMELINE = sql`made.action in ('awaken', 'suspend', 'reboot', 'sleep_idle', 'wake_idle', 'tier.balance')`;

function talkParts({ agentId, personId, sessionId }: TimelineFilter, page: PageEnd): readonly Part[] {
  const ofSession = sql`(${sessionId}::uuid is null or made.session_id = ${sessionId}::uuid)`;
  const session = { source: 'session', kind: 'session', id: 'session_id' } as const;
  const run = { source: 'run', kind: 'run', id: 'run_id' } as const;
  const isOfAgent = sql`made.agent_id = ${agentId} and ${ofSession}`;
  if (personId === null)
    return [
      { ...session, from: sql`session made where ${isOfAgent}` },
      { ...run, from: sql`run made where ${isOfAgent}` },
    ];
  const mine = sql`session_person p join session on session.session_id = p.session_id and session.agent_id = ${agentId}`;
  // Reads at most a page of the runs of each conversation. "between" leaves only the index of session and run in this order:
  // by "=" Postgres reads the primary key backwards (31,873 buffers at 100,000 runs, in place of 542).
  const runs = sql`(select run.run_id from ${mine} cross join lateral (
      select run_id from run
      where run.session_id between p.session_id and p.session_id and ${isBefore(sql`run_id`, page)}
      order by run.session_id, run_id desc limit ${page.limit + 1}) run
    where p.person_id = ${personId} and (${sessionId}::uuid is null or p.session_id = ${sessionId}::uuid)) made where true`;
  return [
    { ...session, from: sql`(select session.* from ${mine} where p.person_id = ${personId}) made where ${isOfAgent}` },
    { ...run, from: runs },
    ...(sessionId === null
      ? [{ ...run, from: sql`run made where made.agent_id = ${agentId} and made.session_id is null` }]
      : []),
  ];
}

/** The parts outside of conversations. Row-level security leaves out posts that the viewer of the transaction may not see. */
function otherParts(agentId: string): readonly Part[] {
  const written = sql`made.author_type = 'agent' and made.author_id = ${agentId}`;
  const account = sql`(select account_id from ledger.account where book = 'agent' and owner = ${agentId} and shard = 0)`;
  const judgement = { source: 'judgement', kind: 'judgement', id: 'transfer_id' } as const;
  const audit = { source: 'audit', kind: 'state', id: 'audit_id', place: PLACE_OF_AUDIT } as const;
  return [
    {
      source: 'firing',
      kind: 'firing',
      id: 'firing_id',
      from: sql`firing made where made.runs @> ${JSON.stringify([{ agent_id: agentId }])}::jsonb`,
    },
    { source: 'post', kind: 'post', id: 'post_id', from: sql`board.post made where ${written}` },
    { source: 'reply', kind: 'post', id: 'reply_id', from: sql`board.reply made where ${written}` },
    {
      source: 'purchase',
      kind: 'purchase',
      id: 'purchase_id',
      from: sql`purchase made where made.agent_id = ${agentId}`,
    },
    { ...judgement, from: sql`ledger.transfer made where made.payee = ${account} and made.reason = 'reward'` },
    { ...judgement, from: sql`ledger.transfer made where made.payer = ${account} and made.reason = 'penalty'` },
    {
      source: 'measure',
      kind: 'state',
      id: 'measure_id',
      from: sql`standing_measure made where made.agent_id = ${agentId}`,
    },
    { source: 'pause', kind: 'state', id: 'pause_id', from: sql`agent_pause made where made.agent_id = ${agentId}` },
    { ...audit, from: sql`audit made where made.object = ${agentId} and ${IN_TIMELINE}` },
    { ...audit, from: sql`audit made where made.object = ${`tier ${agentId}`} and ${IN_TIMELINE}` },
  ];
}

function isBefore(place: RawBuilder<unknown>, { before }: PageEnd): RawBuilder<unknown> {
  return before === null ? sql`true` : sql`${place} < ${before}::uuid`;
}

function selectPart(
  { source, from, id, place = sql.ref(`made.${id}`) }: Part,
  page: PageEnd & Pick<TimelineFilter, 'since'>,
): RawBuilder<unknown> {
  return sql`(select ${source}::text as source, ${sql.ref(`made.${id}`)} as id, ${place} as place
    from ${from} and ${isBefore(place, page)} and ${place} >= ${firstPlaceAt(sql`${page.since}::timestamptz`)} order by ${place} desc limit ${page.limit + 1})`;
}

/** A page of what happened with an agent in its present life, newest first; with `sessionId`, only that session and its runs. */
export async function readTimeline(
  db: Db,
  filter: TimelineFilter,
  page: PageEnd,
): Promise<Page<TimelinePlace, string>> {
  const talk = talkParts(filter, page);
  const all = filter.sessionId === null ? [...talk, ...otherParts(filter.agentId)] : talk;
  const parts = all.filter(({ kind }) => filter.kinds.includes(kind));
  if (parts.length === 0) return { rows: [], next: null };
  const { rows } = await sql<TimelinePlace>`
    select source, id, place from (${sql.join(
      parts.map((part) => selectPart(part, { ...page, since: filter.since })),
      sql` union all `,
    )}) entry
    order by place desc limit ${page.limit + 1}`.execute(db);
  return cutPage(rows, page.limit, ({ place }) => place);
}
