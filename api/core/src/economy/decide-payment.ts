/** Minimum age in milliseconds of an approver's account at the proposal, so that admins have time to notice a new or stolen account. */
export const SECOND_ADMIN_AGE_MS = 24 * 3_600_000;

const ACCOUNT = 'account ';

export interface Eyes {
  /** The actor as in the audit: `account UUID` or `key NAME`. */
  readonly id: string;
  /** Null for a key. */
  readonly ownSince: Date | null;
  /** The actors that created or reset the account, transitively. */
  readonly hands: readonly string[];
}

/** The reason why `approver` may not approve the proposal that `asker` made at `askedAt`, else null. Pure. */
export function whyNotSecond(asker: Eyes, approver: Eyes, askedAt: Date): string | null {
  if (asker.id === approver.id) return 'An admin cannot approve their own proposal: another admin must approve it';
  if (asker.ownSince === null)
    return 'A key proposed this credit, and a key has no known owner: reject it, then an admin must propose it again from an account';
  if (approver.ownSince === null) return 'A key cannot approve because it has no known owner: approve from an account';
  if (approver.hands.includes(asker.id) || asker.hands.includes(approver.id))
    return 'One of the two admins made or reset the account of the other: an admin whose account neither of them made or reset must approve';
  if ([...approver.hands, ...asker.hands].some((hand) => !hand.startsWith(ACCOUNT)))
    return 'A key created or reset the account of one of the two admins, and a key has no known owner: other admins must propose and approve';
  if (askedAt.getTime() - approver.ownSince.getTime() < SECOND_ADMIN_AGE_MS)
    return 'An account may approve a proposal only if it was made or reset at least 24 hours before the proposal: another admin must approve';
  return null;
}

/** A refund, reversal or dispute as the provider reports it now. `amount`: millionths of the payment's currency. */
export interface Taking {
  readonly kind: 'refund' | 'reversal' | 'dispute';
  readonly amount: bigint;
  /**
   * `open`: a dispute withholds the amount. `taken`: the amount is lost permanently. `none`: nothing is taken, for
   * example after a failed refund.
   */
  readonly state: 'none' | 'open' | 'taken';
}

/** A payment as the provider reports it now. */
export interface PaymentTruth {
  readonly status: string;
  readonly amount: bigint;
  readonly currency: string;
  /** Agent that the payer named. */
  readonly customId: string | null;
  readonly takings: readonly Taking[];
}

/** The payment according to a notification; the provider must confirm it. */
export type PaymentHint = Pick<PaymentTruth, 'amount' | 'currency' | 'customId'>;

/** Credit for the payment so far, in micro-aiDollars. */
export interface Credited {
  readonly agentId: string;
  readonly amount: bigint;
  readonly net: bigint;
}

export interface PaymentRules {
  /** The only accepted currency, `USD`. */
  readonly currency: string;
  /** Micro-aiDollars for one unit of the currency. */
  readonly ratePerUnit: bigint;
}

type WaitReason =
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

/** `wait`: ask the provider again later. `never`: no credit. `stand`: the agent keeps `net` of the paid `amount`. */
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

/** A lost dispute ends in a refund of the same money, so the greater of the two counts, plus open disputes. */
function takenOf({ status, amount, takings }: PaymentTruth): bigint {
  if (ALL_TAKEN.has(status) || takings.some(({ kind, state }) => kind === 'reversal' && state !== 'none'))
    return amount;
  const refunded = total(takings.filter(({ kind, state }) => kind === 'refund' && state !== 'none'));
  const lost = total(takings.filter(({ kind, state }) => kind === 'dispute' && state === 'taken'));
  const open = total(takings.filter(({ kind, state }) => kind === 'dispute' && state === 'open'));
  return least(most(refunded, lost) + open, amount);
}

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

/** The agent keeps a share of the earlier credit, because the rate may have changed since. */
function decideAgain(truth: PaymentTruth, { agentId, amount }: Credited): PaymentDecision {
  const left = truth.amount - takenOf(truth);
  const net = NOT_PAID.has(truth.status) || left <= 0n ? 0n : (amount * left) / truth.amount;
  return { kind: 'stand', agentId, amount, net };
}

/** The order of notifications makes no difference. `truth` is null if the provider does not know the payment. Pure. */
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
  // The provider reports a refund, but its amount is unknown until the notification of the refund arrives.
  if (status === 'PARTIALLY_REFUNDED' && !takings.some(({ kind }) => kind === 'refund'))
    return { kind: 'wait', why: 'refund_not_told' };
  return known.credited === null ? decideFresh(truth, known.hint, rules) : decideAgain(truth, known.credited);
}

const PLACES = 6;
const UNIT = 1_000_000n;
const DECIMAL = /^(-?)(\d{1,12})(?:\.(\d{1,6}))?$/;

/** Millionths from a decimal string (`"12.50"`, `"-3"`); null for any other text. Pure. */
export function providerMicro(text: string): bigint | null {
  const [, sign, whole = '', fraction = ''] = DECIMAL.exec(text) ?? [];
  if (sign === undefined) return null;
  const micro = BigInt(whole) * UNIT + BigInt(fraction.padEnd(PLACES, '0'));
  return sign === '-' ? -micro : micro;
}

/** Micro-aiDollars, rounded down. Pure. */
export const worthOf = (micro: bigint, ratePerUnit: bigint): bigint => (micro * ratePerUnit) / UNIT;
