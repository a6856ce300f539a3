import { formatAiDollars, type LedgerEntry, parseAiDollars } from '@hamlet/contract';

export type ViewerId = string | null;

/** Number of letters shown of an account id: enough to distinguish it from the others. */
const SHORT = 8;

/** An actor in words: `you`, `admin c1480749`, `ada`. `role` is the role at the time of the act, if recorded. */
export function actorLabel(id: string, role: string | null, viewer: ViewerId): string {
  const [kind = '', name = ''] = id.split(' ', 2);
  if (kind === 'agent') return name;
  // A job of the API, such as provider-tests; its act says what it did.
  if (role === 'system') return 'the village';
  if (kind !== 'account') return id;
  return name === viewer ? 'you' : `${role ?? 'account'} ${name.slice(0, SHORT)}`;
}

/** The id of the account that acted; null for another actor. */
export function accountIn(id: string): string | null {
  return /^account ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(id)?.[1] ?? null;
}

export const isOwn = (id: string, viewer: ViewerId): boolean => viewer !== null && id === `account ${viewer}`;

const PLACES = 2;

/** An amount for display, grouped, with at least two decimal places: `1,204.50 ai$`. Other text stays unchanged. */
export function moneyLabel(amount: string): string {
  const parts = /^(-?)([0-9]+)(?:\.([0-9]+))?$/.exec(amount);
  if (parts === null) return amount;
  const [, sign = '', whole = '0', fraction = ''] = parts;
  return `${sign === '-' ? '−' : ''}${whole.replaceAll(/\B(?=(?:[0-9]{3})+$)/g, ',')}.${fraction.padEnd(PLACES, '0')} ai$`;
}

const HUNDREDTHS = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const SMALL = new Intl.NumberFormat('en', { maximumSignificantDigits: 2 });

/**
 * An amount for a row: rounded to hundredths, or to two digits if it is smaller: `1,204.50 ai$`, `−0.00097 ai$`. Other
 * text stays unchanged.
 */
export function shortMoneyLabel(amount: string): string {
  const value = Number(amount);
  if (amount === '' || Number.isNaN(value)) return amount;
  const size = Math.abs(value);
  return `${value < 0 ? '−' : ''}${(size === 0 || size >= 0.01 ? HUNDREDTHS : SMALL).format(size)} ai$`;
}

export function changeLabel(amount: string): string {
  return amount.startsWith('-') ? moneyLabel(amount) : `+${moneyLabel(amount)}`;
}

export function priceLabel(price: { readonly per_hour: string; readonly per_thousand_tokens: string }): string {
  const parts = [
    isNothing(price.per_hour) ? '' : `${moneyLabel(price.per_hour)} an hour`,
    isNothing(price.per_thousand_tokens) ? '' : `${moneyLabel(price.per_thousand_tokens)} per 1,000 tokens`,
  ].filter((part) => part !== '');
  return parts.length === 0 ? 'No charge' : parts.join(' · ');
}

export const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** The sum of amounts; other text counts as zero. */
export function sumOf(amounts: readonly string[]): string {
  return formatAiDollars(amounts.reduce((sum, amount) => sum + (readAmount(amount) ?? 0n), 0n));
}

/** Reads a typed amount, with a comma or a point, as micro-aiDollars; null if the text is no amount. */
export function readAmount(typed: string): bigint | null {
  try {
    return parseAiDollars(typed.trim().replace(',', '.').replace(/^\./, '0.'));
  } catch {
    return null;
  }
}

const isNothing = (amount: string): boolean => /^0(\.0+)?$/.test(amount);

export const REASONS: Readonly<Record<LedgerEntry['reason'], string>> = {
  reward: 'Reward',
  penalty: 'Penalty',
  deposit_credit: 'Credit',
  purchase_compute: 'Purchase',
  usage: 'Usage',
  refund: 'Refund',
  adjustment: 'Adjustment',
};
