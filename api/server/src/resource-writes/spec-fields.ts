import { createHash } from 'node:crypto';

/** Fields of a spec by their path (`limits.models`). A list is one field, because Kubernetes tracks and replaces it as a whole. */
export type SpecFields = ReadonlyMap<string, unknown>;

const DIGEST_CHARS = 16;

export function fieldsOf(spec: unknown, path = ''): SpecFields {
  if (typeof spec !== 'object' || spec === null || Array.isArray(spec))
    return path === '' || spec === undefined ? new Map() : new Map([[path, spec]]);
  return new Map(
    Object.entries(spec).flatMap(([key, value]) => [...fieldsOf(value, path === '' ? key : `${path}.${key}`)]),
  );
}

/** A digest of a value, to detect changes without storing the value. Pure. */
export function digestsOf(spec: unknown): Readonly<Record<string, string>> {
  const digest = (value: unknown): string =>
    createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, DIGEST_CHARS);
  return Object.fromEntries([...fieldsOf(spec)].map(([path, value]) => [path, digest(value)]));
}

export function changedPaths(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): readonly string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((path) => before[path] !== after[path])
    .toSorted();
}

/** The merge patch from `before` to `wanted`: only differences, with null for removed fields. Pure. */
export function differenceOf(before: SpecFields, wanted: SpecFields): SpecFields {
  const paths = new Set([...before.keys(), ...wanted.keys()]);
  return new Map(
    [...paths].flatMap((path) =>
      JSON.stringify(before.get(path)) === JSON.stringify(wanted.get(path)) ? [] : [[path, wanted.get(path) ?? null]],
    ),
  );
}

type Nested = { [key: string]: unknown };

export function nestedOf(fields: SpecFields): Readonly<Nested> {
  const root: Nested = {};
  for (const [path, value] of fields) {
    const keys = path.split('.');
    const last = keys.pop() ?? '';
    let at = root;
    for (const key of keys) at = (at[key] ??= {}) as Nested;
    at[last] = value;
  }
  return root;
}
