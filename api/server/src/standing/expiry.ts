import { announceStandings, inTransaction, liftExpired, type Db, type Tx } from '@hamlet/store';
import { actingAs, recordAct } from '../audit/record-act.ts';
import { job, type Job } from '../service/jobs.ts';

const EVERY_MS = 1_000;

async function liftAndAnnounce(tx: Tx): Promise<void> {
  const lifted = await liftExpired(tx);
  for (const { agentId, measure } of lifted) {
    const act = { action: `lift.${measure}`, object: agentId, detail: { reason: 'expired' } };
    await recordAct(tx, actingAs('system', 'expiry'), act);
  }
  await announceStandings(tx, [...new Set(lifted.map(({ agentId }) => agentId))]);
}

/** The API refuses requests exactly until the end of a measure, even if the job runs later. */
export function measureExpiryJob(db: Db): Job {
  return job({ name: 'measure-expiry', everyMs: EVERY_MS, run: () => inTransaction(db, liftAndAnnounce) });
}
