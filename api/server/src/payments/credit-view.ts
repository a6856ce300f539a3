import { formatAiDollars } from '@hamlet/contract';
import type { Credit } from '@hamlet/contract';
import type { Deposit } from '@hamlet/store';
import { z } from 'zod';
import { pageCursor } from '../routes/page-cursor.ts';

/** A deposit on the wire. Pure. */
export function creditView(deposit: Deposit): Credit {
  return {
    credit_id: deposit.depositId,
    provider: deposit.provider,
    provider_transaction_id: deposit.transactionId,
    agent_id: deposit.agentId,
    amount: formatAiDollars(deposit.amount),
    net: formatAiDollars(deposit.net),
    currency: 'aiDollar',
    state: deposit.state,
    origin: deposit.origin,
    ledger_entry_id: deposit.transferId,
    note: deposit.note,
    requested_by: deposit.requestedBy,
    requested_at: deposit.requestedAt.toISOString(),
    decided_by: deposit.decidedBy,
    decided_at: deposit.decidedAt?.toISOString() ?? null,
    decision_reason: deposit.decisionReason,
  };
}

/** What a page of credits was asked for; frozen in its cursor. */
export interface CreditFilter {
  readonly state: string | null;
  readonly agentId: string | null;
}

const cursor = pageCursor(z.uuid());
const questionOf = ({ state, agentId }: CreditFilter): string => `${state ?? ''}/${agentId ?? ''}`;

/** Where a page of credits ended, opaque to callers. */
export function writeCreditCursor(filter: CreditFilter, depositId: string): string {
  return cursor.write(questionOf(filter), depositId);
}

/** The last deposit of the page before; undefined where the cursor was not made for this question. */
export function readCreditCursor(text: string, filter: CreditFilter): string | undefined {
  return cursor.read(text, questionOf(filter));
}
