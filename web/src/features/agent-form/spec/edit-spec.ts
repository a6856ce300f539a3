import { isJsonObject, type Json } from '../../../client/json.ts';

/**
 * The way to a part of a spec, such as `['persona', 'identity']`. A list is written as a whole; `['skills', '0']` reads
 * one of its rows.
 */
export type SpecPath = readonly string[];

/** Undefined if the spec lacks the part. */
export function valueAt(spec: Json, path: SpecPath): unknown {
  let value: unknown = spec;
  for (const key of path)
    value =
      isJsonObject(value) || Array.isArray(value)
        ? Object.entries(value).find(([name]) => name === key)?.[1]
        : undefined;
  return value;
}

/** True if a person has written nothing there yet: no value, or only empty texts. */
export function isBlank(value: unknown): boolean {
  if (isJsonObject(value)) return Object.values(value).every(isBlank);
  return value === undefined || value === '';
}

/** Empty if the spec lacks the part, or it is not a text. */
export function textAt(spec: Json, path: SpecPath): string {
  const value = valueAt(spec, path);
  return typeof value === 'string' ? value : '';
}

export function rowsAt(spec: Json, path: SpecPath): readonly Json[] {
  const value = valueAt(spec, path);
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

export function textsAt(spec: Json, path: SpecPath): readonly string[] {
  const value = valueAt(spec, path);
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** The spec with another value. An empty text, undefined and an empty object remove the part, and then parents that are empty. */
export function withValue(spec: Json, path: SpecPath, value: unknown): Json {
  const [key, ...rest] = path;
  if (key === undefined) return spec;
  const { [key]: old, ...others } = spec;
  const part = rest.length === 0 ? value : withValue(isJsonObject(old) ? old : {}, rest, value);
  return isEmpty(part) ? others : { ...spec, [key]: part };
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === '' || (isJsonObject(value) && Object.keys(value).length === 0);
}

/** A value without spaces around its texts, as the form sends and shows it. */
export function trimmed<T>(value: T): T;
export function trimmed(value: unknown): unknown {
  if (typeof value === 'string') return value.trim();
  if (Array.isArray(value)) return value.map((item: unknown) => trimmed(item));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, trimmed(part)]));
}
