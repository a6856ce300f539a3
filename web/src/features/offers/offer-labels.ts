import { type Artifact, formatAiDollars, OFFER_HOURS_DEFAULT, type Run, type RunOffer } from '@hamlet/contract';
import { isSettled, readJson } from '@hamlet/core';
import { isOwn, readAmount, type ViewerId } from '../../client/labels.ts';
import { isJsonObject } from '../../client/json.ts';
import type { CallItem, TraceItem } from '../../client/minds/trace-items.ts';
import type { Tone } from '../../ui/controls.tsx';
import { dateTime } from '../../ui/time-labels.ts';
import { visibleText } from '@hamlet/core/visible-text';

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

/** The names of the files that a run delivered, and of those that it tried to deliver in vain. */
export interface Delivery {
  readonly delivered: readonly string[];
  readonly missing: readonly string[];
}

/** @param artifacts everything that the run made for people. Pure. */
export function deliveryOf(
  items: readonly TraceItem[],
  artifacts: readonly Pick<Artifact, 'name' | 'deliverable'>[],
): Delivery {
  const delivered = new Set(artifacts.filter(({ deliverable }) => deliverable !== null).map(({ name }) => name));
  const calls = items.filter((item) => item.kind === 'call').filter(({ tool }) => tool === 'deliver');
  const done = new Set([...delivered, ...calls.filter(({ state }) => state === 'done').map(deliveredName)]);
  const missing = new Set(calls.map(deliveredName).filter((name) => !done.has(name)));
  return { delivered: [...delivered].toReversed(), missing: [...missing] };
}

/** The name that a call of `deliver` gives: its own, or the last part of its path. */
function deliveredName({ argumentsText }: Pick<CallItem, 'argumentsText'>): string {
  const args = readJson(argumentsText ?? '');
  const { name, path } = isJsonObject(args) ? args : {};
  if (typeof name === 'string') return name;
  return typeof path === 'string' ? (path.split('/').findLast((part) => part !== '') ?? path) : 'A file';
}

const NAMES_MAX = 4;

/** The result that a person pays for, in a sentence. Pure. */
export function deliverySentence({ delivered, missing }: Delivery): string {
  if (missing.length > 0) return `${namesOf(missing)} was never delivered. Accept only if the rest is enough for you.`;
  return delivered.length === 0
    ? 'No file was delivered: the words of the agent are the whole result.'
    : `Delivered: ${namesOf(delivered)}.`;
}

function namesOf(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_MAX).map(visibleText).join(', ');
  return names.length > NAMES_MAX ? `${shown} and ${names.length - NAMES_MAX} more` : shown;
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
