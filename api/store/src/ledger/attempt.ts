import type { Tx } from '../connection/database.ts';
import { wholeOrNot } from '../connection/whole-or-not.ts';
import { refusalOfException } from './refusal.ts';
import type { LedgerRefusal } from './refusal.ts';

/** A part of a transaction that came to nothing: what it wrote is undone, and the transaction goes on. */
export interface Refused<R> {
  readonly ok: false;
  readonly reason: R;
}

/**
 * Does a part of a transaction whole or not at all: a refusal, returned by `work` or raised by the ledger, undoes what was written since.
 * Any other exception passes on.
 */
export async function attempt<T extends { readonly ok: boolean }>(
  tx: Tx,
  work: () => Promise<T>,
): Promise<T | Refused<LedgerRefusal>> {
  return wholeOrNot<T | Refused<LedgerRefusal>>(tx, async () => {
    try {
      return await work();
    } catch (error) {
      const reason = refusalOfException(error);
      if (reason === null) throw error;
      return { ok: false, reason };
    }
  });
}
