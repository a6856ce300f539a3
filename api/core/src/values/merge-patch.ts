function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value after a JSON merge patch (RFC 7386): null removes a field, a list is replaced. Pure. */
export function afterPatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const entries = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) entries.delete(key);
    else entries.set(key, afterPatch(entries.get(key), value));
  }
  return Object.fromEntries(entries);
}
