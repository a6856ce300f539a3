import { decidePayment, providerMicro, backoff } from '@hamlet/core';
import type { PaymentDecision, PaymentTruth, PaymentHint, Taking } from '@hamlet/core';
import {
  claimCapture,
  holdClaim,
  inTransaction,
  isConnectionError,
  isVillageFrozenError,
  lockDepositOf,
  noteLooked,
  postponeCapture,
  proposeDeposit,
  inSavepoint,
} from '@hamlet/store';
import type { ClaimedCapture, Deposit, Tx, KnownPayment, TakingId, AnnouncedPayment } from '@hamlet/store';
import { actingAs } from '../../audit/record-act.ts';
import type { IncomePort } from '../ledger/income.ts';
import { adjustDeposit, creditDeposit } from './book-deposits.ts';
import type { PaymentsConfig } from './payments-config.ts';
import { PayPalError, type PayPalClient } from './paypal-client.ts';
import type { Dispute, Refund } from './paypal-wire.ts';
import type { Services } from '../../service/services.ts';

const PROVIDER = 'paypal';
const FIRST_WAIT_S = 30;
const LONGEST_WAIT_S = 3_600;

interface SettlePorts extends Pick<Services, 'db' | 'log'> {
  readonly client: PayPalClient;
  readonly income: IncomePort;
  readonly config: Pick<PaymentsConfig, 'currency' | 'ratePerUnit'>;
}

interface Left {
  readonly why: string | null;
  readonly again: boolean;
}

const DONE: Left = { why: null, again: false };

async function creditFresh(
  tx: Tx,
  captureId: string,
  { decision, income }: { readonly decision: Extract<PaymentDecision, { kind: 'stand' }>; readonly income: IncomePort },
): Promise<Left> {
  const act = actingAs('system', PROVIDER);
  const { agentId, amount, net } = decision;
  const outcome = await inSavepoint(tx, async () => {
    const wanted = {
      provider: PROVIDER,
      transactionId: captureId,
      agentId,
      amount,
      origin: 'webhook',
      note: `Payment ${captureId} by PayPal`,
      actor: act.actor,
    } as const;
    const deposit = await proposeDeposit(tx, wanted);
    // An admin is proposing the same payment: the next attempt reads the result.
    if (deposit === null) return { ok: false as const, reason: 'proposed_by_hand' as const };
    return creditDeposit(tx, income, { ...act, deposit, net, approver: null, reason: null, action: 'credit.webhook' });
  });
  return outcome.ok ? DONE : { why: outcome.reason, again: true };
}

/** The format of agents' names. A payer's text of another format names no agent. */
const AGENT_ID = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

function reasonOf(truth: PaymentTruth | null): string {
  const takings = (truth?.takings ?? []).map(({ kind, state }) => `${kind} ${state}`);
  return `PayPal says: ${[truth?.status ?? 'unknown', ...takings].join(', ')}`.slice(0, 500);
}

async function apply(
  tx: Tx,
  claimed: ClaimedCapture,
  { truth, ports }: { readonly truth: PaymentTruth | null; readonly ports: SettlePorts },
): Promise<Left> {
  const { captureId, hint } = claimed;
  const deposit: Deposit | null = await lockDepositOf(tx, PROVIDER, captureId);
  if (deposit?.state === 'proposed') return { why: 'proposed_by_hand', again: true };
  const known = { hint: hint === null ? null : hintOf(hint), credited: deposit };
  const decision = decidePayment(truth, known, ports.config);
  if (decision.kind === 'wait') return { why: decision.why, again: true };
  if (decision.kind === 'never') return { why: decision.why, again: false };
  if (deposit === null)
    return AGENT_ID.test(decision.agentId)
      ? creditFresh(tx, captureId, { decision, income: ports.income })
      : { why: 'no_such_agent', again: true };
  await adjustDeposit(tx, ports.income, {
    ...actingAs('system', PROVIDER),
    deposit,
    net: decision.net,
    why: reasonOf(truth),
  });
  return DONE;
}

