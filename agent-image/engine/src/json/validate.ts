import { createRequire } from 'node:module';
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import type { z } from 'zod';
import { isZod, type JsonSchema, type Schema } from './guide.ts';
import type { JsonErrorCode } from './repair.ts';
import { loopIn } from './schema-loop.ts';

const ISSUES_MAX = 20;
/** Each value may fail in each part of a schema, so a larger value gets only its first issue. */
const VALUES_WITH_ALL_ISSUES_MAX = 500;
const MISSING = /^Invalid input: expected (.+), received undefined$/;

/** A field that does not fit: its path with dots, empty for the whole, and what should be there. */
export type JsonIssue = Readonly<{ path: string; expected: string }>;

export type Validated<T> =
  | Readonly<{ ok: true; value: T }>
  | Readonly<{ ok: false; code: Exclude<JsonErrorCode, 'JSON_SYNTAX_ERROR'>; issues: readonly JsonIssue[] }>;

/**
 * Holds a value, as it is, to a schema of zod or of JSON (draft 2020-12; `format` is a note). The patterns of a schema run as they
 * are, so callers must remove them from a schema of strangers. A schema that refers to itself without a value between fits no value.
 */
export function validate<T>(value: unknown, schema: Schema<T>): Validated<T> {
  if (isZod(schema)) {
    const parsed = schema.safeParse(value);
    return parsed.success ? { ok: true, value: parsed.data } : refusedByZod(parsed.error.issues);
  }
  const loop = loopOf(schema);
  if (loop !== null) return refused([loopIssue(loop)], true);
  if (compiled(schema, 'first')(value)) return { ok: true, value: value as T };
  const check = compiled(schema, hasAtMost(value, VALUES_WITH_ALL_ISSUES_MAX) ? 'all' : 'first');
  check(value);
  return refusedBySchema(check.errors ?? []);
}

/** True if a value contains at most this many values, itself included. Pure. */
export function hasAtMost(value: unknown, most: number): boolean {
  const open = [value];
  for (let count = 0; open.length > 0; count += 1) {
    if (count >= most) return false;
    const at = open.pop();
    if (typeof at === 'object' && at !== null) for (const part of Object.values(at)) open.push(part);
  }
  return true;
}

const loopIssue = (path: string): JsonIssue => ({
  path: '',
  expected: `the schema refers to itself without a value between, at ${path}: remove this reference`,
});

/**
 * `isMajor`: the whole value has the wrong type, or a required field is missing. `issues`: as the model can correct
 * them.
 */
function refused(issues: readonly JsonIssue[], isMajor: boolean): Validated<never> {
  const code = isMajor ? 'JSON_SCHEMA_MAJOR_MISMATCH' : 'JSON_SCHEMA_MINOR_MISMATCH';
  return { ok: false, code, issues: issues.slice(0, ISSUES_MAX) };
}

const zodIssue = ({ path, message }: z.core.$ZodIssue): JsonIssue => ({
  path: path.map(String).join('.'),
  expected: message.replace(MISSING, 'it is missing ($1)'),
});
const isMajorOfZod = ({ code, path, message }: z.core.$ZodIssue): boolean =>
  MISSING.test(message) || (path.length === 0 && code === 'invalid_type');

const refusedByZod = (issues: readonly z.core.$ZodIssue[]): Validated<never> =>
  refused(issues.map(zodIssue), issues.some(isMajorOfZod));

/** All errors of a check; only the first are put into words, because each may name all values of a long list. */
const refusedBySchema = (errors: readonly ErrorObject[]): Validated<never> =>
  refused(errors.slice(0, ISSUES_MAX).map(schemaIssue), errors.some(isMajorOfSchema));

const isMajorOfSchema = ({ instancePath, keyword }: ErrorObject): boolean =>
  keyword === 'required' || (instancePath === '' && keyword === 'type');

function schemaIssue({ instancePath, keyword, message = '', params }: ErrorObject): JsonIssue {
  const path = instancePath.split('/').slice(1).map(unescapedName);
  const { missingProperty, additionalProperty, allowedValues, allowedValue } = params as Readonly<
    Record<string, unknown>
  >;
  if (keyword === 'required') return { path: [...path, String(missingProperty)].join('.'), expected: 'it is missing' };
  const detail = [additionalProperty, allowedValues ?? allowedValue].flatMap((each) =>
    each === undefined ? [] : [JSON.stringify(each)],
  );
  return { path: path.join('.'), expected: [message, ...detail].join(': ') };
}

const unescapedName = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~');

const loops = new WeakMap<JsonSchema, string | null>();

/** The path of a reference by which the schema would be checked without end; null if its checks end. */
function loopOf(schema: JsonSchema): string | null {
  const known = loops.get(schema);
  if (known !== undefined) return known;
  const loop = loopIn(schema);
  loops.set(schema, loop);
  return loop;
}

type Issues = 'first' | 'all';
const checks: Readonly<Record<Issues, WeakMap<JsonSchema, ValidateFunction>>> = {
  first: new WeakMap(),
  all: new WeakMap(),
};

/** Throws if the schema is invalid. The library is loaded with the first schema. */
function compiled(schema: JsonSchema, issues: Issues): ValidateFunction {
  const known = checks[issues].get(schema);
  if (known !== undefined) return known;
  const { Ajv2020 } = createRequire(import.meta.url)('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  const { $schema: _, ...plain } = schema;
  const options = { strict: false, allErrors: issues === 'all', validateFormats: false, logger: false } as const;
  const check = new Ajv2020(options).compile(plain);
  checks[issues].set(schema, check);
  return check;
}
