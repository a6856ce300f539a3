import { sql } from 'kysely';
import { type Db, inTransaction } from '../connection/database.ts';
import { deleteEndedRunsOfLife } from '../runs/history.ts';
import type { Life } from './lives.ts';

/** Days that runs and rules stay after the life of their agent has ended, so that people can still read what it did. */
const KEPT_DAYS = 90;
const LIVES_AT_ONCE = 20;

export type EndedLife = Pick<Life, 'uid' | 'agentId'>;

/** Lives that ended more than 90 days ago and are not yet forgotten, the oldest first. At most 20. */
export async function readLivesToForget(db: Db): Promise<readonly EndedLife[]> {
  return db
    .selectFrom('agent_life')
    .select(['uid', 'agent_id as agentId'])
    .where('closed_at', '<', sql<Date>`now() - ${KEPT_DAYS} * interval '1 day'`)
    .where('forgotten_at', 'is', null)
    .orderBy('closed_at')
    .limit(LIVES_AT_ONCE)
    .execute();
}

/**
 * Deletes the runs of an ended life with all that belongs to them, its journal, memories with their marks, and allow rules. The books, the audit,
 * the board and the agent's personalities stay. False if runs remain, such as one that has an open offer.
 */
export async function forgetLife(db: Db, { uid, agentId }: EndedLife): Promise<boolean> {
  await deleteEndedRunsOfLife(db, { agentUid: uid, agentId });
  return inTransaction(db, async (tx) => {
    const run = await tx
      .selectFrom('run')
      .select('run_id')
      .where('agent_id', '=', agentId)
      .where('agent_uid', '=', uid)
      .limit(1)
      .executeTakeFirst();
    if (run !== undefined) return false;
    await tx.deleteFrom('journal_size').where('agent_uid', '=', uid).execute();
    await tx.deleteFrom('memory_taint').where('agent_uid', '=', uid).execute();
    await tx.deleteFrom('agent_memory_state').where('agent_uid', '=', uid).execute();
    await tx.deleteFrom('allow_rule').where('agent_id', '=', agentId).where('agent_uid', '=', uid).execute();
    const { numUpdatedRows } = await tx
      .updateTable('agent_life')
      .set({ forgotten_at: sql<Date>`now()` })
      .where('uid', '=', uid)
      .where('forgotten_at', 'is', null)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  });
}
