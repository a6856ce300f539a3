import { providerMicro } from '@hamlet/core';
import type { PaymentHint, PaymentTruth, Taking } from '@hamlet/core';
import type { KnownPayment, TakingId, ToldPayment } from '@hamlet/store';
import { PayPalError } from './paypal-client.ts';
import type { PayPalClient } from './paypal-client.ts';
import type { Dispute, Refund } from './paypal-wire.ts';

const FAILED_REFUNDS: ReadonlySet<string> = new Set(['CANCELLED', 'FAILED']);
/** Outcomes that leave the money here. Any other that a dispute ends with is taken for a loss. */
const KEPT: ReadonlySet<string> = new Set([
  'RESOLVED_SELLER_FAVOUR',
  'RESOLVED_WITH_PAYOUT',
  'CANCELED_BY_BUYER',
  'DENIED',
]);

function micro(value: string): bigint {
  const amount = providerMicro(value);
  if (amount === null || amount < 0n) throw new PayPalError(`PayPal's amount cannot be read: ${value}`);
  return amount;
}

function refundTaking({ status, amount }: Refund): Taking {
  return { kind: 'refund', amount: micro(amount.value), state: FAILED_REFUNDS.has(status) ? 'none' : 'taken' };
}

function disputeTaking({ status, dispute_amount: amount, dispute_outcome: outcome }: Dispute): Taking {
  const state = status !== 'RESOLVED' ? 'open' : KEPT.has(outcome?.outcome_code ?? '') ? 'none' : 'taken';
  return { kind: 'dispute', amount: micro(amount.value), state };
}

/** One that PayPal has told of and does not know: it is not believed, and the payment waits until it does. */
function unknown({ kind, takingId }: TakingId): never {
  throw new PayPalError(`PayPal does not know the ${kind} ${takingId}`);
}

async function takingOf(client: PayPalClient, taking: TakingId): Promise<Taking> {
  // The bank took it all back; there is no refund to ask about.
  if (taking.kind === 'reversal') return { kind: 'reversal', amount: 0n, state: 'taken' };
  if (taking.kind === 'refund') return refundTaking((await client.refund(taking.takingId)) ?? unknown(taking));
  return disputeTaking((await client.dispute(taking.takingId)) ?? unknown(taking));
}

/** Asks PayPal about a payment and all that takes it back; null where it does not know the payment. Throws PayPalError. */
export async function askForTruth(
  client: PayPalClient,
  captureId: string,
  takingIds: readonly TakingId[],
): Promise<PaymentTruth | null> {
  const capture = await client.capture(captureId);
  if (capture === null) return null;
  if (capture.id !== captureId) throw new PayPalError(`PayPal answers about ${capture.id}`);
  const takings: Taking[] = [];
  for (const id of takingIds) takings.push(await takingOf(client, id));
  const { status, amount, custom_id: customId } = capture;
  return { status, amount: micro(amount.value), currency: amount.currency_code, customId: customId ?? null, takings };
}

/** What is kept of an answer, to be shown. Pure. */
export function knownOf({ status, amount, currency, customId }: PaymentTruth): KnownPayment {
  return { status, amount: String(amount), currency, customId };
}

/** A kept hint as it is compared. Pure. */
export function hintOf({ amount, currency, customId }: ToldPayment): PaymentHint {
  return { amount: BigInt(amount), currency, customId };
}

/** Millionths of a currency as it is written, with two places at least. Pure. */
export function currencyText(amount: bigint): string {
  const fraction = String(amount % 1_000_000n)
    .padStart(6, '0')
    .replace(/0{1,4}$/, '');
  return `${amount / 1_000_000n}.${fraction}`;
}
