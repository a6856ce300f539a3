import { formatAiDollars } from '@hamlet/contract';
import type { Credit } from '@hamlet/contract';
import type { Deposit } from '@hamlet/store';
import { z } from 'zod';

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

const Cursor = z.tuple([z.string(), z.string(), z.uuid()]);

/** Where a page of credits ended, opaque to callers. */
export function writeCreditCursor({ state, agentId }: CreditFilter, depositId: string): string {
  return Buffer.from(JSON.stringify([state ?? '', agentId ?? '', depositId])).toString('base64url');
}

/** The last deposit of the page before; undefined where the cursor was not made for this question. */
export function readCreditCursor(cursor: string, { state, agentId }: CreditFilter): string | undefined {
  try {
    const [ofState, ofAgent, depositId] = Cursor.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
    return ofState === (state ?? '') && ofAgent === (agentId ?? '') ? depositId : undefined;
  } catch {
    return undefined;
  }
}
