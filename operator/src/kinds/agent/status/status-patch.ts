import { isDeepStrictEqual } from 'node:util';

/** The merge patch that makes `before` into `after`: changed fields, null for those that are gone; undefined if nothing changes. */
export function statusPatch(before: object, after: object): Readonly<Record<string, unknown>> | undefined {
  const old = new Map<string, unknown>(Object.entries(before));
  const patch: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(after)) {
    if (!isDeepStrictEqual(old.get(field), value)) patch[field] = value;
    old.delete(field);
  }
  for (const field of old.keys()) patch[field] = null;
  return Object.keys(patch).length === 0 ? undefined : patch;
}
