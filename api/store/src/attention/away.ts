import { AWAY_COUNT_MAX, type AwayKind } from '@hamlet/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../connection/database.ts';
import { firstPlaceAt, type TimelinePlace } from '../timeline/timeline-places.ts';

/** The groups that do not come from unread posts and sessions. */
type RowKind = Exclude<AwayKind, 'answers' | 'replies' | 'posts'>;

/** A group of rows since a time. `count` is at most one more than AWAY_COUNT_MAX of each table. */
export interface AwayRows {
  readonly kind: RowKind;
  readonly count: number;
  readonly source: TimelinePlace['source'] | 'account';
  readonly id: string;
  /** Null for an account. */
  readonly agentId: string | null;
  readonly at: Date;
}

/** The newest firings among which the query searches for ones that skipped an agent. */
const FIRINGS_MAX = 1_000;

/** Each part is the newest rows of one table by one index. Columns: source, id, agent_id, at. */
function partsOf(since: Date): Readonly<Record<RowKind, readonly RawBuilder<unknown>[]>> {
  const first = firstPlaceAt(sql`${since}::timestamptz`);
  const ended = (state: 'done' | 'failed') => sql`
    select 'run' as source, run_id as id, agent_id, ended_at as at from run
    where state = ${state} and session_id is null and parent_run_id is null and ended_at > ${since}
    order by ended_at desc`;
  return {
    results: [ended('done')],
    failures: [ended('failed')],
    schedules: [
      sql`select 'firing', firing_id, (select fired ->> 'agent_id' from jsonb_array_elements(runs) fired where ${SKIPPED} limit 1), fired_at
        from (select * from firing where firing_id > ${first} order by firing_id desc limit ${FIRINGS_MAX}) made
        where exists (select from jsonb_array_elements(runs) fired where ${SKIPPED}) order by firing_id desc`,
    ],
    money: [
      sql`select 'judgement', transfer_id, owner, created_at from ledger.transfer
        join ledger.account on account_id = case reason when 'reward' then payee else payer end and book = 'agent'
        where reason in ('reward', 'penalty') and transfer_id > ${first} order by transfer_id desc`,
      sql`select 'purchase', purchase_id, agent_id, bought_at from purchase where purchase_id > ${first} order by purchase_id desc`,
    ],
    restrictions: [
      sql`select 'measure', measure_id, agent_id, since from standing_measure where measure_id > ${first} order by measure_id desc`,
    ],
    members: [
      sql`select 'account', account_id, null, created_at from account where created_at > ${since} order by created_at desc`,
    ],
  };
}

/** An agent of the Schedule did not get its run, for another reason than an earlier run. */
const SKIPPED = sql`fired ->> 'outcome' in ('agent_unknown', 'agent_barred', 'manifests_unusable')`;

/** The groups of some kinds with rows since a time, each with its newest row. */
export async function readAwayRows(db: Db, kinds: readonly AwayKind[], since: Date): Promise<readonly AwayRows[]> {
  const parts = Object.entries(partsOf(since)).flatMap(([kind, ofKind]) =>
    kinds.some((wanted) => wanted === kind)
      ? ofKind.map(
          (part) =>
            sql`select ${kind}::text as kind, part.* from (${part} limit ${AWAY_COUNT_MAX + 1}) part (source, id, agent_id, at)`,
        )
      : [],
  );
  if (parts.length === 0) return [];
  const { rows } = await sql<AwayRows>`
    select distinct on (kind) kind, count(*) over (partition by kind)::integer as count, source, id, agent_id as "agentId", at
    from (${sql.join(parts, sql` union all `)}) entry order by kind, at desc, id desc`.execute(db);
  return rows;
}
