import { sql } from 'kysely';
import type { Db } from '../connection/database.ts';

/** Why the village ends a run itself. */
export type GivenUp = 'agent_gone' | 'cancel_unconfirmed' | 'time_limit';

export interface OverdueRun {
  readonly runId: string;
  readonly why: GivenUp;
}

export interface RunLimits {
  /** How long an agent may take to end a run that is to be cancelled. */
  readonly cancelGraceS: number;
  /** How long a run may go. */
  readonly timeLimitS: number;
  /** How long a life that nobody has seen open may hold a run. */
  readonly unseenLifeS: number;
}

const AT_ONCE = 200;

/** Runs that nobody will end: their life is over, their agent does not answer a cancel, or they have gone on for too long. */
export async function readOverdueRuns(db: Db, limits: RunLimits): Promise<readonly OverdueRun[]> {
  const { rows } = await sql<OverdueRun>`
    select run_id as "runId", case
      when agent_life.closed_at is not null or agent_life.uid is null then 'agent_gone'
      when run.state <> 'queued' and cancel_requested_at < now() - ${limits.cancelGraceS} * interval '1 second' then 'cancel_unconfirmed'
      else 'time_limit' end as why
    from run left join agent_life on agent_life.uid = run.agent_uid
    where run.state in ('queued', 'running', 'waiting_permission') and (
      agent_life.closed_at is not null
      or (agent_life.uid is null and run.created_at < now() - ${limits.unseenLifeS} * interval '1 second')
      or (run.state <> 'queued' and cancel_requested_at < now() - ${limits.cancelGraceS} * interval '1 second')
      or (run.state <> 'queued' and started_at < now() - ${limits.timeLimitS} * interval '1 second'))
    order by run_id limit ${AT_ONCE}`.execute(db);
  return rows;
}