/** Books nothing if another replica has claimed the payment meanwhile, because its answer is newer. */
async function settleOne(claimed: ClaimedCapture, ports: SettlePorts): Promise<void> {
  const { db, client } = ports;
  const truth = await askForTruth(client, claimed.captureId, claimed.takings);
  await inTransaction(db, async (tx) => {
    if (!(await holdClaim(tx, claimed))) return;
    const { why, again } = await apply(tx, claimed, { truth, ports });
    const againInS = again ? backoff(claimed.attempts, { first: FIRST_WAIT_S, longest: LONGEST_WAIT_S }) : null;
    await noteLooked(tx, claimed, { truth: truth === null ? null : knownOf(truth), why, againInS });
  });
}

export async function settleCaptures(ports: SettlePorts): Promise<number> {
  const { db, log } = ports;
  for (let looked = 0; ; looked += 1) {
    const claimed = await claimCapture(db);
    if (claimed === null) return looked;
    try {
      await settleOne(claimed, ports);
    } catch (error) {
      if (isConnectionError(error) || isVillageFrozenError(error)) throw error;
      log('warn', 'a payment was not settled; the API retries it', {
        capture: claimed.captureId,
        attempts: claimed.attempts,
        error,
      });
      await postponeCapture(db, claimed, backoff(claimed.attempts, { first: 2, longest: LONGEST_WAIT_S }));
    }
  }
}

const FAILED_REFUNDS: ReadonlySet<string> = new Set(['CANCELLED', 'FAILED']);
/** Outcomes of a dispute that leave the money in the village. Any other outcome counts as a loss. */
const KEPT: ReadonlySet<string> = new Set([
  'RESOLVED_SELLER_FAVOUR',
  'RESOLVED_WITH_PAYOUT',
  'CANCELED_BY_BUYER',
  'DENIED',
]);

function micro(value: string): bigint {
  const amount = providerMicro(value);
  if (amount === null || amount < 0n) throw new PayPalError(`PayPal sent an invalid amount: ${value}`);
  return amount;
}

function refundTaking({ status, amount }: Refund): Taking {
  return { kind: 'refund', amount: micro(amount.value), state: FAILED_REFUNDS.has(status) ? 'none' : 'taken' };
}

function disputeTaking({ status, dispute_amount: amount, dispute_outcome: outcome }: Dispute): Taking {
  const state = status !== 'RESOLVED' ? 'open' : KEPT.has(outcome?.outcome_code ?? '') ? 'none' : 'taken';
  return { kind: 'dispute', amount: micro(amount.value), state };
}

/** Throws for an object that PayPal reported but does not know yet, so that the payment is retried later. */
function unknown({ kind, takingId }: TakingId): never {
  throw new PayPalError(`PayPal does not know the ${kind} ${takingId}`);
}

async function takingOf(client: PayPalClient, taking: TakingId): Promise<Taking> {
  // A bank reversal takes the whole payment back, and PayPal has no refund object for it.
  if (taking.kind === 'reversal') return { kind: 'reversal', amount: 0n, state: 'taken' };
  if (taking.kind === 'refund') return refundTaking((await client.refund(taking.takingId)) ?? unknown(taking));
  return disputeTaking((await client.dispute(taking.takingId)) ?? unknown(taking));
}

/** Reads a payment and its refunds, reversals and disputes from PayPal; null if PayPal does not know the payment. Throws PayPalError. */
async function askForTruth(
  client: PayPalClient,
  captureId: string,
  takingIds: readonly TakingId[],
): Promise<PaymentTruth | null> {
  const capture = await client.capture(captureId);
  if (capture === null) return null;
  if (capture.id !== captureId)
    throw new PayPalError(`PayPal answered with the payment ${capture.id} instead of ${captureId}`);
  const takings: Taking[] = [];
  for (const id of takingIds) takings.push(await takingOf(client, id));
  const { status, amount, custom_id: customId } = capture;
  return { status, amount: micro(amount.value), currency: amount.currency_code, customId: customId ?? null, takings };
}

export function knownOf({ status, amount, currency, customId }: PaymentTruth): KnownPayment {
  return { status, amount: String(amount), currency, customId };
}

export function hintOf({ amount, currency, customId }: AnnouncedPayment): PaymentHint {
  return { amount: BigInt(amount), currency, customId };
}

export function currencyText(amount: bigint): string {
  const fraction = String(amount % 1_000_000n)
    .padStart(6, '0')
    .replace(/0{1,4}$/, '');
  return `${amount / 1_000_000n}.${fraction}`;
}
