import { inTransaction, lockOffer, lockRun, readEndedOffers, type Db, type Tx } from '@hamlet/store';
import { actingAs } from '../../audit/record-act.ts';
import type { FreezeCache } from '../../freeze/freeze-cache.ts';
import { job, type Job } from '../../service/jobs.ts';
import { returnOffer } from './run-offers.ts';

const EVERY_MS = 5_000;
const AT_ONCE = 200;

async function endOne(tx: Tx, runId: string): Promise<void> {
  const run = await lockRun(tx, runId);
  const offer = await lockOffer(tx, runId);
  if (run === null || offer?.state !== 'open') return;
  const state = run.state === 'failed' || run.state === 'cancelled' ? 'returned' : 'expired';
  await returnOffer(tx, offer, { state, act: actingAs('system', 'offers'), reason: null });
}

/** Ends offers that cannot be accepted any more, each in its own transaction. Returns their number. */
async function endOffers(db: Db): Promise<number> {
  const due = await readEndedOffers(db, AT_ONCE);
  for (const runId of due) await inTransaction(db, (tx) => endOne(tx, runId));
  return due.length;
}

export function offerJob(ports: { readonly db: Db; readonly freeze: Pick<FreezeCache, 'frozen'> }): Job {
  return job({
    name: 'ended-offers',
    everyMs: EVERY_MS,
    run: async () => {
      if (!ports.freeze.frozen) await endOffers(ports.db);
    },
  });
}
