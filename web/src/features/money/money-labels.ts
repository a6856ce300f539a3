import { formatAiDollars, type LedgerEntry, parseAiDollars } from '@hamlet/contract';
import { actorWords, type ViewerId } from '../people/actor-words.ts';

/** Places always shown of an amount; more only where there is more. */
const PLACES = 2;

/** An amount of aiDollars for people: grouped, with at least two places: `1,204.50 ai$`. A text that is no amount is given back. */
export function moneyWords(amount: string): string {
  const parts = /^(-?)([0-9]+)(?:\.([0-9]+))?$/.exec(amount);
  if (parts === null) return amount;
  const [, sign = '', whole = '0', fraction = ''] = parts;
  return `${sign === '-' ? '−' : ''}${whole.replaceAll(/\B(?=(?:[0-9]{3})+$)/g, ',')}.${fraction.padEnd(PLACES, '0')} ai$`;
}

/** The same with a sign in front, for what was given and taken. */
export function changeWords(amount: string): string {
  return amount.startsWith('-') ? moneyWords(amount) : `+${moneyWords(amount)}`;
}

/** What a tier costs, in few words; `Free` where it costs nothing. */
export function priceWords(price: { readonly per_hour: string; readonly per_thousand_tokens: string }): string {
  const parts = [
    isNothing(price.per_hour) ? '' : `${moneyWords(price.per_hour)} an hour`,
    isNothing(price.per_thousand_tokens) ? '' : `${moneyWords(price.per_thousand_tokens)} per 1,000 tokens`,
  ].filter((part) => part !== '');
  return parts.length === 0 ? 'Free' : parts.join(' · ');
}

/** Many amounts as one; what is no amount counts for nothing. */
export function sumOf(amounts: readonly string[]): string {
  return formatAiDollars(amounts.reduce((sum, amount) => sum + (readAmount(amount) ?? 0n), 0n));
}

/** Micro-aiDollars of what a person typed, with a comma or a point; null where it is no amount. */
export function readAmount(typed: string): bigint | null {
  try {
    return parseAiDollars(typed.trim().replace(',', '.').replace(/^\./, '0.'));
  } catch {
    return null;
  }
}

function isNothing(amount: string): boolean {
  return /^0(\.0+)?$/.test(amount);
}

/** What an entry is for, in a word or two. */
export const REASONS: Readonly<Record<LedgerEntry['reason'], string>> = {
  reward: 'Reward',
  penalty: 'Penalty',
  deposit_credit: 'Deposit',
  purchase_compute: 'Compute bought',
  usage: 'Usage',
  refund: 'Refund',
  adjustment: 'Adjustment',
};

/** What an entry is for, and who made it. */
export function entryWords(entry: Pick<LedgerEntry, 'reason' | 'source'>, viewer: ViewerId): string {
  return `${REASONS[entry.reason]}${entry.source === '' || entry.source === 'system' ? '' : ` by ${actorWords(entry.source, null, viewer)}`}`;
}
