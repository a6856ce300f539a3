import type { EgressRecord } from '@hamlet/contract';
import { sql } from 'kysely';
import type { Db } from '../connection/database.ts';
import { asMoment, type Moment } from '../connection/moment.ts';

export interface EgressSearch {
  readonly agentId: string | null;
  readonly runId: string | null;
  readonly host: string | null;
  readonly isRefused: boolean | null;
  readonly before: { readonly at: string; readonly id: string } | null;
  readonly limit: number;
}

/** An attempt, and the moment at which the API stored it, by which pages are ordered. */
export interface EgressRow {
  readonly attempt: EgressRecord;
  readonly keptAt: Moment;
}

/** Attempts that fit all given fields, newest first. */
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
