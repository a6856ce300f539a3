import { RUN_LEASE_S } from '@hamlet/contract';
import { claimLapsed } from '@hamlet/core';
import { inTransaction, databaseNow, readRunsOverLease } from '@hamlet/store';
import type { Db } from '@hamlet/store';
import { refused } from '../http/outcome.ts';
import { applyToRun } from './apply-to-run.ts';

const LEASE_MS = RUN_LEASE_S * 1_000;

/**
 * Lets runs wait again whose agents did not renew their claims in time. Returns how many.
 *
 * @param attentiveSince the time of the database since which this replica has looked without a failure
 */
export async function requeueRuns(db: Db, attentiveSince: Date): Promise<number> {
  let requeued = 0;
  for (const runId of await readRunsOverLease(db))
    if (await requeue(db, runId, attentiveSince.getTime())) requeued += 1;
  return requeued;
}

async function requeue(db: Db, runId: string, attentiveSinceMs: number): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    // Read before the run is held: a renewal that comes in between has a later end.
    const nowMs = (await databaseNow(tx)).getTime();
    const outcome = await applyToRun(tx, runId, {
      command: { kind: 'lapse' },
      words: { detail: { code: 'claim_lapsed' } },
      permit: ({ leaseUntil }) =>
        claimLapsed({ leaseUntilMs: leaseUntil?.getTime() ?? null, attentiveSinceMs, leaseMs: LEASE_MS, nowMs })
          ? null
          : refused('claim_lapsed'),
    });
    return outcome.ok && outcome.data.changed;
  });
}

/**
 * A look for lapsed claims, to be repeated. After a look that failed it begins to count again: while Postgres was away the agents could not renew
 * either. Mutable because it holds since when it has looked.
 */
export function requeueLook(db: Db): () => Promise<void> {
  let attentiveSince: Date | null = null;
  return async () => {
    const since = attentiveSince;
    attentiveSince = null;
    const began = since ?? (await databaseNow(db));
    await requeueRuns(db, began);
    attentiveSince = began;
  };
}
