/** JSON as text, without loss: whole numbers of any size, and no half of a surrogate pair. */
import { ModelFault } from '../chat/model-error.ts';

interface Source {
  /** The text of a number, string, boolean or null. */
  readonly source?: string;
}
/** The functions of JSON that TypeScript does not declare yet. */
const EXACT = JSON as unknown as {
  parse(text: string, revive: (key: string, value: unknown, context: Source) => unknown): unknown;
  rawJSON(text: string): object;
  isRawJSON(value: unknown): boolean;
};

/** True for a whole number beyond 2^53 in a value of `parseExact`. */
export const isLongNumber = (value: unknown): boolean => EXACT.isRawJSON(value);

/** Numbers with fewer digits are exact. */
const LONG_NUMBER = /\d{16}/;

function exactValue(_key: string, value: unknown, { source }: Source): unknown {
  const isInexact = typeof value === 'number' && !Number.isSafeInteger(value);
  return isInexact && source !== undefined && /^-?\d+$/.test(source) ? EXACT.rawJSON(source) : value;
}

/** Parses JSON. A whole number beyond 2^53 stays the text that it is, which `JSON.stringify` writes again. Throws a SyntaxError. */
export function parseExact(text: string): unknown {
  return LONG_NUMBER.test(text) ? EXACT.parse(text, exactValue) : JSON.parse(text);
}

/** Parses a provider's JSON. Throws a `bad_answer` for any other text. */
export function parseJson(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    throw new ModelFault('bad_answer', 'the provider sent text that is not valid JSON');
  }
}

const HALF_LENGTH = '\\ud83e'.length;
/** An escaped pair, an escaped half of one, or any other escape. */
const ESCAPE = /\\(?:u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[dD][89a-fA-F][\da-fA-F]{2}|.)/g;

/** The same JSON text with U+FFFD in place of each half of a surrogate pair, which other languages refuse. Pure. */
export function wellFormedJson(text: string): string {
  const whole = text.toWellFormed();
  if (!/\\u[dD][89a-fA-F]/.test(whole)) return whole;
  return whole.replaceAll(ESCAPE, (escape) => (escape.length === HALF_LENGTH ? '\\ufffd' : escape));
}
