/** JSON with sorted keys: values that are equal as JSON have equal texts. */
export const canonicalJson = (value: unknown): string => JSON.stringify(sorted(value)) ?? 'null';

/** True for a JSON object; false for a list and any other value. */
export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A function as the second argument of `JSON.stringify` would cost several times as much. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  // Without a prototype, `__proto__` is a key like any other.
  const copy = Object.create(null) as Record<string, unknown>;
  for (const key of Object.keys(value).toSorted()) copy[key] = sorted(value[key]);
  return copy;
}
