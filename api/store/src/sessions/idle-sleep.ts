import { sql } from 'kysely';
import type { Db } from '../connection/database.ts';

export interface RestRow {
  readonly agentId: string;
  /** Start of the idle sleep of this life; null if it is not asleep. */
  readonly asleepSince: Date | null;
  readonly activeAt: Date | null;
  readonly addressedAt: Date | null;
  /** The oldest open run that its session does not hold, with its creator; runs of messages come last. Null if there is none. */
  readonly work: { readonly kind: string; readonly role: string; readonly id: string } | null;
  readonly now: Date;
}

/** The facts for idle sleep and waking of agents. */
export async function readRest(
  db: Db,
  lives: readonly { readonly agentId: string; readonly uid: string }[],
): Promise<readonly RestRow[]> {
  if (lives.length === 0) return [];
  const { rows } = await sql<RestRow>`
    select life.agent_id as "agentId", sleep.since as "asleepSince", clock_timestamp() as now, news.at as "addressedAt",
      greatest(worked.at, wrote.at, acted.at, news.at, known.opened_at) as "activeAt", work.by as work
    from unnest(${lives.map(({ agentId }) => agentId)}::text[], ${lives.map(({ uid }) => uid)}::text[]) as life (agent_id, uid)
    left join idle_sleep sleep on sleep.agent_id = life.agent_id and sleep.agent_uid = life.uid
    left join agent_life known on known.uid = life.uid
    left join lateral (
      select max(greatest(created_at, ended_at)) as at from (
        select created_at, ended_at from run where run.agent_id = life.agent_id order by run_id desc limit 20) newest) worked on true
    left join lateral (select max(last_at) as at from session where session.agent_id = life.agent_id) wrote on true
    left join lateral (
      select at from audit where audit.object = life.agent_id and actor_role not in ('agent', 'system')
      order by at desc limit 1) acted on true
    left join lateral (
      select at from board.news where news.agent_id = life.agent_id order by event_offset desc limit 1) news on true
    left join lateral (
      select json_build_object('kind', run.kind, 'role', run.created_by_role, 'id', run.created_by_id) as by
      from run left join session on session.session_id = run.session_id
      where run.agent_id = life.agent_id and run.agent_uid = life.uid
        and run.state in ('queued', 'running', 'waiting_permission') and (run.state <> 'queued' or session.paused_at is null)
      order by run.kind = 'message', run.run_id limit 1) work on true`.execute(db);
  return rows;
}

/** Records the idle sleep of a life. No change if it is already recorded. */
export async function noteIdleSleep(db: Db, agentId: string, uid: string): Promise<void> {
  await db
    .insertInto('idle_sleep')
    .values({ agent_id: agentId, agent_uid: uid })
    .onConflict((conflict) =>
      conflict
        .column('agent_id')
        .doUpdateSet({ agent_uid: uid, since: sql`clock_timestamp()` })
        .where('idle_sleep.agent_uid', '<>', uid),
    )
    .execute();
}

/** Deletes the idle sleep of agents that are awake or suspended. */
export async function forgetIdleSleep(db: Db, agentIds: readonly string[]): Promise<void> {
  if (agentIds.length === 0) return;
  await db
    .deleteFrom('idle_sleep')
    .where(sql<boolean>`agent_id = any(${[...agentIds]}::text[])`)
    .execute();
}
