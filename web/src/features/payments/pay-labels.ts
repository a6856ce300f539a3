import { formatAiDollars, type PaymentOutcome, PayPalOrderBody, type PayPalTerms } from '@hamlet/contract';
import { moneyLabel, readAmount } from '../../client/labels.ts';

/** The draft stays while the payer is at PayPal; the page deletes it after PayPal captured the payment. */
export const PAY_DRAFT = 'pay';

type PayDraft = Readonly<{ agent: string; amount: string }>;
export const EMPTY_PAYMENT: PayDraft = { agent: '', amount: '' };

export const OUTCOME_LABELS: Readonly<
  Record<PaymentOutcome, { readonly text: string; readonly tone: 'good' | 'waiting' | 'bad' }>
> = {
  captured: {
    text: 'PayPal took your payment. The agent gets it when PayPal confirms it to the village.',
    tone: 'good',
  },
  not_approved: { text: 'You did not approve the payment at PayPal. Nothing was paid.', tone: 'waiting' },
  failed: {
    text: 'The village could not complete the payment. Check PayPal before you pay again: if it took money, the agent still gets it.',
    tone: 'bad',
  },
  cancelled: { text: 'You cancelled the payment. Nothing was paid.', tone: 'waiting' },
};

type PayReading = { readonly ok: true; readonly amount: string } | { readonly ok: false; readonly problem: string };

export function readPayment({ agent, amount }: PayDraft): PayReading {
  if (agent === '') return { ok: false, problem: 'Choose an agent' };
  const read = PayPalOrderBody.shape.amount.safeParse(amount.trim().replace(',', '.'));
  return read.success
    ? { ok: true, amount: withCents(read.data) }
    : {
        ok: false,
        problem: 'Write an amount above 0 and below 10,000,000, with at most two decimal places, such as 10.00',
      };
}

function withCents(amount: string): string {
  const [whole = '0', places = ''] = amount.split('.');
  return `${whole}.${places.padEnd(2, '0')}`;
}

/** The aiDollars for an amount at the village's rate; null if either is unknown. The village pays the fees of PayPal. */
export function worthOf(amount: string, { rate }: Pick<PayPalTerms, 'rate'>): string | null {
  const paid = readAmount(amount);
  const perUnit = rate === null ? null : readAmount(rate);
  return paid === null || perUnit === null ? null : moneyLabel(formatAiDollars((paid * perUnit) / 1_000_000n));
}

/** The PayPal page where the payer approves; null if the address is not https. */
export function approvalAddress(url: string): string | null {
  const read = URL.parse(url);
  return read?.protocol === 'https:' ? read.href : null;
}
