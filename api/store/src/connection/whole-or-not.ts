import { sql } from 'kysely';
import type { Tx } from './database.ts';

/** Does a part of a transaction whole or not at all: where its outcome is not ok, what it wrote is undone and the transaction goes on. Exceptions pass on. */
export async function wholeOrNot<T extends { readonly ok: boolean }>(tx: Tx, work: () => Promise<T>): Promise<T> {
  await sql`savepoint whole_or_not`.execute(tx);
  const outcome = await work();
  // One that was rolled back to is still there.
  if (!outcome.ok) await sql`rollback to savepoint whole_or_not`.execute(tx);
  await sql`release savepoint whole_or_not`.execute(tx);
  return outcome;
}
