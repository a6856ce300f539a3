/**
 * The same value with U+FFFD in place of each half of a surrogate pair, in texts and keys at any depth. Postgres, Go
 * and providers refuse such halves, which programs make when they cut a text by UTF-16 units. The caller bounds the
 * depth. Returns the value itself if it contains no such half. Pure.
 */
export const wellFormed = <T>(value: T): T => repaired(value) as T;

function repaired(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value.map(repaired);
    return items.every((item, at) => item === value[at]) ? value : items;
  }
  const before = Object.entries(value);
  const after = before.map(([key, item]) => [key.toWellFormed(), repaired(item)] as const);
  const isSame = after.every(([key, item], at) => key === before[at]?.[0] && item === before[at]?.[1]);
  return isSame ? value : Object.fromEntries(after);
}
