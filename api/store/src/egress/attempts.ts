import type { EgressAttempt, EgressEnd, EgressRecord } from '@hamlet/contract';
import { SUPPLY } from '@hamlet/core';
import { sql } from 'kysely';
import type { Db } from '../connection/database.ts';
import { HAS_BEGUN } from '../runs/run-row.ts';
import { asMoment, type Moment } from '../connection/result-rows.ts';

interface EgressSearch {
  readonly agentId: string | null;
  readonly runId: string | null;
  readonly host: string | null;
  readonly isRefused: boolean | null;
  readonly before: { readonly at: string; readonly id: string } | null;
  readonly limit: number;
}

/** An attempt with the moment at which the API stored it, which orders pages. */
interface EgressRow {
  readonly attempt: EgressRecord;
  readonly keptAt: Moment;
}

/** Attempts that match all given fields, newest first. */
export async function searchEgressAttempts(db: Db, search: EgressSearch): Promise<readonly EgressRow[]> {
  const { agentId, runId, host, isRefused, before, limit } = search;
  const conditions = [
    sql`true`,
    ...(agentId === null ? [] : [sql`agent_id = ${agentId}`]),
    ...(runId === null ? [] : [sql`run_id = ${runId}`]),
    ...(host === null ? [] : [sql`host = ${host}`]),
    ...(isRefused === null ? [] : [isRefused ? sql`refused is not null` : sql`refused is null`]),
    ...(before === null ? [] : [sql`(kept_at, attempt_id) < (${before.at}::timestamptz, ${before.id}::uuid)`]),
  ];
  const { rows } = await sql<EgressRecord & { readonly kept_at: Moment }>`
    select attempt_id as id, agent_id, agent_uid as uid, cycle, run_id, call_id, run_witnessed, call_witnessed, form, host, port, method, path, refused,
      ${asMoment(sql`begun_at`)} as begun_at, ${asMoment(sql`ended_at`)} as ended_at, ${asMoment(sql`kept_at`)} as kept_at, address, status,
      sent_bytes, received_bytes, cut_off
    from egress_attempt where ${sql.join(conditions, sql` and `)} order by egress_attempt.kept_at desc, attempt_id desc limit ${limit}`.execute(
    db,
  );
  return rows.map(({ kept_at: keptAt, ...attempt }) => ({ attempt, keptAt }));
}

/**
 * Stores attempts, and counts them in the hours of their lives. A run is witnessed if it belongs to the life and is under way, a call if
 * the API started it and its end is not stored. A permitted attempt taints all runs of the life that have begun, because a program of
 * one run can claim another run; the mark says whether an admin chose where it goes (`supply`). Does not store refused attempts of a life that has `refusedUpTo` attempts in this hour. Returns the
 * number of new rows.
 */
export async function beginEgressAttempts(
  db: Db,
  attempts: readonly (EgressAttempt & { readonly supply: boolean })[],
  { refusedUpTo }: { readonly refusedUpTo: number },
): Promise<number> {
  if (attempts.length === 0) return 0;
  const { rows } = await sql<{ readonly begun: number }>`
    with given as (
      select * from jsonb_to_recordset(${JSON.stringify(attempts)}::jsonb) as a (
        id uuid, agent text, uid text, cycle bigint, run uuid, call text, form text, host text, port integer, method text, path text,
        refused text, at timestamptz, supply boolean)
    ), kept as (
      insert into egress_attempt (attempt_id, agent_id, agent_uid, cycle, run_id, call_id, run_witnessed, call_witnessed, form, host, port, method,
        path, refused, begun_at)
      select given.id, agent, uid, given.cycle, given.run, given.call, run.run_id is not null, effect.call_id is not null, form, host, port, method,
        path, refused, at
      from given
      left join run on run.run_id = given.run and run.agent_uid = given.uid and run.state in ('running', 'waiting_permission')
      left join effect on effect.run_id = run.run_id and effect.call_id = given.call and effect.state = 'begun'
      left join egress_hour on egress_hour.agent_uid = given.uid and hour = date_trunc('hour', now())
      where given.refused is null or coalesce(egress_hour.attempts, 0) < ${refusedUpTo}
      on conflict (attempt_id) do nothing
      returning attempt_id, agent_uid, run_id, call_id, call_witnessed, host, refused
    ), let_out as (
      select kept.*, case when given.supply then ${SUPPLY} else 'egress' end as source
      from kept join given on given.id = kept.attempt_id where kept.refused is null
    ), reached as (
      select run.run_id, source, min(host) as host, min(let_out.call_id) filter (where call_witnessed and run.run_id = let_out.run_id) as call_id
      from let_out join run on run.agent_uid = let_out.agent_uid and ${HAS_BEGUN}
      where not exists (select from run_taint where run_taint.run_id = run.run_id and run_taint.source = let_out.source)
      group by run.run_id, source order by run.run_id, source
    ), counted as (
      insert into egress_hour (agent_uid, hour, attempts)
      select agent_uid, date_trunc('hour', now()), count(*) from kept group by agent_uid order by agent_uid
      on conflict (agent_uid, hour) do update set attempts = egress_hour.attempts + excluded.attempts
    )
    select (select count(*) from kept) as begun, (select count(*) filter (where taint_run(run_id, source, host, call_id, null)) from reached) as tainted`.execute(
    db,
  );
  return Number(rows[0]?.begun ?? 0);
}

/** Stores the ends of open attempts. Returns their number. */
export async function endEgressAttempts(db: Db, ends: readonly EgressEnd[]): Promise<number> {
  if (ends.length === 0) return 0;
  const { numAffectedRows } = await sql`
    update egress_attempt set ended_at = now(), address = e.address, status = e.status, sent_bytes = e.sent_bytes,
      received_bytes = e.received_bytes, duration_ms = e.duration_ms, cut_off = e.refused
    from (
      select distinct on (id) * from jsonb_to_recordset(${JSON.stringify(ends)}::jsonb) as given (
        id uuid, address text, status integer, sent_bytes bigint, received_bytes bigint, refused text, duration_ms bigint)
      order by id
    ) as e
    where attempt_id = e.id and ended_at is null and egress_attempt.refused is null`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

export async function countEgressHour(db: Db, uid: string): Promise<number> {
  const { rows } = await sql<{ readonly attempts: number }>`
    select attempts from egress_hour where agent_uid = ${uid} and hour = date_trunc('hour', now())`.execute(db);
  return rows[0]?.attempts ?? 0;
}

/** Deletes attempts that are older than `days`, at most `atMost`. Returns their number. */
export async function forgetEgressAttempts(
  db: Db,
  { days, atMost }: { readonly days: number; readonly atMost: number },
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from egress_attempt where attempt_id in (
      select attempt_id from egress_attempt where kept_at < now() - ${days} * interval '1 day' order by kept_at limit ${atMost})`.execute(
    db,
  );
  return Number(numAffectedRows ?? 0n);
}

export async function forgetEgressHours(db: Db): Promise<void> {
  await sql`delete from egress_hour where hour < now() - interval '2 hours'`.execute(db);
}
