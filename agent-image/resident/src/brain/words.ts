import type { Landmark, PurchaseItem } from '@hamlet/contract';
import { shorten } from '@hamlet/core/shorten';

const QUOTED_CHARS = 160;

/** A text on one line; an ellipsis ends a shortened text. */
export const shortened = (text: string, maxChars: number): string =>
  shorten(text.replaceAll(/\s+/gu, ' ').trim(), maxChars);

/** The beginning of a text in quotation marks; quotation marks inside become single ones. */
export function quoted(text: string, maxChars = QUOTED_CHARS): string {
  return `“${shortened(text, maxChars).replaceAll(/[“”"]/gu, "'")}”`;
}

/** Words as one phrase: `a`, `a and b`, `a, b and c`; beyond `max`, the number of the others. */
export function listed(words: readonly string[], max = 5): string {
  if (words.length > max) return `${words.slice(0, max).join(', ')} and ${words.length - max} more`;
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

/** A text with an initial capital and a final full stop. */
export function sentence(text: string): string {
  const trimmed = text.trim();
  const whole = `${trimmed.charAt(0).toUpperCase()}${trimmed.slice(1)}`;
  return /[.!?…][”'’)]*$/u.test(whole) ? whole : `${whole}.`;
}

export function clockInWords(minute: number): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`;
}

export const plain = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();

/** Kinds of place whose names are proper names without an article: “Café Hearth”, “Alder Cottage”. */
const PROPER: ReadonlySet<Landmark['kind']> = new Set<Landmark['kind']>(['cafe', 'home', 'waypoint']);

/** A place's name within a sentence, with its article: “the market”, “the Town Hall”, “Café Hearth”. */
export function placeInWords({ name, kind }: Pick<Landmark, 'name' | 'kind'>): string {
  if (/^(?:the|a|an|my|our)\s|['’]s?(?:\s|$)/iu.test(name)) return name;
  if (plain(name) === kind) return `the ${name.toLowerCase()}`;
  return PROPER.has(kind) ? name : `the ${name}`;
}

/** A purchase as a phrase that can follow “for”. */
export function itemInWords(item: PurchaseItem): string {
  switch (item.kind) {
    case 'quota':
      return `${item.amount} more ${item.limit === 'tokens_per_hour' ? 'tokens an hour' : 'requests a minute'}`;
    case 'model':
      return `the model ${item.model}`;
    case 'priority':
      return 'a better place in the queue for seats';
    case 'gpu':
      return `the GPUs of ${item.lane}`;
  }
}
