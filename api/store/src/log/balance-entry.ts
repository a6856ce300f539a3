import { sql } from 'kysely';
import type { Db } from '../connection/database.ts';

/** The newest entry of an account that is sealed. Amounts in micro-aiDollars. */
export interface SealedEntry {
  readonly transferId: string;
  readonly version: number;
  readonly balanceAfter: bigint;
}

/** The newest sealed entry of an account; null where none is. */
export async function newestSealedEntry(db: Db, accountId: number): Promise<SealedEntry | null> {
  const { rows } = await sql<{ transferId: string; version: number; balanceAfter: string }>`
    select e.transfer_id as "transferId", e.version, e.balance_after::text as "balanceAfter"
    from ledger.entry e join ledger.transfer t using (transfer_id) cross join log.head h
    where e.account_id = ${accountId} and (t.xact, 1::smallint, t.transfer_id) <= (h.xact, h.kind, h.id) order by e.version desc limit 1`.execute(
    db,
  );
  const [row] = rows;
  return row === undefined ? null : { ...row, balanceAfter: BigInt(row.balanceAfter) };
}
