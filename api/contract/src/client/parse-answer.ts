import type { z } from 'zod';

/** A newer API may add fields at several depths; each round finds those that the round before uncovered. */
const ROUNDS_MAX = 8;

type Issue = z.core.$ZodIssue;
type Unknown = { readonly path: readonly PropertyKey[]; readonly keys: readonly string[] };

/**
 * Parses the answer of an API that may be newer than this client: fields that the schema does not know are dropped.
 * Throws ZodError for any other difference. The value may be changed.
 */
export function parseAnswer<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    const unknown = unknownOf(parsed.error.issues);
    if (unknown === null) throw parsed.error;
    for (const { path, keys } of unknown) drop(value, path, keys);
  }
  return schema.parse(value);
}

/** The unknown fields, if the issues are about nothing else; else null. One option of a union suffices. */
function unknownOf(issues: readonly Issue[], base: readonly PropertyKey[] = []): readonly Unknown[] | null {
  const found: Unknown[] = [];
  for (const issue of issues) {
    const path = [...base, ...issue.path];
    if (issue.code === 'unrecognized_keys') found.push({ path, keys: issue.keys });
    else if (issue.code === 'invalid_union') {
      const option = issue.errors.map((errors) => unknownOf(errors, path)).find((unknown) => unknown !== null);
      if (option === undefined || option === null) return null;
      found.push(...option);
    } else return null;
  }
  return found.length === 0 ? null : found;
}

function drop(value: unknown, path: readonly PropertyKey[], keys: readonly string[]): void {
  const holder = path.reduce<unknown>((at, key) => (at as Readonly<Record<PropertyKey, unknown>>)[key], value);
  for (const key of keys) delete (holder as Record<string, unknown>)[key];
}
