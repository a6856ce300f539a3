import { formatAiDollars } from '@hamlet/contract';
import { closeAgentAccount, lockAgentAccount, noteCredited, noteNet, openAgentAccount } from '@hamlet/store';
import type { Deposit, LedgerActor, Tx } from '@hamlet/store';
import { recordAct, type Acting } from '../../audit/record-act.ts';
import type { IncomeOutcome, IncomePort } from '../ledger/income.ts';

export async function auditDeposit(
  tx: Tx,
  deposit: Deposit,
  act: Acting & { readonly action: string; readonly detail?: Readonly<Record<string, unknown>> },
): Promise<void> {
  const { depositId, provider, transactionId, agentId, amount } = deposit;
  const detail = {
    deposit_id: depositId,
    provider,
    provider_transaction_id: transactionId,
    amount: formatAiDollars(amount),
    ...act.detail,
  };
  await recordAct(tx, act, { action: act.action, object: agentId, detail });
}

function noteOf({ provider, transactionId, note }: Deposit): string {
  return note === '' ? `Payment ${transactionId} by ${provider}` : note;
}

/** The transaction id of a deposit's income: the id of the payment; each later credit appends a number. */
function legName({ transactionId, leg }: Pick<Deposit, 'transactionId' | 'leg'>): string {
  return leg === 0 ? transactionId : `${transactionId}/${leg + 1}`;
}

interface Crediting extends Acting {
  /** Micro-aiDollars to credit: the whole deposit, or the rest of it. */
  readonly net: bigint;
  readonly approver: LedgerActor | null;
  readonly reason: string | null;
  readonly action: string;
}

type CreditOutcome =
  | { readonly ok: true; readonly deposit: Deposit }
  | { readonly ok: false; readonly reason: 'no_such_agent' | 'account_closed' };

export async function creditDeposit(
  tx: Tx,
  income: IncomePort,
  { deposit, ...act }: Crediting & { readonly deposit: Deposit },
): Promise<CreditOutcome> {
  const { net, approver, reason, actor, traceparent } = act;
  const { provider, transactionId, agentId } = deposit;
  const outcome = await income.credit(tx, {
    source: provider,
    transactionId,
    agentId,
    amount: net,
    note: noteOf(deposit),
    actor,
    about: { traceparent },
  });
  if (!outcome.ok) {
    if (outcome.reason === 'no_such_agent' || outcome.reason === 'account_closed')
      return { ok: false, reason: outcome.reason };
    throw new Error(`${provider} ${transactionId} was credited without a deposit: ${outcome.reason}`);
  }
  const credited = await noteCredited(tx, deposit.depositId, {
    net,
    transferId: outcome.entry.ledger_entry_id,
    approver,
    reason,
  });
  await auditDeposit(tx, credited, {
    ...act,
    detail: { ledger_entry_id: outcome.entry.ledger_entry_id, requested_by: credited.requestedBy },
  });
  return { ok: true, deposit: credited };
}

/** Books to an account even if it is closed, because a provider takes or returns money regardless of the agent. */
async function bookWhateverLives(tx: Tx, agentId: string, book: () => Promise<IncomeOutcome>): Promise<void> {
  const outcome = await book();
  if (outcome.ok) return;
  // A new life of the agent may have opened the account meanwhile: then the account stays open.
  const account = await lockAgentAccount(tx, agentId);
  if (outcome.reason !== 'account_closed' || account === null)
    throw new Error(`the ledger refused a change to a deposit of ${agentId}: ${outcome.reason}`);
  await openAgentAccount(tx, agentId);
  const again = await book();
  if (!again.ok) throw new Error(`the ledger refused a change to a deposit of ${agentId}: ${again.reason}`);
  if (account.closedAt !== null) await closeAgentAccount(tx, agentId);
}

/** Adjusts a credited, locked deposit to `net`: takes the excess back, even if it is spent, or credits returned money again. */
export async function adjustDeposit(
  tx: Tx,
  income: IncomePort,
  { deposit, net, why, ...act }: Acting & { readonly deposit: Deposit; readonly net: bigint; readonly why: string },
): Promise<void> {
  if (net === deposit.net) return;
  const { provider, agentId, amount, changes, depositId } = deposit;
  if (net < 0n || net > amount)
    throw new RangeError(`${formatAiDollars(net)} of a deposit of ${formatAiDollars(amount)}`);
  const { actor, traceparent } = act;
  const about = { traceparent };
  const back = net < deposit.net ? deposit.net - net : deposit.net;
  const named = { source: provider, note: why, actor, about };
  if (back > 0n) {
    const taken = {
      ...named,
      transactionId: legName(deposit),
      refundId: `change-${changes + 1}`,
      ...(net > 0n && net < deposit.net ? { amount: back } : {}),
    };
    await bookWhateverLives(tx, agentId, () => income.takeBack(tx, taken));
  }
  const leg = net > deposit.net ? deposit.leg + 1 : deposit.leg;
  if (leg > deposit.leg) {
    const again = { ...named, transactionId: legName({ ...deposit, leg }), agentId, amount: net };
    await bookWhateverLives(tx, agentId, () => income.credit(tx, again));
  }
  await noteNet(tx, depositId, { net, leg });
  await auditDeposit(tx, deposit, {
    ...act,
    action: 'credit.adjust',
    detail: { from: formatAiDollars(deposit.net), to: formatAiDollars(net), why },
  });
}
