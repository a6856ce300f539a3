import { sql } from 'kysely';
import type { Db } from '../connection/database.ts';

/** Frees holds whose end has come, at most so many. Returns how many. */
export async function expireHolds(db: Db, atMost: number): Promise<number> {
  const { rows } = await sql<{ done: number }>`select ledger.expire_holds(${atMost}) as done`.execute(db);
  return rows[0]?.done ?? 0;
}

/** A rule of the books, and how often it is broken; docs/ECONOMY.md lists them. */
export interface LedgerRule {
  readonly rule: string;
  readonly broken: number;
}

/** Proves the whole ledger against its rules, in one snapshot. Takes about a second for five million entries. */
export async function checkLedger(db: Db): Promise<readonly LedgerRule[]> {
  const { rows } = await sql<LedgerRule>`select rule, broken from ledger.check()`.execute(db);
  return rows;
}
