import { formatAiDollars, OFFER_HOURS_DEFAULT } from '@hamlet/contract';
import { readAmount } from '../money/money-labels.ts';

/** An offer as a person writes it: the amount as typed, and the hours until it expires. */
export type OfferDraft = Readonly<{ amount: string; hours: string }>;
export const EMPTY_OFFER: OfferDraft = { amount: '', hours: String(OFFER_HOURS_DEFAULT) };

/** The times that the form offers until an offer expires, in hours. */
export const OFFER_TIMES: readonly (readonly [hours: string, word: string])[] = [
  ['24', 'A day'],
  ['72', '3 days'],
  ['168', 'A week'],
  ['336', '2 weeks'],
  ['720', '30 days'],
];

type ReadOffer =
  | { readonly ok: true; readonly offer: { readonly amount: string; readonly expires_in_hours: number } | null }
  | { readonly ok: false };

/** The offer of a request; null without an amount. Not ok if the amount is no amount above 0. */
export function readOffer({ amount, hours }: OfferDraft): ReadOffer {
  if (amount.trim() === '') return { ok: true, offer: null };
  const micro = readAmount(amount);
  if (micro === null || micro <= 0n) return { ok: false };
  const known = OFFER_TIMES.some(([choice]) => choice === hours);
  return {
    ok: true,
    offer: { amount: formatAiDollars(micro), expires_in_hours: known ? Number(hours) : OFFER_HOURS_DEFAULT },
  };
}
