import { sql } from 'kysely';
import type { Db } from '../connection/database.ts';

/** Expires holds that are past their end, at most `atMost`. Returns their number. */
export async function expireHolds(db: Db, atMost: number): Promise<number> {
  const { rows } = await sql<{ done: number }>`select ledger.expire_holds(${atMost}) as done`.execute(db);
  return rows[0]?.done ?? 0;
}

/** A rule of the ledger and the number of its violations; docs/ECONOMY.md lists the rules. */
interface LedgerRule {
  readonly rule: string;
  readonly broken: number;
}

/** Checks the whole ledger in one snapshot; about a second for five million entries. */
export async function checkLedger(db: Db): Promise<readonly LedgerRule[]> {
  const { rows } = await sql<LedgerRule>`select rule, broken from ledger.check()`.execute(db);
  return rows;
}

/** Checks the entries since the last successful check; null while another replica checks. */
export async function checkLedgerGrowth(db: Db): Promise<readonly LedgerRule[] | null> {
  const { rows } = await sql<LedgerRule>`select rule, broken from ledger.check_new()`.execute(db);
  return rows.length === 0 ? null : rows;
}

/** Checks purchases, windows, auctions and the ledger against each other, in one snapshot. */
export async function checkTrade(db: Db): Promise<readonly LedgerRule[]> {
  const { rows } = await sql<LedgerRule>`select rule, broken from trade_check()`.execute(db);
  return rows;
}
