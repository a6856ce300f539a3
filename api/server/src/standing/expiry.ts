import { randomUUID } from 'node:crypto';
import { announceStandings, inTransaction, liftExpired, recordAudit, type Db, type Tx } from '@hamlet/store';
import { job, type Job } from '../service/jobs.ts';

const EVERY_MS = 1_000;

async function liftAndAnnounce(tx: Tx): Promise<void> {
  const lifted = await liftExpired(tx);
  for (const { agentId, measure } of lifted) {
    const auditId = randomUUID();
    await recordAudit(tx, {
      auditId,
      actorRole: 'system',
      actorId: 'expiry',
      action: `lift.${measure}`,
      object: agentId,
      detail: { reason: 'expired' },
      requestId: auditId,
      traceparent: null,
    });
  }
  await announceStandings(tx, [...new Set(lifted.map(({ agentId }) => agentId))]);
}

/** The API refuses requests exactly until the end of a measure, even if the job runs later. */
export function measureExpiryJob(db: Db): Job {
  return job({ name: 'measure-expiry', everyMs: EVERY_MS, run: () => inTransaction(db, liftAndAnnounce) });
}
