import { formatAiDollars, OFFER_HOURS_DEFAULT, type Run, type RunOffer } from '@hamlet/contract';
import { isSettled } from '@hamlet/core';
import { isOwn, readAmount, type ViewerId } from '../../client/labels.ts';
import type { Tone } from '../../ui/controls.tsx';
import { dateTime } from '../../ui/time-labels.ts';

export const OFFER_STATE_LABELS: Readonly<Record<RunOffer['state'], Readonly<{ word: string; tone: Tone }>>> = {
  open: { word: 'Held', tone: 'waiting' },
  paid: { word: 'Paid', tone: 'good' },
  refused: { word: 'Refused', tone: 'bad' },
  expired: { word: 'Expired', tone: 'sleep' },
  returned: { word: 'Returned', tone: 'sleep' },
};

export function mayDecide(
  { state, offered_by: by }: Pick<RunOffer, 'state' | 'offered_by'>,
  run: Pick<Run, 'state'>,
  viewer: ViewerId,
): boolean {
  return state === 'open' && run.state === 'done' && isOwn(by.id, viewer);
}

/** The state of an offer in a sentence. `from` is the person who made it, in words: `you`, `Mia`. */
export function offerSentence(offer: RunOffer, run: Pick<Run, 'state'>, from: string): string {
  const { state, ended_at: ended } = offer;
  const at = ended === null ? '' : ` on ${dateTime(Date.parse(ended))}`;
  switch (state) {
    case 'open':
      return openSentence(offer, { ended: isSettled(run.state), from: from === 'you' ? 'You' : from });
    case 'paid':
      return `The agent received the money from ${from}${at}.`;
    case 'refused':
      return `The result was refused by ${from}${at}. The money is free again.`;
    case 'expired':
      return `The offer expired without a decision${at}. The money is free again.`;
    case 'returned':
      return `The run did not end well, so the money is free again${at === '' ? '' : `, since ${at.slice(4)}`}.`;
  }
}

function openSentence({ expires_at: expires }: RunOffer, { ended, from }: { ended: boolean; from: string }): string {
  const until = dateTime(Date.parse(expires));
  return ended
    ? `${from} can accept or refuse the result until ${until}; after that the money is free again.`
    : `${from} will accept or refuse the result when the run has ended. The offer expires on ${until}.`;
}

export type OfferDraft = Readonly<{ amount: string; hours: string }>;
export const EMPTY_OFFER: OfferDraft = { amount: '', hours: String(OFFER_HOURS_DEFAULT) };

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

/** The offer of a request; null without an amount. Not ok unless the amount is above 0. */
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
