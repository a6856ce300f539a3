import { formatAiDollars, type PaymentOutcome, PayPalOrderBody, type PayPalTerms } from '@hamlet/contract';
import { moneyWords, readAmount } from '../money/money-labels.ts';

/** Name of the draft: it survives the way to PayPal and back, and goes once the payment was captured. */
export const PAY_DRAFT = 'pay';

/** A payment while it is written; `amount` as it was typed, in the currency that the village takes. */
export interface PayDraft {
  readonly agent: string;
  readonly amount: string;
}
export const EMPTY_PAYMENT: PayDraft = { agent: '', amount: '' };

export const OUTCOME_WORDS: Readonly<
  Record<PaymentOutcome, { readonly text: string; readonly tone: 'good' | 'waiting' | 'bad' }>
> = {
  captured: {
    text: 'PayPal took your payment. The agent gets it as soon as PayPal confirms it to the village.',
    tone: 'good',
  },
  not_approved: { text: 'You did not approve the payment at PayPal. Nothing was paid.', tone: 'waiting' },
  failed: {
    text: 'The village could not complete the payment. Look at PayPal before you pay again: if money was taken, the agent still gets it.',
    tone: 'bad',
  },
  cancelled: { text: 'You cancelled the payment. Nothing was paid.', tone: 'waiting' },
};

type PayReading =
  | { readonly ok: true; readonly amount: string }
  | { readonly ok: false; readonly problem: string };

/** Reads a draft; an amount may have a comma. What is missing or wrong is said in words. */
export function readPayment({ agent, amount }: PayDraft): PayReading {
  if (agent === '') return { ok: false, problem: 'Choose an agent' };
  const read = PayPalOrderBody.shape.amount.safeParse(amount.trim().replace(',', '.'));
  return read.success
    ? { ok: true, amount: withCents(read.data) }
    : { ok: false, problem: 'Write an amount above 0 and below 10,000,000, with at most two places, such as 10.00' };
}

/** With two places, as PayPal shows it. */
function withCents(amount: string): string {
  const [whole = '0', places = ''] = amount.split('.');
  return `${whole}.${places.padEnd(2, '0')}`;
}

/** What the agent gets for an amount, at the village's rate; null where either is unknown. The village pays PayPal's fees. */
export function worthOf(amount: string, { rate }: Pick<PayPalTerms, 'rate'>): string | null {
  const paid = readAmount(amount);
  const perUnit = rate === null ? null : readAmount(rate);
  return paid === null || perUnit === null ? null : moneyWords(formatAiDollars((paid * perUnit) / 1_000_000n));
}

/** The page of PayPal at which the payer approves; null for an address that a browser should not be sent to. */
export function approvalAddress(url: string): string | null {
  const read = URL.parse(url);
  return read?.protocol === 'https:' ? read.href : null;
}
