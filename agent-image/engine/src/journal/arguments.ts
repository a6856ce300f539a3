import { asText, canonicalJson, isJsonObject, repairAndValidate } from '../json/index.ts';

/** `isValid`: the text is valid JSON as it stands. `expected`: what the arguments should be, for the model. */
export type ParsedArguments =
  | Readonly<{ ok: true; value: unknown; isValid: boolean }>
  | Readonly<{ ok: false; expected: string }>;

/**
 * Parses the arguments of a call. Empty text counts as `{}`, because some models send it to a tool without parameters. An integer
 * that JavaScript cannot hold becomes its text, so that none of its digits changes.
 */
export function parseArguments(text: string): ParsedArguments {
  if (text.trim() === '') return { ok: true, value: {}, isValid: true };
  const read = repairAndValidate(text, undefined, { long: asText });
  if (!read.ok) return { ok: false, expected: `one JSON object: ${read.error}` };
  if (!isJsonObject(read.value)) return { ok: false, expected: 'one JSON object' };
  return { ok: true, value: read.value, isValid: read.repair.category === null };
}

/** The arguments of a call as canonical JSON, or the unchanged text if it is anything but a JSON object. */
export function canonicalArguments(text: string): string {
  const parsed = parseArguments(text);
  return parsed.ok && parsed.isValid ? canonicalJson(parsed.value) : text;
}
