import { sql } from 'kysely';
import type { Db, Tx } from '../connection/database.ts';
import type { LedgerRule } from '../ledger/upkeep.ts';

/** Proves purchases, windows, auctions and the ledger against each other, in one snapshot; docs/ECONOMY.md lists the rules. */
export async function checkTrade(db: Db): Promise<readonly LedgerRule[]> {
  const { rows } = await sql<LedgerRule>`select rule, broken from trade_check()`.execute(db);
  return rows;
}

/** Locks accounts in the ledger's own order. Whoever moves money of several in one transaction does this first. */
export async function lockAccounts(tx: Tx, accounts: readonly number[]): Promise<void> {
  await sql`select ledger.lock_accounts(${accounts as number[]}::bigint[])`.execute(tx);
}
