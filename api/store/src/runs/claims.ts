import { RUN_LEASE_S } from '@hamlet/contract';
import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';

const AT_ONCE = 200;

/** The end of a lease that begins now. */
export const leaseEnd = sql<Date>`clock_timestamp() + ${RUN_LEASE_S} * interval '1 second'`;

/** Lets the claim on a held run hold for another lease. */
export async function renewClaim(tx: Tx, runId: string): Promise<void> {
  await tx.updateTable('run').set({ lease_until: leaseEnd }).where('run_id', '=', runId).execute();
}

/** Runs whose lease is over, the longest first, at most 200. The caller looks again once it holds the run: a renewal may come in between. */
export async function readRunsOverLease(db: Db): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('run')
    .select('run_id')
    .where('lease_until', '<', sql<Date>`clock_timestamp()`)
    .orderBy('lease_until')
    .limit(AT_ONCE)
    .execute();
  return rows.map(({ run_id }) => run_id);
}
