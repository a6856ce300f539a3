import { formatAiDollars, parseAiDollars, type Credit } from '@hamlet/contract';
import { whyNotSecond, type Eyes } from '@hamlet/core';
import {
  creditedAlone,
  cutPage,
  findAgentAccount,
  lockDeposit,
  noteRejected,
  proposeDeposit,
  readDeposits,
  readSecondEyes,
  inSavepoint,
} from '@hamlet/store';
import type { Deposit, Tx } from '@hamlet/store';
import { z } from 'zod';
import { inTx, plain, type Caller, type Handlers } from '../../http/handler.ts';
import { accepted, refused, type Outcome, type Refused } from '../../http/outcome.ts';
import { pageCursor, paged } from '../../http/page-cursor.ts';
import type { IncomePort } from '../ledger/income.ts';
import { auditDeposit, creditDeposit } from './book-deposits.ts';
import type { Acting } from '../../audit/record-act.ts';
import type { Village } from '../../village.ts';

function creditView(deposit: Deposit): Credit {
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

const pages = pageCursor(z.uuid());

type CreditAnswer = Outcome<{ credit: Credit }>;

const actOf = ({ actor, requestId, traceparent }: Caller): Acting => ({
  actor: { role: actor.role, id: actor.id },
  requestId,
  traceparent,
});

/** The form in which ids are compared: PayPal writes its ids in capitals, but a person may type small letters. */
export function normalTransactionId(provider: string, id: string): string {
  return provider === 'paypal' ? id.toUpperCase() : id;
}

type Found = { readonly ok: true; readonly deposit: Deposit } | Refused;

async function undecided(tx: Tx, creditId: string): Promise<Found> {
  const deposit = await lockDeposit(tx, creditId);
  if (deposit === null) return refused('no_such_credit');
  return deposit.state === 'proposed'
    ? { ok: true, deposit }
    : refused('credit_decided', `The credit is ${deposit.state}`);
}

/** A proposer or approver for the four-eyes rule: an account with the admins who saw its one-time codes, or a key. */
async function eyesOf(tx: Tx, id: string): Promise<Eyes> {
  const [, accountId] = /^account ([0-9a-f-]{36})$/.exec(id) ?? [];
  const known = accountId === undefined ? null : await readSecondEyes(tx, accountId);
  return { id, ownSince: known?.ownSince ?? null, hands: known?.hands ?? [] };
}

interface Decision extends Acting {
  readonly creditId: string;
}

async function approve(
  tx: Tx,
  income: IncomePort,
  { creditId, reason, ...act }: Decision & { readonly reason: string | null },
): Promise<CreditAnswer> {
  const found = await undecided(tx, creditId);
  if (!found.ok) return found;
  const { deposit } = found;
  const why = whyNotSecond(await eyesOf(tx, deposit.requestedBy), await eyesOf(tx, act.actor.id), deposit.requestedAt);
  if (why !== null) return refused('second_admin_needed', why);
  const outcome = await creditDeposit(tx, income, {
    ...act,
    deposit,
    net: deposit.amount,
    approver: act.actor,
    reason,
    action: 'credit.approve',
  });
  return outcome.ok ? accepted({ credit: creditView(outcome.deposit) }) : refused(outcome.reason);
}

async function reject(
  tx: Tx,
  { creditId, reason, ...act }: Decision & { readonly reason: string },
): Promise<CreditAnswer> {
  const found = await undecided(tx, creditId);
  if (!found.ok) return found;
  const rejected = await noteRejected(tx, found.deposit.depositId, { actor: act.actor, reason });
  await auditDeposit(tx, rejected, { ...act, action: 'credit.reject', detail: { reason } });
  return accepted({ credit: creditView(rejected) });
}

/** Above the admin's limit for 24 hours, proposes the credit to a second admin. */
async function create(
  tx: Tx,
  { source, payments: { income, creditLimit } }: Pick<Village, 'source' | 'payments'>,
  { act, wanted }: { readonly act: Acting; readonly wanted: Parameters<typeof proposeDeposit>[1] },
): Promise<CreditAnswer> {
  const { agentId, provider, transactionId, amount } = wanted;
  if (source.get(agentId) === null && (await findAgentAccount(tx, agentId)) === null) return refused('no_such_agent');
  // `creditedAlone` locks this admin's credits, so that concurrent requests cannot exceed the limit.
  const second = (await creditedAlone(tx, act.actor.id)) + amount > creditLimit;
  const deposit = await proposeDeposit(tx, wanted);
  if (deposit === null)
    return refused(
      'transaction_credited',
      `${transactionId} of ${provider} was already credited or proposed; see GET /economy/credits`,
    );
  if (second) {
    await auditDeposit(tx, deposit, { ...act, action: 'credit.propose' });
    return accepted({ credit: creditView(deposit) });
  }
  const outcome = await creditDeposit(tx, income, {
    ...act,
    deposit,
    net: amount,
    approver: null,
    reason: null,
    action: 'credit.create',
  });
  return outcome.ok ? accepted({ credit: creditView(outcome.deposit) }) : refused(outcome.reason);
}

export function creditHandlers({ payments, db, source }: Village) {
  return {
    createCredit: inTx(async (request, tx) => {
      const { agent_id: agentId, provider, provider_transaction_id: id, amount, note } = request.body;
      const act = actOf(request);
      const wanted = {
        provider,
        agentId,
        note,
        transactionId: normalTransactionId(provider, id),
        amount: parseAiDollars(amount),
        origin: 'manual',
        actor: act.actor,
      } as const;
      // A refusal also removes the proposal that `create` wrote.
      return inSavepoint(tx, () => create(tx, { source, payments }, { act, wanted }));
    }),
    listCredits: plain(async ({ query }) => {
      const filter = { state: query.state ?? null, agentId: query.agent_id ?? null };
      return paged(pages, { ...query, list: 'deposits' }, async ({ before, limit }) => {
        const read = await readDeposits(db, { ...filter, before, limit: limit + 1 });
        const { rows, next } = cutPage(read, limit, ({ depositId }) => depositId);
        return { credits: rows.map(creditView), approval_limit: formatAiDollars(payments.creditLimit), next };
      });
    }),
    approveCredit: inTx((request, tx) =>
      approve(tx, payments.income, {
        ...actOf(request),
        creditId: request.params.credit_id,
        reason: request.body.reason ?? null,
      }),
    ),
    rejectCredit: inTx((request, tx) =>
      reject(tx, { ...actOf(request), creditId: request.params.credit_id, reason: request.body.reason }),
    ),
  } satisfies Partial<Handlers>;
}
