import { formatAiDollars, type LedgerEntry } from '@hamlet/contract';
import type { EntryRow } from '@hamlet/store';

/** A transfer has at most one entry in an agent's account, so its id identifies the entry. Pure. */
export function entryView(agentId: string, row: EntryRow): LedgerEntry {
  return {
    ledger_entry_id: row.transferId,
    agent_id: agentId,
    amount: formatAiDollars(row.amount),
    currency: 'aiDollar',
    reason: row.reason,
    source: row.source,
    related_post_id: row.relatedPostId,
    note: row.note,
    timestamp: row.createdAt,
    version: row.version,
    balance_after: formatAiDollars(row.balanceAfter),
  };
}
