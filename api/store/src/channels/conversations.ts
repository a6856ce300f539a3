import type { Channel, RunState } from '@hamlet/contract';
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

/** Telegram forgets an update after a day, and numbers updates again, at random, after a week without one. */
const PLACE_LIFE = sql`interval '2 days'`;

/** The first update that a bot has not processed; 0 before the first, and after two days without an update. */
export async function readChannelPlace(db: Db, bot: string): Promise<number> {
  const row = await db
    .selectFrom('channel_place')
    .select('next_update as nextUpdate')
    .where('channel', '=', 'telegram')
    .where('bot', '=', bot)
    .where(sql<boolean>`moved_at > now() - ${PLACE_LIFE}`)
    .executeTakeFirst();
  return row?.nextUpdate ?? 0;
}

/** While the place counts, it never goes back, so that a replica that lost the lead undoes nothing. */
export async function keepChannelPlace(db: Db, bot: string, nextUpdate: number): Promise<void> {
  await sql`
    insert into channel_place as kept (channel, bot, next_update) values ('telegram', ${bot}, ${nextUpdate})
    on conflict (channel, bot) do update set next_update = excluded.next_update, moved_at = now()
      where kept.next_update < excluded.next_update or kept.moved_at <= now() - ${PLACE_LIFE}`.execute(db);
}

/** Notes that the answer of a run goes to a messenger; no change if it is noted. */
export async function noteChannelRun(db: Db, run: Conversation & { readonly runId: string }): Promise<void> {
  await db
    .insertInto('channel_run')
    .values({ run_id: run.runId, identity_id: run.identityId, agent_id: run.agentId })
    .onConflict((conflict) => conflict.column('run_id').doNothing())
    .execute();
}

/** The newest report of a run (`session_message.progress`) that its person has not seen at the messenger. */
interface ChannelReport {
  readonly version: number;
  readonly text: string;
}

export interface ChannelRun extends Conversation {
  readonly channel: Channel;
  readonly runId: string;
  readonly state: RunState;
  /** Requests of the agent that were sent. */
  readonly asked: readonly string[];
  readonly partsSent: number;
  /** The message that shows the reports of the run. */
  readonly reportId: string | null;
  /** Null if there is none, or if the message must not change yet. */
  readonly report: ChannelReport | null;
  /** True a day after the end of the run: a delivery that fails now ends. */
  readonly isOverdue: boolean;
}

const DELIVERY_LIFE = sql`interval '1 day'`;
/** The message of a run changes at most this often, and at most this many times. */
const REPORT_EVERY = sql`interval '3 seconds'`;
const REPORTS_MAX = 20;

interface DueRuns {
  readonly bots: readonly Pick<ChannelRun, 'agentId' | 'channel'>[];
  /** Conversations that are left out, by `conversationKey`. */
  readonly except?: readonly string[];
  /** For each bot. */
  readonly atMost: number;
}

export const conversationKey = ({ identityId, agentId }: Conversation): string => `${identityId} ${agentId}`;

/**
 * Runs of these bots that have something to deliver: those that have ended, wait for a person or have a new report, oldest
 * or longest postponed first.
 */
export async function readChannelRuns(db: Db, { bots, except = [], atMost }: DueRuns): Promise<readonly ChannelRun[]> {
  const agents = bots.map(({ agentId }) => agentId);
  const channels = bots.map(({ channel }) => channel);
  const { rows } = await sql<ChannelRun>`
    select due.* from unnest(${agents}::text[], ${channels}::text[]) bot (agent_id, channel) cross join lateral (
      select c.run_id as "runId", c.identity_id as "identityId", c.agent_id as "agentId", i.channel, r.state,
        coalesce(r.ended_at < now() - ${DELIVERY_LIFE}, false) as "isOverdue",
        c.asked::text[] as asked, c.parts_sent as "partsSent", c.progress_id as "reportId",
        case when m.run_id is not null then json_build_object('version', m.version, 'text', m.text) end as report
      from channel_run c join channel_identity i using (identity_id) join run r using (run_id)
        left join session_message m on m.run_id = c.run_id and m.progress and m.forgotten_at is null
          and r.state not in ('done', 'failed', 'cancelled') and m.version > c.progress_version and c.progress_edits < ${REPORTS_MAX}
          and coalesce(c.progress_at < now() - ${REPORT_EVERY}, true)
      where c.agent_id = bot.agent_id and i.channel = bot.channel
        and c.identity_id || ' ' || c.agent_id <> all(${except}::text[]) and (
        r.state in ('done', 'failed', 'cancelled')
        or m.run_id is not null
        or exists (
          select from permission p
          where p.run_id = c.run_id and p.state = 'pending' and p.expires_at > clock_timestamp()
            and not p.permission_id = any(c.asked)))
      order by c.begun_at
      limit ${atMost}) due`.execute(db);
  return rows;
}

/** Notes the message that shows the report of a run in this version. */
export async function noteReportShown(
  db: Db,
  runId: string,
  { messageId, version }: { readonly messageId: string; readonly version: number },
): Promise<void> {
  await sql`
    update channel_run
    set progress_id = ${messageId}, progress_version = ${version}, progress_edits = progress_edits + 1, progress_at = now()
    where run_id = ${runId}`.execute(db);
}

export async function noteAsked(db: Db, runId: string, permissionId: string): Promise<void> {
  await sql`update channel_run set asked = asked || ${permissionId}::uuid where run_id = ${runId}`.execute(db);
}

export async function notePartsSent(db: Db, runId: string, partsSent: number): Promise<void> {
  await db.updateTable('channel_run').set({ parts_sent: partsSent }).where('run_id', '=', runId).execute();
}

/** Makes a run the last of those that have something to deliver. */
export async function postponeChannelRun(db: Db, runId: string): Promise<void> {
  await sql`update channel_run set begun_at = clock_timestamp() where run_id = ${runId}`.execute(db);
}

/** Forgets a run whose answer is delivered or cannot be. */
export async function endChannelRun(db: Db, runId: string): Promise<void> {
  await db.deleteFrom('channel_run').where('run_id', '=', runId).execute();
}
