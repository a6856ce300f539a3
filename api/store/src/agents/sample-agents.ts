import { sql } from 'kysely';
import type { Db } from '../connection/database.ts';
import { COLUMNS, type Row } from '../connection/tables.generated.ts';

/** Channel that announces a change of a sample agent; the payload is its id. */
export const SAMPLE_AGENTS_CHANNEL = 'sample_agent';
/** Lifecycle of a sample agent. The database keeps it only in a village without a cluster. */
export type SampleAgentRow = Row<'sample_agent'>;

export async function ensureSampleAgent(db: Db, agentId: string, uid: string): Promise<SampleAgentRow> {
  await db
    .insertInto('sample_agent')
    .values({ agent_id: agentId, uid })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return db
    .selectFrom('sample_agent')
    .select(COLUMNS.sample_agent)
    .where('agent_id', '=', agentId)
    .executeTakeFirstOrThrow();
}

export async function readSampleAgents(db: Db): Promise<readonly SampleAgentRow[]> {
  return db.selectFrom('sample_agent').select(COLUMNS.sample_agent).execute();
}

async function notify(db: Db, agentId: string): Promise<void> {
  await sql`select pg_notify(${SAMPLE_AGENTS_CHANNEL}, ${agentId})`.execute(db);
}

/** Sets the power; a change raises the cycle. Null if the agent does not exist. */
export async function setSamplePower(
  db: Db,
  agentId: string,
  power: 'Awake' | 'Asleep',
): Promise<{ readonly row: SampleAgentRow; readonly changed: boolean } | null> {
  const changed = await db
    .updateTable('sample_agent')
    .set({ power, cycle: sql`cycle + 1` })
    .where('agent_id', '=', agentId)
    .where('power', '!=', power)
    .returning(COLUMNS.sample_agent)
    .executeTakeFirst();
  if (changed !== undefined) await notify(db, agentId);
  const row =
    changed ??
    (await db
      .selectFrom('sample_agent')
      .select(COLUMNS.sample_agent)
      .where('agent_id', '=', agentId)
      .executeTakeFirst());
  return row === undefined ? null : { row, changed: changed !== undefined };
}

/** Begins a new cycle of an awake agent; null if the agent is asleep or does not exist. */
export async function rebootSample(db: Db, agentId: string): Promise<SampleAgentRow | null> {
  const row = await db
    .updateTable('sample_agent')
    .set({ rebooted_at: sql`now()`, cycle: sql`cycle + 1` })
    .where('agent_id', '=', agentId)
    .where('power', '=', 'Awake')
    .returning(COLUMNS.sample_agent)
    .executeTakeFirst();
  if (row !== undefined) await notify(db, agentId);
  return row ?? null;
}
