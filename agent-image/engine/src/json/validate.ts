import { createRequire } from 'node:module';
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import type { z } from 'zod';
import { isZod, type JsonSchema, type Schema } from './guide.ts';
import type { JsonErrorCode } from './repair.ts';
import { loopIn } from './schema-loop.ts';

const ISSUES_MAX = 20;
const MISSING = /^Invalid input: expected (.+), received undefined$/;

/** A field that does not fit: its path with dots, empty for the whole, and what should be there. */
export type JsonIssue = Readonly<{ path: string; expected: string }>;

export type Validated<T> =
  | Readonly<{ ok: true; value: T }>
  | Readonly<{ ok: false; code: Exclude<JsonErrorCode, 'JSON_SYNTAX_ERROR'>; issues: readonly JsonIssue[] }>;

/**
 * Holds a value to a schema of zod or of JSON (draft 2020-12; `format` is a note). Nothing is repaired. The patterns of a schema run
 * as they are, so a schema of strangers must have none. A schema that refers to itself without a value between fits no value.
 */
export function validate<T>(value: unknown, schema: Schema<T>): Validated<T> {
  if (isZod(schema)) {
    const parsed = schema.safeParse(value);
    return parsed.success ? { ok: true, value: parsed.data } : refused(parsed.error.issues.map(zodFinding));
  }
  const check = compiled(schema);
  if ('loop' in check) return refused([loopFinding(check.loop)]);
  return check(value) ? { ok: true, value: value as T } : refused((check.errors ?? []).map(schemaFinding));
}

const loopFinding = (path: string): Finding => ({
  path: '',
  expected: `the schema refers to itself without a value between, at ${path}: remove this reference`,
  isMajor: true,
});

type Finding = JsonIssue & Readonly<{ isMajor: boolean }>;

/** The issues as a model can correct them. Major if the whole is of another kind, or a required field is missing. */
function refused(findings: readonly Finding[]): Validated<never> {
  const code = findings.some(({ isMajor }) => isMajor) ? 'JSON_SCHEMA_MAJOR_MISMATCH' : 'JSON_SCHEMA_MINOR_MISMATCH';
  return { ok: false, code, issues: findings.slice(0, ISSUES_MAX).map(({ path, expected }) => ({ path, expected })) };
}

function zodFinding({ code, path, message }: z.core.$ZodIssue): Finding {
  const isMissing = MISSING.test(message);
  return {
    path: path.map(String).join('.'),
    expected: message.replace(MISSING, 'it is missing ($1)'),
    isMajor: isMissing || (path.length === 0 && code === 'invalid_type'),
  };
}

function schemaFinding({ instancePath, keyword, message = '', params }: ErrorObject): Finding {
  const path = instancePath.split('/').slice(1).map(unescapedName);
  const { missingProperty, additionalProperty, allowedValues, allowedValue } = params as Readonly<
    Record<string, unknown>
  >;
  if (keyword === 'required')
    return { path: [...path, String(missingProperty)].join('.'), expected: 'it is missing', isMajor: true };
  const detail = [additionalProperty, allowedValues ?? allowedValue].flatMap((each) =>
    each === undefined ? [] : [JSON.stringify(each)],
  );
  const expected = [message, ...detail].join(': ');
  return { path: path.join('.'), expected, isMajor: path.length === 0 && keyword === 'type' };
}

const unescapedName = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~');

/** `loop`: the path of a reference by which a schema would be checked without end. */
type Check = ValidateFunction | Readonly<{ loop: string }>;

const checks = new WeakMap<JsonSchema, Check>();

function compiled(schema: JsonSchema): Check {
  const known = checks.get(schema);
  if (known !== undefined) return known;
  const loop = loopIn(schema);
  const check = loop === null ? compile(schema) : { loop };
  checks.set(schema, check);
  return check;
}

/** Throws for a schema that is none. The library is loaded with the first schema. */
function compile(schema: JsonSchema): ValidateFunction {
  const { Ajv2020 } = createRequire(import.meta.url)('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  const { $schema: _, ...plain } = schema;
  return new Ajv2020({ strict: false, allErrors: true, validateFormats: false, logger: false }).compile(plain);
}
