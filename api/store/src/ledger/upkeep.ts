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

/**
 * Proves what has come to the ledger since it was proven last, at a cost in proportion to that. Null where another replica proves it at this moment.
 * Rules that are broken stay so in the next answer: the proof goes on from the last moment at which all held.
 */
export async function checkLedgerGrowth(db: Db): Promise<readonly LedgerRule[] | null> {
  const { rows } = await sql<LedgerRule>`select rule, broken from ledger.check_new()`.execute(db);
  return rows.length === 0 ? null : rows;
}
