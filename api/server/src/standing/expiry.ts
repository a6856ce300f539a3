import { randomUUID } from 'node:crypto';
import { announceStandings, inTransaction, liftExpired, recordAudit } from '@hamlet/store';
import type { Db, Tx } from '@hamlet/store';
import type { Log } from '../service/log.ts';
import { repeat } from '../service/repeat.ts';

const EVERY_MS = 1_000;

async function liftAndTell(tx: Tx): Promise<void> {
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

/**
 * Lifts measures whose end has come, once a second, and tells the operator. The api itself stops refusing at the very moment of the end.
 * Replicas share the work. Returns what stops it.
 */
export function startExpiry({ db, log }: { readonly db: Db; readonly log: Log }): () => Promise<void> {
  return repeat(
    EVERY_MS,
    () => inTransaction(db, liftAndTell),
    (error) => log('warn', 'measures that are over wait for the database', { error }),
  );
}
