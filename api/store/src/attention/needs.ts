import { ADMIN_TOOLS, NEEDS_MAX, type NeedKind } from '@hamlet/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';
import { MODEL_HOUR_S } from '../gateway/model-requests.ts';
import { ADDRESS_REFUSED } from '../notices/notice-targets.ts';
import { isOf } from '../permissions/read-permissions.ts';
import { RUN_COLUMNS, type RunRow, seesTexts, type TextReader } from '../runs/run-row.ts';

/** The needs that are rows of tables; the caller finds the others in runs, hours and Agents. */
export type StoredNeedKind = Exclude<NeedKind, 'budget' | 'hour' | 'blocked'>;

/** Something that needs a person. `about`: the tool of a request, micro-aiDollars of an offer, or the code of a run; else empty. */
export interface NeedRow {
  readonly kind: StoredNeedKind;
  readonly id: string;
  readonly agentId: string | null;
  readonly since: Date;
  readonly about: string;
  /** True for a run of a conversation. */
  readonly inSession: boolean;
}

interface NeedFilter {
  readonly reader: TextReader;
  readonly kinds: readonly StoredNeedKind[];
  /** Codes of parked runs that a person can help. */
  readonly parkedCodes: readonly string[];
  /** Codes of failed runs after which a person says how the work continues. */
  readonly stoppedCodes: readonly string[];
}

/** One more of a kind than an answer may have, so that the API sees if there are more. */
const READ = NEEDS_MAX + 1;
/** Older failures are history. */
const FAILED_DAYS = 3;
/**
 * Number of the newest failed runs among which the query finds runs that no later run follows, and agents that fail
 * repeatedly.
 */
const FAILED_SEARCHED = 200;
const FAILED_IN_A_ROW = 3;
const AGENTS_READ = 500;
/**
 * Maximum number of requests and questions of one agent: it may have hundreds, and must not hide those of all others.
 */
const ASKED_OF_AGENT = 5;
/** Failures in a row that mean more than a short outage of the mail server or a push service. */
const NOTICE_FAILURES = 3;

const hasFailedLately = sql<boolean>`run.state = 'failed' and run.kind <> 'worker'
  and run.ended_at > clock_timestamp() - make_interval(days => ${FAILED_DAYS})`;

/** Each query has the columns kind, id, agent_id, since, about, in_session. */
function queries({
  reader,
  parkedCodes,
  stoppedCodes,
}: NeedFilter): Readonly<Record<StoredNeedKind, RawBuilder<unknown>>> {
  const { role, id } = reader;
  const mayAnswer =
    role === 'admin' ? sql<boolean>`true` : sql<boolean>`${isOf(role, id)} and tool <> all(${ADMIN_TOOLS}::text[])`;
  const asked = (kind: StoredNeedKind, why: RawBuilder<boolean>): RawBuilder<unknown> => sql`
    select ${kind}, permission_id::text, agent_id, asked_at, tool, false from (
      select *, row_number() over (partition by agent_id order by asked_at, permission_id) as place from permission
      where state = 'pending' and expires_at > clock_timestamp() and ${why} and ${mayAnswer}) asked
    where place <= ${ASKED_OF_AGENT} order by asked_at`;
  return {
    permission: asked('permission', sql`why <> 'question'`),
    question: asked('question', sql`why = 'question'`),
    result: sql`
      select 'result', run_id::text, run.agent_id, run.ended_at, amount::text, false from run_offer join run using (run_id)
      where run_offer.state = 'open' and run.state = 'done' and offered_by_role = ${role} and offered_by_id = ${id} order by run.ended_at`,
    parked: sql`
      select 'parked', run_id::text, agent_id, created_at, parked_code, session_id is not null from run
      where state = 'queued' and parked_until > clock_timestamp() and parked_code = any(${parkedCodes}::text[])
        and kind <> 'worker' and ${seesTexts(reader)} order by run_id`,
    stopped: sql`
      select 'stopped', run_id::text, agent_id, ended_at, error_code, session_id is not null from (
        select * from run where ${hasFailedLately} and error_code = any(${stoppedCodes}::text[]) and ${seesTexts(reader)}
        order by ended_at desc limit ${FAILED_SEARCHED}) run
      where not exists (select from run later where later.agent_id = run.agent_id and later.run_id > run.run_id
        and later.kind <> 'worker' and later.session_id is not distinct from run.session_id) order by ended_at desc`,
    failing: sql`
      select 'failing', agent_id, agent_id, since, '', false
      from (select distinct agent_id from (
        select agent_id from run where ${hasFailedLately} order by ended_at desc limit ${FAILED_SEARCHED}) newest) failed
      cross join lateral (
        select min(ended_at) as since, count(*) filter (where state = 'failed') as failures from (
          select ended_at, state from run where run.agent_id = failed.agent_id and kind <> 'worker'
            and state in ('done', 'failed', 'cancelled') order by run_id desc limit ${FAILED_IN_A_ROW}) ended) last
      where failures = ${FAILED_IN_A_ROW} order by since`,
    moderation: sql`
      select 'moderation', subject::text, null, min(at), '', false from board.flag where settled_by is null group by subject order by min(at)`,
    difference: sql`
      select 'difference', difference_id::text, null, found_at, '', false from difference
      where settled_at is null and explanation is null order by found_at`,
    credit: sql`
      select 'credit', deposit_id::text, agent_id, requested_at, amount::text, false from deposit
      where state = 'proposed' and requested_by <> ${id} order by requested_at`,
    mail: sql`
      select 'mail', case way when 'mail' then 'smtp' else way end, null, min(failing_since), max(failure), false from notice_target
      where failures >= ${NOTICE_FAILURES} and failure <> ${ADDRESS_REFUSED} and wants <> 'off' and due_at > now() - interval '1 day'
      group by way order by way`,
  };
}

