import { canonicalJson, isJsonObject } from './digest.ts';

/** `expected`: what the arguments should be, for the model. */
export type ParsedArguments = Readonly<{ ok: true; value: unknown }> | Readonly<{ ok: false; expected: string }>;

/**
 * Parses the arguments of a call. Empty text counts as `{}`, because some models send it to a tool without parameters. An integer
 * that JavaScript cannot hold becomes its text, so that none of its digits changes.
 */
export function parseArguments(text: string): ParsedArguments {
  if (text.trim() === '') return { ok: true, value: {} };
  try {
    const value: unknown = LONG_NUMBER.test(text) ? JSON.parse(text, exact) : JSON.parse(text);
    if (!isJsonObject(value)) return { ok: false, expected: 'one JSON object' };
    return isDeeper(value, MAX_LEVELS)
      ? { ok: false, expected: `one JSON object of at most ${MAX_LEVELS} levels` }
      : { ok: true, value };
  } catch (error) {
    return { ok: false, expected: `one JSON object: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** Maximum nesting of lists and objects, as in the API: later functions recurse for each level. */
const MAX_LEVELS = 32;

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((part) => isDeeper(part, levels - 1)));

/** Numbers with fewer digits are exact. */
const LONG_NUMBER = /\d{16}/;

/** A reviver; engines without `source` keep the number. */
function exact(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source ?? '';
  const isInexact = typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source);
  return isInexact ? source : value;
}

/** The arguments of a call as canonical JSON, or the unchanged text if they are no JSON object. */
export function canonicalArguments(text: string): string {
  const parsed = parseArguments(text);
  return parsed.ok ? canonicalJson(parsed.value) : text;
}
