/** Numbers without loss: JavaScript holds integers to 2^53 and drops how a number was written. */

interface ExactJson {
  parse(
    text: string,
    revive: (key: string, value: unknown, context?: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): object;
}
/** The functions of JSON that TypeScript does not declare yet. */
const EXACT = JSON as unknown as ExactJson;

/** A number whose text says more than its value: `1.0`, `1e3`, an integer beyond 2^53. */
export class Numeral {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

/** The value of a number that JavaScript cannot hold. */
export type LongNumber = (source: string) => unknown;
/** `JSON.stringify` writes it as the number that it is, with all digits. */
export const asRawNumber: LongNumber = (source) => EXACT.rawJSON(source);
export const asText: LongNumber = (source) => source;

export const isHeld = (source: string): boolean => {
  const value = Number(source);
  return /^-?\d+$/.test(source) ? Number.isSafeInteger(value) : Number.isFinite(value);
};

export const numeralOf = (source: string): number | Numeral =>
  String(Number(source)) === source && isHeld(source) ? Number(source) : new Numeral(source);

const LONG = /\d[\d_]{15}|\d[eE]\+?\d{3}/;

/** False if JavaScript holds every number of the text. */
export const mayHaveLong = (text: string): boolean => LONG.test(text);

/** Parses JSON with each number that JavaScript would change as a `Numeral`. Throws a SyntaxError. */
export const parseWithNumerals = (text: string): unknown =>
  EXACT.parse(text, (_key, value, context) =>
    typeof value === 'number' ? numeralOf(context?.source ?? String(value)) : value,
  );

/** Parses JSON; only numbers that JavaScript cannot hold are `Numeral`s. Throws a SyntaxError. */
export function parseStrictly(text: string): unknown {
  if (!LONG.test(text)) return JSON.parse(text);
  return EXACT.parse(text, (_key, value, context) => {
    const source = context?.source;
    return typeof value === 'number' && source !== undefined && !isHeld(source) ? new Numeral(source) : value;
  });
}

/** The value without numerals. Pure. */
export function withoutNumerals(node: unknown, long: LongNumber): unknown {
  if (node instanceof Numeral) return isHeld(node.source) ? Number(node.source) : long(node.source);
  if (Array.isArray(node)) return node.map((each) => withoutNumerals(each, long));
  if (typeof node !== 'object' || node === null) return node;
  const value: Record<string, unknown> = {};
  for (const [key, each] of Object.entries(node)) setOwn(value, key, withoutNumerals(each, long));
  return value;
}

/** Sets a property; `__proto__` is a key like any other. */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  else target[key] = value;
}
