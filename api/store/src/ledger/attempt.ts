import { sql } from 'kysely';
import type { Tx } from '../connection/database.ts';
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
export async function attempt<T extends { readonly ok: boolean }>(tx: Tx, work: () => Promise<T>): Promise<T | Refused<LedgerRefusal>> {
  await sql`savepoint ledger_attempt`.execute(tx);
  try {
    const outcome = await work();
    if (outcome.ok) await sql`release savepoint ledger_attempt`.execute(tx);
    else await undo(tx);
    return outcome;
  } catch (error) {
    const reason = refusalOfException(error);
    if (reason === null) throw error;
    await undo(tx);
    return { ok: false, reason };
  }
}

/** Both at once: a savepoint that was rolled back to is still there. */
async function undo(tx: Tx): Promise<void> {
  await sql`rollback to savepoint ledger_attempt`.execute(tx);
  await sql`release savepoint ledger_attempt`.execute(tx);
}
