import { worthOf } from './provider-money.ts';

/** What takes a payment back, as the provider says it now. Amounts are millionths of the payment's currency. */
export interface Taking {
  readonly kind: 'refund' | 'reversal' | 'dispute';
  readonly amount: bigint;
  /** A refund that failed takes nothing; a dispute takes while it is open (the money is not ours to spend) and once it is lost. */
  readonly state: 'none' | 'open' | 'taken';
}

/** A payment as the provider says it now; its notifications are hints to look, and nothing more. */
export interface PaymentTruth {
  readonly status: string;
  readonly amount: bigint;
  readonly currency: string;
  /** Whom the payer meant: the agent's id. */
  readonly customId: string | null;
  readonly takings: readonly Taking[];
}

/** What a notification said of the payment; it must be what the provider says when it is asked. */
export type PaymentHint = Pick<PaymentTruth, 'amount' | 'currency' | 'customId'>;

/** What was credited for the payment so far, in micro-aiDollars. */
export interface Credited {
  readonly agentId: string;
  readonly amount: bigint;
  readonly net: bigint;
}

export interface PaymentRules {
  /** The currency that is taken, `USD`. */
  readonly currency: string;
  /** Micro-aiDollars for one unit of it. */
  readonly ratePerUnit: bigint;
}

export type WaitReason =
  | 'not_found'
  | 'not_completed'
  | 'status_unknown'
  | 'refund_not_told'
  | 'other_currency'
  | 'differs_from_event'
  | 'no_agent_named'
  | 'not_paid'
  | 'taken_back'
  | 'worth_nothing';

/**
 * What ought to stand in the ledger. `wait`: nothing is changed, and the provider is asked again later. `never`: nothing was credited, and nothing
 * will be. `stand`: so much of the payment is the agent's, `amount` of it having been paid in.
 */
export type PaymentDecision =
  | { readonly kind: 'wait'; readonly why: WaitReason }
  | { readonly kind: 'never'; readonly why: WaitReason }
  | { readonly kind: 'stand'; readonly agentId: string; readonly amount: bigint; readonly net: bigint };

const PAID: ReadonlySet<string> = new Set(['COMPLETED', 'PARTIALLY_REFUNDED', 'REFUNDED', 'REVERSED']);
const ALL_TAKEN: ReadonlySet<string> = new Set(['REFUNDED', 'REVERSED']);
const NOT_PAID: ReadonlySet<string> = new Set(['DECLINED', 'FAILED', 'DENIED', 'VOIDED']);

const total = (takings: readonly Taking[]): bigint => takings.reduce((sum, { amount }) => sum + amount, 0n);
const most = (a: bigint, b: bigint): bigint => (a > b ? a : b);
const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** How much is gone. A dispute that is lost ends in a refund of the same money, so the greater of the two counts; one that is open counts beside. */
function takenOf({ status, amount, takings }: PaymentTruth): bigint {
  if (ALL_TAKEN.has(status) || takings.some(({ kind, state }) => kind === 'reversal' && state !== 'none'))
    return amount;
  const refunded = total(takings.filter(({ kind, state }) => kind === 'refund' && state !== 'none'));
  const lost = total(takings.filter(({ kind, state }) => kind === 'dispute' && state === 'taken'));
  const open = total(takings.filter(({ kind, state }) => kind === 'dispute' && state === 'open'));
  return least(most(refunded, lost) + open, amount);
}

/** A payment nobody was credited for yet: only what is paid, in the right currency, for somebody, and as it was told, becomes a credit. */
function decideFresh(truth: PaymentTruth, hint: PaymentHint | null, rules: PaymentRules): PaymentDecision {
  const { amount, currency, customId } = truth;
  if (currency !== rules.currency) return { kind: 'wait', why: 'other_currency' };
  if (hint !== null && (hint.amount !== amount || hint.currency !== currency || hint.customId !== customId))
    return { kind: 'wait', why: 'differs_from_event' };
  if (customId === null) return { kind: 'wait', why: 'no_agent_named' };
  const worth = worthOf(amount, rules.ratePerUnit);
  if (worth < 1n) return { kind: 'never', why: 'worth_nothing' };
  const net = worthOf(amount - takenOf(truth), rules.ratePerUnit);
  return net < 1n ? { kind: 'never', why: 'taken_back' } : { kind: 'stand', agentId: customId, amount: worth, net };
}

/** A payment that was credited, by PayPal's word or by an admin: the share of the credit that is left. The rate may have changed since, so it has no say here. */
function decideAgain(truth: PaymentTruth, { agentId, amount }: Credited): PaymentDecision {
  const left = truth.amount - takenOf(truth);
  const net = NOT_PAID.has(truth.status) || left <= 0n ? 0n : (amount * left) / truth.amount;
  return { kind: 'stand', agentId, amount, net };
}

/**
 * Decides from what the provider says now, so that no order of notifications and no repetition of them makes a difference.
 * `truth` is null where the provider does not know the payment (yet). Pure.
 */
export function decidePayment(
  truth: PaymentTruth | null,
  known: { readonly hint: PaymentHint | null; readonly credited: Credited | null },
  rules: PaymentRules,
): PaymentDecision {
  if (truth === null) return { kind: 'wait', why: 'not_found' };
  const { status, takings } = truth;
  if (NOT_PAID.has(status))
    return known.credited === null ? { kind: 'never', why: 'not_paid' } : decideAgain(truth, known.credited);
  if (!PAID.has(status)) return { kind: 'wait', why: status === 'PENDING' ? 'not_completed' : 'status_unknown' };
  // The provider knows of a refund that nobody has told of: how much is gone comes with its notification.
  if (status === 'PARTIALLY_REFUNDED' && !takings.some(({ kind }) => kind === 'refund'))
    return { kind: 'wait', why: 'refund_not_told' };
  return known.credited === null ? decideFresh(truth, known.hint, rules) : decideAgain(truth, known.credited);
}
