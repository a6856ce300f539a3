import type { DaySums } from '@hamlet/contract';

const PLACES = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const DAY = new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' });
/** Less is written as `< 0.01`. */
const LEAST = 0.005;

/** A sum rounded to hundredths: `1,204.50`, `0`, `< 0.01`. The ledger has every amount in full. */
export function roundedLabel(amount: string): string {
  const value = Number(amount);
  if (value === 0) return '0';
  return value < LEAST ? '< 0.01' : PLACES.format(value);
}

/** `Mon 30 Nov` for `2026-11-30`. */
export const dayLabel = (day: string): string => DAY.format(Date.parse(day)).replace(',', '');

/** `0.12 USD, 1.00 EUR`; `0` without costs, and empty for a viewer who may not read them. */
export function costsLabel({ costs }: Pick<DaySums, 'costs'>): string {
  if (costs === null) return '';
  return costs.length === 0
    ? '0'
    : costs.map(({ currency, amount }) => `${roundedLabel(amount)} ${currency}`).join(', ');
}
