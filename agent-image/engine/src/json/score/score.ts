import { isJsonObject } from '../canonical-json.ts';
import { asRawNumber, parseStrictly, withoutNumerals } from '../numeral.ts';
import type { JsonSchema } from '../guide.ts';

/** A text, and the value that it means. Without `expected`, the text means nothing certain and must be refused. */
export type ScoredLine = Readonly<{ raw: string; schema?: JsonSchema; expected?: unknown; name?: string }>;
export const SCORES = ['exact', 'silentlyWrong', 'refused'] as const;
export type Score = (typeof SCORES)[number];

/** The value that a parser found; null if it refused. */
export type Found = Readonly<{ value: unknown }> | null;

/** `exact`: the expected value, or an expected refusal. `silentlyWrong`: another value. `refused`: a refusal of a value. Pure. */
export function scoreOf({ expected }: Pick<ScoredLine, 'expected'>, found: Found): Score {
  if (found === null) return expected === undefined ? 'exact' : 'refused';
  return expected !== undefined && exactText(found.value) === exactText(expected) ? 'exact' : 'silentlyWrong';
}

/** JSON with sorted names and all digits: values that are equal as JSON have equal texts. */
const exactText = (value: unknown): string | undefined => JSON.stringify(inOrder(value));

const isRaw = (value: object): boolean => (JSON as unknown as { isRawJSON(given: object): boolean }).isRawJSON(value);

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (!isJsonObject(value) || isRaw(value)) return value;
  const sorted = Object.create(null) as Record<string, unknown>;
  for (const name of Object.keys(value).toSorted()) sorted[name] = inOrder(value[name]);
  return sorted;
}

/** Reads a line of a corpus. A string says what is wrong with it. Pure. */
export function readLine(line: string): ScoredLine | string {
  let read: unknown;
  try {
    read = withoutNumerals(parseStrictly(line), asRawNumber);
  } catch {
    return 'it is not JSON';
  }
  if (!isJsonObject(read) || typeof read['raw'] !== 'string') return 'it has no text "raw"';
  const { raw, schema, expected, name } = read;
  if (schema !== undefined && !isJsonObject(schema)) return 'its "schema" is not a JSON Schema';
  return {
    raw,
    ...(schema === undefined ? {} : { schema }),
    ...(expected === undefined ? {} : { expected }),
    ...(typeof name === 'string' ? { name } : {}),
  };
}
