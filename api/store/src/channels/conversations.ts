import type { RunState } from '@hamlet/contract';
import { sql } from 'kysely';
import type { Db } from '../connection/database.ts';

interface Conversation {
  readonly identityId: string;
  readonly agentId: string;
}

/** The session in which an identity talks with an agent; null before the first message. */
export async function findChannelSession(db: Db, { identityId, agentId }: Conversation): Promise<string | null> {
  const row = await db
    .selectFrom('channel_session')
    .select('session_id as sessionId')
    .where('identity_id', '=', identityId)
    .where('agent_id', '=', agentId)
    .executeTakeFirst();
  return row?.sessionId ?? null;
}

export async function keepChannelSession(
  db: Db,
  { identityId, agentId, sessionId }: Conversation & { readonly sessionId: string },
): Promise<void> {
  await db
    .insertInto('channel_session')
    .values({ identity_id: identityId, agent_id: agentId, session_id: sessionId })
    .onConflict((conflict) => conflict.columns(['identity_id', 'agent_id']).doUpdateSet({ session_id: sessionId }))
    .execute();
}

/** The first update that a bot has not processed; 0 before the first. */
export async function readChannelPlace(db: Db, bot: string): Promise<number> {
  const row = await db
    .selectFrom('channel_place')
    .select('next_update as nextUpdate')
    .where('channel', '=', 'telegram')
    .where('bot', '=', bot)
    .executeTakeFirst();
  return row?.nextUpdate ?? 0;
}

/** The place never goes back, so that a replica that lost the lead undoes nothing. */
export async function keepChannelPlace(db: Db, bot: string, nextUpdate: number): Promise<void> {
  await db
    .insertInto('channel_place')
    .values({ channel: 'telegram', bot, next_update: nextUpdate })
    .onConflict((conflict) =>
      conflict
        .columns(['channel', 'bot'])
        .doUpdateSet({ next_update: sql<number>`greatest(channel_place.next_update, excluded.next_update)` }),
    )
    .execute();
}

/** Notes that the answer of a run goes to a messenger; no change if it is noted. */
export async function noteChannelRun(db: Db, run: Conversation & { readonly runId: string }): Promise<void> {
  await db
    .insertInto('channel_run')
    .values({ run_id: run.runId, identity_id: run.identityId, agent_id: run.agentId })
    .onConflict((conflict) => conflict.column('run_id').doNothing())
    .execute();
}

export interface ChannelRun extends Conversation {
  readonly runId: string;
  readonly state: RunState;
  /** Requests of the agent that were sent. */
  readonly asked: readonly string[];
  readonly partsSent: number;
}

/** Runs of these agents that have something to deliver: those that have ended or wait for a person, oldest first. */
export async function readChannelRuns(
  db: Db,
  agentIds: readonly string[],
  atMost: number,
): Promise<readonly ChannelRun[]> {
  const { rows } = await sql<ChannelRun>`
    select c.run_id as "runId", c.identity_id as "identityId", c.agent_id as "agentId", r.state,
      c.asked::text[] as asked, c.parts_sent as "partsSent"
    from channel_run c join run r using (run_id)
    where c.agent_id = any(${[...agentIds]}) and (
      r.state in ('done', 'failed', 'cancelled')
      or exists (
        select from permission p
        where p.run_id = c.run_id and p.state = 'pending' and p.expires_at > clock_timestamp()
          and not p.permission_id = any(c.asked)
      )
    )
    order by c.begun_at
    limit ${atMost}`.execute(db);
  return rows;
}

export async function noteAsked(db: Db, runId: string, permissionId: string): Promise<void> {
  await sql`update channel_run set asked = asked || ${permissionId}::uuid where run_id = ${runId}`.execute(db);
}

export async function notePartsSent(db: Db, runId: string, partsSent: number): Promise<void> {
  await db.updateTable('channel_run').set({ parts_sent: partsSent }).where('run_id', '=', runId).execute();
}

/** Forgets a run whose answer is delivered or cannot be. */
export async function endChannelRun(db: Db, runId: string): Promise<void> {
  await db.deleteFrom('channel_run').where('run_id', '=', runId).execute();
}
