import { checkLedgerGrowth, expireHolds } from '@hamlet/store';
import type { Db } from '@hamlet/store';
import type { Registry } from 'prom-client';
import type { FreezeBoard } from '../freeze/freeze-board.ts';
import type { Log } from '../service/log.ts';
import { registerGauges } from '../service/metrics.ts';
import { repeat } from '../service/repeat.ts';

const EXPIRY_EVERY_MS = 1_000;
const CHECK_EVERY_MS = 300_000;
const EXPIRED_AT_ONCE = 200;

/** Frees holds that have expired, and proves the books. Returns what stops it. */
export function startLedgerUpkeep({
  db,
  freeze,
  registry,
  log,
}: {
  readonly db: Db;
  readonly freeze: Pick<FreezeBoard, 'frozen'>;
  readonly registry: Registry;
  readonly log: Log;
}): () => Promise<void> {
  let broken = 0;
  let provenAtS = 0;
  let failedProofs = 0;
  const failed = (error: unknown): void => log('warn', 'upkeep of the ledger waits for the database', { error });
  const unproven = (error: unknown): void => {
    failedProofs += 1;
    log(
      'error',
      `the ledger could not be proven, ${failedProofs} times in a row. Fix: read the error; until a proof ends nobody knows whether the books are right`,
      { error },
    );
  };

  async function expire(): Promise<void> {
    if (freeze.frozen) return;
    for (let freed = EXPIRED_AT_ONCE; freed === EXPIRED_AT_ONCE;) freed = await expireHolds(db, EXPIRED_AT_ONCE);
  }

  async function prove(): Promise<void> {
    const proof = await checkLedgerGrowth(db);
    if (proof === null) return;
    const rules = proof.filter((rule) => rule.broken > 0);
    broken = rules.length;
    failedProofs = 0;
    provenAtS = Math.floor(Date.now() / 1_000);
    for (const rule of rules) log('error', 'the ledger breaks a rule: stop spending and look', { ...rule });
  }

  registerGauges(registry, {
    hamlet_ledger_broken_rules: {
      help: 'Rules of docs/ECONOMY.md that the books broke when they were proven last; must stay 0',
      read: () => broken,
    },
    hamlet_ledger_failed_proofs: {
      help: 'Proofs of the books in a row that ended with an error; must stay 0',
      read: () => failedProofs,
    },
    hamlet_ledger_proven_seconds: {
      help: 'When the books were proven last, in Unix seconds; 0 before the first time',
      read: () => provenAtS,
    },
  });
  const stops = [repeat(EXPIRY_EVERY_MS, expire, failed), repeat(CHECK_EVERY_MS, prove, unproven)];
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}
