import { formatAiDollars, type Refusal } from '@hamlet/contract';
import type { Funds, LedgerRefusal } from '@hamlet/store';
import { refused, type Refused } from '../../http/outcome.ts';

const WIRE_REASONS: Partial<Readonly<Record<LedgerRefusal, Refusal>>> = {
  insufficient_funds: 'insufficient_funds',
  account_closed: 'account_closed',
  key_reused: 'idempotency_key_reused',
};

export function refusalOfHold(
  reason: LedgerRefusal,
  {
    agentId,
    asked,
    funds,
  }: { readonly agentId: string; readonly asked: bigint; readonly funds: Pick<Funds, 'balance' | 'held'> },
): Refused {
  const wire = WIRE_REASONS[reason];
  if (wire === undefined) throw new Error(`the ledger refused a hold for ${agentId}: ${reason}`);
  if (wire !== 'insufficient_funds') return refused(wire);
  return refused(
    wire,
    `${agentId} has ${formatAiDollars(funds.balance - funds.held)} aiDollars to spend; this takes ${formatAiDollars(asked)}`,
  );
}
