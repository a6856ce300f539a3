import { sql } from 'kysely';
import { inTransaction } from '../connection/database.ts';
import { closeAgentAccount, openAgentAccount } from '../ledger/accounts.ts';
import type { Db } from '../connection/database.ts';
import { COLUMNS, type Row } from '../connection/tables.generated.ts';

/** One life of an agent: a uid of its custom resource. */
export type Life = Row<'agent_life'>;

/** Opens a life and the account of its agent; ends an older life of the agent. Null if this life has already ended. */
export async function openLife(db: Db, uid: string, agentId: string): Promise<Life | null> {
  return inTransaction(db, async (tx) => {
    const known = await tx
      .selectFrom('agent_life')
      .select(COLUMNS.agent_life)
      .where('uid', '=', uid)
      .forUpdate()
      .executeTakeFirst();
    if (known !== undefined) return known.closedAt === null ? known : null;
    await tx
      .updateTable('agent_life')
      .set({ closed_at: sql`now()` })
      .where('agent_id', '=', agentId)
      .where('closed_at', 'is', null)
      .execute();
    await openAgentAccount(tx, agentId);
    const before = await tx
      .selectFrom('agent_life')
      .select('home')
      .where('agent_id', '=', agentId)
      .where('home', 'is not', null)
      .orderBy('opened_at', 'desc')
      .limit(1)
      .executeTakeFirst();
    return tx
      .insertInto('agent_life')
      .values({ uid, agent_id: agentId, home: before?.home ?? null })
      .returning(COLUMNS.agent_life)
      .executeTakeFirstOrThrow();
  });
}

/** Ends a life, known or not, and revokes its tokens; closes the account unless a newer life of the agent is open. */
export async function closeLife(db: Db, uid: string, agentId: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    await tx
      .insertInto('agent_life')
      .values({ uid, agent_id: agentId, home: null, closed_at: sql<Date>`now()` })
      .onConflict((conflict) =>
        conflict.column('uid').doUpdateSet({ closed_at: sql`coalesce(agent_life.closed_at, now())` }),
      )
      .execute();
    await tx
      .updateTable('agent_session')
      .set({ revoked_at: sql`now()` })
      .where('uid', '=', uid)
      .where('revoked_at', 'is', null)
      .execute();
    const next = await tx
      .selectFrom('agent_life')
      .select('uid')
      .where('agent_id', '=', agentId)
      .where('closed_at', 'is', null)
      .executeTakeFirst();
    if (next === undefined) await closeAgentAccount(tx, agentId);
  });
}

/** Records the home of an agent, so that its next life returns there. */
export async function rememberHome(db: Db, uid: string, home: string): Promise<void> {
  await db
    .updateTable('agent_life')
    .set({ home })
    .where('uid', '=', uid)
    .where(sql<boolean>`home is distinct from ${home}`)
    .execute();
}

export async function openLives(db: Db): Promise<readonly Life[]> {
  return db.selectFrom('agent_life').select(COLUMNS.agent_life).where('closed_at', 'is', null).execute();
}

/** Raises the known cycle of a life; it never falls. Returns the current cycle, or null for an unknown life. */
export async function raiseCycle(db: Db, uid: string, cycle: number): Promise<number | null> {
  const row = await db
    .updateTable('agent_life')
    .set({ cycle: sql`greatest(cycle, ${cycle}::bigint)` })
    .where('uid', '=', uid)
    .where('cycle', '<', cycle)
    .returning('cycle')
    .executeTakeFirst();
  if (row !== undefined) return row.cycle;
  return (await db.selectFrom('agent_life').select('cycle').where('uid', '=', uid).executeTakeFirst())?.cycle ?? null;
}
