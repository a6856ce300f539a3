import { z } from 'zod';

/** Micro-aiDollars in one aiDollar. The ledger counts in micro-aiDollars, as integers. */
export const MICRO = 1_000_000n;
const PLACES = 6;

export const AMOUNT_MAX_AIDOLLARS = 1_000_000_000;
const AMOUNT_MAX_MICRO = BigInt(AMOUNT_MAX_AIDOLLARS) * MICRO;
const AMOUNT_MAX_CHARS = 32;

const DECIMAL = /^(-?)(0|[1-9][0-9]{0,12})(?:\.([0-9]{1,6}))?$/;
const HOW = 'write an amount of aiDollars with at most six places, in quotes, for example "12.5"';

/** Null if the text is not a decimal number or has more than six places. */
function microOf(text: string): bigint | null {
  const [, sign, whole = '', fraction = ''] = DECIMAL.exec(text) ?? [];
  if (sign === undefined) return null;
  const micro = BigInt(whole) * MICRO + BigInt(fraction.padEnd(PLACES, '0'));
  return sign === '-' ? -micro : micro;
}

/** Throws RangeError if the text is not an amount. */
export function parseAiDollars(text: string): bigint {
  const micro = microOf(text);
  if (micro === null) throw new RangeError(`${text} is not an amount of aiDollars: ${HOW}`);
  return micro;
}

/** No exponent, no trailing zeros, `-` before a negative amount. */
export function formatAiDollars(micro: bigint): string {
  const size = micro < 0n ? -micro : micro;
  const fraction = String(size % MICRO)
    .padStart(PLACES, '0')
    .replace(/0+$/, '');
  return `${micro < 0n ? '-' : ''}${size / MICRO}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Negative if money was taken. */
export const AiDollars = z
  .string()
  .regex(DECIMAL, HOW)
  .meta({ description: 'aiDollars as a decimal string with at most six places', example: '12.5' });

const inRange = (text: string): boolean => {
  const micro = microOf(text);
  return micro !== null && micro > 0n && micro <= AMOUNT_MAX_MICRO;
};

/** JSON numbers must be whole, because binary fractions are inexact. `5`, `"5"` and `"5.0"` become the same canonical text. */
export const Amount = z
  .union([
    z
      .string()
      .max(AMOUNT_MAX_CHARS)
      .regex(DECIMAL, HOW)
      .refine(inRange, `write an amount above 0 and of at most ${AMOUNT_MAX_AIDOLLARS} aiDollars`),
    z.int(`${HOW}; a JSON number must be whole`).min(1).max(AMOUNT_MAX_AIDOLLARS),
  ])
  .transform((amount) => formatAiDollars(parseAiDollars(String(amount))))
  .meta({
    description: 'aiDollars above zero: a decimal string with at most six places, or a whole number',
    examples: ['12.5', 12],
  });
