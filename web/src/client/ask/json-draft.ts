/**
 * A form's draft as it was kept as a text; `empty` where nothing was kept. Only fields that `empty` has, with the same type, are taken: a page of
 * another version may have kept another form.
 */
export function readJsonDraft<T extends object>(kept: string, empty: T): T {
  let read: unknown;
  try {
    read = JSON.parse(kept);
  } catch {
    return empty;
  }
  if (typeof read !== 'object' || read === null) return empty;
  const fields = new Map(Object.entries(read));
  const taken = Object.entries(empty)
    .filter(([name, value]) => typeof fields.get(name) === typeof value)
    .map(([name]) => [name, fields.get(name)] as const);
  return { ...empty, ...Object.fromEntries(taken) };
}
