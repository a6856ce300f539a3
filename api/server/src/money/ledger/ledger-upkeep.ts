import { checkLedgerGrowth, expireHolds } from '@hamlet/store';
import type { FreezeCache } from '../../freeze/freeze-cache.ts';
import { job, sharedJob, type Job } from '../../service/jobs.ts';
import { registerGauges } from '../../service/metrics.ts';
import { z } from 'zod';
import type { Services } from '../../service/services.ts';

const EXPIRY_EVERY_MS = 1_000;
const CHECK_EVERY_MS = 300_000;
const EXPIRED_AT_ONCE = 200;

const Books = z.object({ broken: z.int(), provenAtS: z.int(), failedProofs: z.int() });

export function ledgerJobs({
  db,
  freeze,
  registry,
  log,
}: Pick<Services, 'db' | 'registry' | 'log'> & {
  readonly freeze: Pick<FreezeCache, 'frozen'>;
}): readonly Job[] {
  let books: z.infer<typeof Books> = { broken: 0, provenAtS: 0, failedProofs: 0 };

  async function expire(): Promise<void> {
    if (freeze.frozen) return;
    for (let freed = EXPIRED_AT_ONCE; freed === EXPIRED_AT_ONCE;) freed = await expireHolds(db, EXPIRED_AT_ONCE);
  }

  async function check(): Promise<typeof books> {
    const proof = await checkLedgerGrowth(db);
    if (proof === null) return books;
    const rules = proof.filter((rule) => rule.broken > 0);
    for (const rule of rules)
      log('error', 'the ledger breaks a rule: freeze the village, then see the runbook', { ...rule });
    return { broken: rules.length, provenAtS: Math.floor(Date.now() / 1_000), failedProofs: 0 };
  }

  function failed(error: unknown): typeof books {
    const failedProofs = books.failedProofs + 1;
    log(
      'error',
      `the proof of the ledger failed ${failedProofs} times in a row. Fix the error: until a proof succeeds, the state of the books is unknown`,
      { error },
    );
    return { ...books, failedProofs };
  }

  registerGauges(registry, {
    hamlet_ledger_broken_rules: {
      help: 'Rules of docs/ECONOMY.md that the books violated in the last proof; must stay 0',
      read: () => books.broken,
    },
    hamlet_ledger_failed_proofs: {
      help: 'Failed proofs of the books in a row; must stay 0',
      read: () => books.failedProofs,
    },
    hamlet_ledger_proven_seconds: {
      help: 'Time of the last proof of the books, in Unix seconds; 0 before the first one',
      read: () => books.provenAtS,
    },
  });
  return [
    job({ name: 'hold-expiry', everyMs: EXPIRY_EVERY_MS, run: expire }),
    sharedJob({
      name: 'ledger-proof',
      everyMs: CHECK_EVERY_MS,
      result: Books,
      run: () => check().catch(failed),
      receive: (result) => {
        books = result;
      },
    }),
  ];
}
