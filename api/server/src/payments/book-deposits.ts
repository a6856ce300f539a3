import { randomUUID } from 'node:crypto';
import { formatAiDollars } from '@hamlet/contract';
import { closeAgentAccount, lockAgentAccount, noteCredited, noteNet, openAgentAccount } from '@hamlet/store';
import type { Deposit, LedgerActor, Tx } from '@hamlet/store';
import { recordAct } from '../audit/record-act.ts';
import type { IncomeOutcome, IncomePort } from '../spending/income.ts';

/** Who does something to a deposit, by which request. */
export interface DepositActor {
  readonly actor: LedgerActor;
  readonly requestId: string;
  readonly traceparent: string | null;
}

/** What PayPal's word is booked by. */
export function providerActor(provider: string): DepositActor {
  return { actor: { role: 'system', id: provider }, requestId: randomUUID(), traceparent: null };
}

/** Writes an act on a deposit to the audit. */
export async function auditDeposit(
  tx: Tx,
  deposit: Deposit,
  act: DepositActor & { readonly action: string; readonly detail?: Readonly<Record<string, unknown>> },
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

/** The name of the income that stands for a deposit: the payment's own, and a number behind it for money that came back. */
function legName({ transactionId, leg }: Pick<Deposit, 'transactionId' | 'leg'>): string {
  return leg === 0 ? transactionId : `${transactionId}/${leg + 1}`;
}

export interface Crediting extends DepositActor {
  /** What is credited: all of the deposit, or what is left of it. Micro-aiDollars. */
  readonly net: bigint;
  readonly approver: LedgerActor | null;
  readonly reason: string | null;
  readonly action: string;
}

export type CreditOutcome =
  | { readonly ok: true; readonly deposit: Deposit }
  | { readonly ok: false; readonly reason: 'no_such_agent' | 'account_closed' };

/** Credits a proposed deposit to its agent. A refusal leaves the deposit as it is. */
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
    throw new Error(`${provider} ${transactionId} is not a deposit and has been credited: ${outcome.reason}`);
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

/** Books to an account that may be closed: money that a provider takes or gives back does not ask whether the agent still lives. */
async function bookWhateverLives(tx: Tx, agentId: string, book: () => Promise<IncomeOutcome>): Promise<void> {
  const outcome = await book();
  if (outcome.ok) return;
  // An agent that was born again meanwhile has opened it: then it stays open.
  const account = await lockAgentAccount(tx, agentId);
  if (outcome.reason !== 'account_closed' || account === null)
    throw new Error(`a change of a deposit of ${agentId} was refused: ${outcome.reason}`);
  await openAgentAccount(tx, agentId);
  const again = await book();
  if (!again.ok) throw new Error(`a change of a deposit of ${agentId} was refused: ${again.reason}`);
  if (account.closedAt !== null) await closeAgentAccount(tx, agentId);
}

/**
 * Brings what stands of a credited deposit to `net`: takes back what is too much, also where it is spent, and credits again what came back. The deposit
 * must be locked.
 */
export async function adjustDeposit(
  tx: Tx,
  income: IncomePort,
  {
    deposit,
    net,
    why,
    ...act
  }: DepositActor & { readonly deposit: Deposit; readonly net: bigint; readonly why: string },
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
