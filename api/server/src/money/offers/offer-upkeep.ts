import { inTransaction, lockOffer, lockRun, readEndedOffers, type Db, type Tx } from '@hamlet/store';
import { actingAs } from '../../audit/record-act.ts';
import type { FreezeCache } from '../../freeze/freeze-cache.ts';
import { itemByItem } from '../../service/item-by-item.ts';
import { job, type Job } from '../../service/jobs.ts';
import type { Log } from '../../service/log.ts';
import { returnOffer } from './run-offers.ts';

interface OfferPorts {
  readonly db: Db;
  readonly freeze: Pick<FreezeCache, 'frozen'>;
  readonly log: Log;
}

const EVERY_MS = 5_000;
const AT_ONCE = 200;

/** False if the offer has ended meanwhile. */
async function endOne(tx: Tx, runId: string): Promise<boolean> {
  const run = await lockRun(tx, runId);
  const offer = await lockOffer(tx, runId);
  if (run === null || offer?.state !== 'open') return false;
  const state = run.state === 'failed' || run.state === 'cancelled' ? 'returned' : 'expired';
  await returnOffer(tx, offer, { state, act: actingAs('system', 'offers'), reason: null });
  return true;
}

/** Ends offers that can no longer be accepted, each in its own transaction. */
export function offerJob({ db, freeze, log }: OfferPorts): Job {
  const each = itemByItem<string>({
    log,
    message: 'an offer was not ended; the API retries it',
    keyOf: (runId) => runId,
  });
  return job({
    name: 'ended-offers',
    everyMs: EVERY_MS,
    run: async () => {
      if (freeze.frozen) return;
      await each(await readEndedOffers(db, AT_ONCE), (runId) => inTransaction(db, (tx) => endOne(tx, runId)));
    },
  });
}
