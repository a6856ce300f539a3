import { isDeepStrictEqual } from 'node:util';
import type { SpecPatch } from '../../resource-writes/change-spec.ts';

type Fields = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The paths of all values in a field; an empty object and a list are one value. Pure. */
export function leafPaths(value: unknown, path: string): readonly string[] {
  if (!isObject(value) || Object.keys(value).length === 0) return [path];
  return Object.entries(value).flatMap(([key, inner]) => leafPaths(inner, `${path}.${key}`));
}

/** The merge patch from one spec to another, only with differences, and the paths that it changes. Pure. */
export function patchBetween(before: Fields, after: Fields): SpecPatch {
  const spec = new Map<string, unknown>();
  const paths: string[] = [];
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (isDeepStrictEqual(before[key], after[key])) continue;
    const change = changeOf(before[key], after[key]);
    spec.set(key, change.value);
    paths.push(...change.paths.map((path) => `${key}${path}`));
  }
  return { spec: Object.fromEntries(spec), paths };
}

/** The change of one field, and its paths below the field. */
function changeOf(was: unknown, becomes: unknown): { readonly value: unknown; readonly paths: readonly string[] } {
  if (!isObject(was) || !isObject(becomes)) return { value: becomes ?? null, paths: leafPaths(becomes ?? was, '') };
  const { spec, paths } = patchBetween(was, becomes);
  return { value: spec, paths: paths.map((path) => `.${path}`) };
}