/** Things of some kinds that need a person, oldest first; of each kind at most `NEEDS_MAX` + 1, and few requests of each agent. The transaction needs the person as viewer of the board. */
export async function readNeeds(tx: Tx, filter: NeedFilter): Promise<readonly NeedRow[]> {
  const all = queries(filter);
  const parts = filter.kinds.map((kind) => sql`(${all[kind]} limit ${READ})`);
  if (parts.length === 0) return [];
  const { rows } = await sql<NeedRow>`
    select kind, id, agent_id as "agentId", since, about, in_session as "inSession"
    from (${sql.join(parts, sql` union all `)}) need (kind, id, agent_id, since, about, in_session)
    order by since, id`.execute(tx);
  return rows;
}

/**
 * Runs under way that have used at least this share of a limit, oldest first. Counts the greater of the API's and the agent's figures, so
 * the caller, who knows which of them counts, checks the share again.
 */
export function readNearlySpent(tx: Tx, reader: TextReader, share: number): Promise<readonly RunRow[]> {
  const used = sql<number>`greatest(
    steps / (budgets ->> 'steps')::float8,
    greatest(tokens, claimed_tokens) / (budgets ->> 'tokens')::float8,
    greatest(cost_micros, claimed_cost_micros) / 1000000.0 / (budgets ->> 'money')::float8,
    (worked_ms + coalesce(extract(epoch from clock_timestamp() - working_since) * 1000, 0)) / (budgets ->> 'timeMs')::float8)`;
  return tx
    .selectFrom('run')
    .select(RUN_COLUMNS)
    .where('state', 'in', ['running', 'waiting_permission'])
    .where('kind', '<>', 'worker')
    .where('budgets', 'is not', null)
    .where('cancel_requested_at', 'is', null)
    .where(seesTexts(reader))
    .where(sql<boolean>`${used} >= ${share}`)
    .orderBy('run_id')
    .limit(READ)
    .execute();
}

/** The agents that have used at least so many tokens in their present hour, at most 500. */
export async function readBusyHours(
  db: Db,
  leastTokens: number,
): Promise<readonly { readonly agentId: string; readonly used: number; readonly beganAt: Date }[]> {
  const { rows } = await sql<{ agentId: string; used: number; beganAt: Date }>`
    select agent_id as "agentId", used::int8 as used, began_at as "beganAt" from model_hour
    where began_at > now() - ${MODEL_HOUR_S} * interval '1 second' and used >= ${leastTokens}
    order by agent_id limit ${AGENTS_READ}`.execute(db);
  return rows;
}
