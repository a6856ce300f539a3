import { sqlState } from '../connection/database.ts';

/** Reasons of the ledger's refusals, by the SQLSTATE that its functions raise (migrations/0002_ledger.sql). */
export const LEDGER_REFUSALS = {
  LD001: 'insufficient_funds',
  LD002: 'account_closed',
  LD003: 'no_such_account',
  LD004: 'amount_out_of_range',
  LD005: 'same_account',
  LD006: 'key_reused',
  LD007: 'agents_never_pay_agents',
  LD008: 'no_such_hold',
  LD009: 'hold_resolved',
  LD010: 'hold_expired',
  LD011: 'more_than_held',
  LD012: 'no_such_transfer',
  LD013: 'already_reversed',
  LD014: 'reversal_of_reversal',
  LD015: 'hold_not_expired',
  LD016: 'batch_too_large',
  LD017: 'malformed',
} as const;

export type LedgerRefusal = (typeof LEDGER_REFUSALS)[keyof typeof LEDGER_REFUSALS];

const isRefusalCode = (code: string): code is keyof typeof LEDGER_REFUSALS => code in LEDGER_REFUSALS;

export const refusalOfCode = (code: string): LedgerRefusal | null =>
  isRefusalCode(code) ? LEDGER_REFUSALS[code] : null;

export const refusalOfException = (error: unknown): LedgerRefusal | null => refusalOfCode(sqlState(error));
