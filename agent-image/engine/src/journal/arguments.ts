import { canonicalJson } from './digest.ts';

export type ParsedArguments = Readonly<{ ok: true; value: unknown }> | Readonly<{ ok: false }>;

/** Parses the arguments of a call. Empty text counts as `{}`, because some models send it to a tool without parameters. */
export function parseArguments(text: string): ParsedArguments {
  if (text.trim() === '') return { ok: true, value: {} };
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false };
  }
}

/** The arguments of a call as canonical JSON, or the unchanged text if the model wrote invalid JSON. */
export function canonicalArguments(text: string): string {
  const parsed = parseArguments(text);
  return parsed.ok ? canonicalJson(parsed.value) : text;
}
