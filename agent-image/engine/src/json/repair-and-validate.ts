import { coerced, decodedText } from './coerce.ts';
import { Fault } from './text/fault.ts';
import { admits, guideOf, isZod, typesOf, type JsonSchema, type Schema } from './guide.ts';
import { LEVELS_MAX } from './text/lenient.ts';
import {
  asRawNumber,
  asText,
  mayHaveLong,
  parseStrictly,
  parseWithNumerals,
  withoutNumerals,
  type LongNumber,
} from './numeral.ts';
import { readLeniently, readText, type LenientRead, type ReadingRules } from './text/read-leniently.ts';
import { repairOf, type JsonErrorCode, type Repair, type RepairAction } from './repair.ts';
import { validate, type JsonIssue } from './validate.ts';

export const TEXT_MAX_CHARS = 16 << 20;

export type Repaired<T> =
  /** `given`: the value as the schema received it, before the defaults and transforms of zod. */
  | Readonly<{ ok: true; value: T; given: unknown; repair: Repair }>
  /** `error`: what is wrong, for the model that wrote it. `repair`: what was changed all the same. */
  | Readonly<{ ok: false; code: JsonErrorCode; error: string; issues: readonly JsonIssue[]; repair: Repair }>;

export type RepairOptions = Readonly<{
  /** True if the writer was cut off at its limit: a text that ends early is then refused in any case. */
  isCut?: boolean;
  /**
   * The value of a number that JavaScript cannot hold: by default its text with zod, else a value that `JSON.stringify`
   * writes as that number.
   */
  long?: LongNumber;
}>;

const NO_ACTIONS: ReadonlySet<RepairAction> = new Set();

/**
 * The value that a model's text means. Valid JSON that fits is never changed; without a schema that is all valid JSON except a text
 * that is JSON again. A repair changes only what has one certain meaning; the rest is refused with the exact error. Time is linear
 * in the text; nesting is limited to 32 levels and length to 16 million characters. Pure.
 */
export function repairAndValidate<T = unknown>(
  raw: string,
  schema?: Schema<T>,
  { isCut = false, long }: RepairOptions = {},
): Repaired<T> {
  if (raw.length > TEXT_MAX_CHARS) return refusedSyntax(`the text is longer than ${TEXT_MAX_CHARS} characters`);
  const by = { schema, long: long ?? longFor(schema) };
  try {
    return readAndFit(raw, by, isCut);
  } catch (error) {
    if (error instanceof Fault) return refusedSyntax(error.message);
    throw error;
  }
}

const longFor = (schema: Schema | undefined): LongNumber =>
  schema !== undefined && isZod(schema) ? asText : asRawNumber;

/** Throws a fault if the text cannot be read. */
function readAndFit<T>(raw: string, by: Setting<T>, isCut: boolean): Repaired<T> {
  const strict = strictly(raw);
  // Numbers as they were written matter only to a schema that wants texts.
  const hasLong = mayHaveLong(raw);
  if (strict !== null && typeof strict.node !== 'string')
    return fit(strict, by, { isPlain: !hasLong, hasLong, numerals: () => parseWithNumerals(raw) });
  const guide = by.schema === undefined ? null : guideOf(by.schema);
  const rules: ReadingRules = {
    guide,
    isCut,
    fits: (node) => fit({ node, actions: NO_ACTIONS }, by, { isPlain: false, hasLong: true }).ok,
  };
  return fit(strict === null ? readLeniently(raw, rules) : readString(strict.node, rules), by, {
    isPlain: false,
    hasLong,
  });
}

/** The same for a value that was parsed already. */
export const coerceAndValidate = <T>(value: unknown, schema: Schema<T>): Repaired<T> =>
  fit<T>({ node: value, actions: NO_ACTIONS }, { schema, long: asText }, { isPlain: true, hasLong: true });

function strictly(raw: string): LenientRead | null {
  try {
    return { node: parseStrictly(raw), actions: NO_ACTIONS };
  } catch {
    return null;
  }
}

/** Valid JSON that is a text as a whole. If the schema wants another type: the document in the text. */
function readString(node: unknown, rules: ReadingRules): LenientRead {
  const whole = { node, actions: NO_ACTIONS };
  if (typeof node !== 'string') return whole;
  const types = typesOf(rules.guide);
  const inner = types.size === 0 ? decodedText(node) : null;
  if (inner !== null) return { node: inner, actions: new Set(['decoded_text']) };
  if (admits(types, node) || !/[{[]/.test(node)) return whole;
  const read = readText(node, rules);
  return { node: read.node, actions: new Set([...read.actions, 'decoded_text']) };
}

function refusedSyntax<T>(why: string): Repaired<T> {
  const issues = [{ path: '', expected: `one JSON value: ${why}` }];
  return { ok: false, code: 'JSON_SYNTAX_ERROR', error: why, issues, repair: repairOf(NO_ACTIONS) };
}

type Setting<T> = Readonly<{ schema: Schema<T> | undefined; long: LongNumber }>;
/**
 * `isPlain`: the value has no numerals. `hasLong`: it may have numbers that JavaScript cannot hold. `numerals`: returns
 * the value with all of its numerals.
 */
type Numbers = Readonly<{ isPlain: boolean; hasLong: boolean; numerals?: () => unknown }>;

/** Holds a value to the schema: as it is, then with the types that the schema wants. */
function fit<T>({ node, actions }: LenientRead, by: Setting<T>, { isPlain, hasLong, numerals }: Numbers): Repaired<T> {
  if (isDeeper(node, LEVELS_MAX)) return refusedSyntax(`there are more than ${LEVELS_MAX} levels`);
  const { schema, long } = by;
  const plain = isPlain ? node : withoutNumerals(node, long);
  if (schema === undefined) return { ok: true, value: plain as T, given: plain, repair: repairOf(actions) };
  const first = validate(checked(plain, schema, hasLong), schema);
  if (first.ok && !hasDefaults(schema))
    return { ok: true, value: valueOf(first.value, plain, schema), given: plain, repair: repairOf(actions) };
  return fitCoerced({ node: numerals?.() ?? node, actions }, { schema, long, hasLong, keepsNames: first.ok });
}

/** zod may change the value. A validator of JSON Schema checks a copy with rounded numbers, so the result is the given value. */
const valueOf = <T>(validated: T, given: unknown, schema: Schema<T>): T => (isZod(schema) ? validated : (given as T));

/** The value as a validator sees it: one of JSON Schema sees a long number as the nearest one. */
const checked = (value: unknown, schema: Schema, hasLong: boolean): unknown =>
  hasLong && !isZod(schema) ? checkable(value) : value;

/**
 * Maximum characters of JSON that the defaults of a schema may add: each of many elements may lack a field with a long
 * one.
 */
const DEFAULTS_MAX_CHARS = 1 << 20;
const TOO_MANY_DEFAULTS = {
  ok: false,
  code: 'JSON_SCHEMA_MAJOR_MISMATCH',
  error: 'the fields that are left out have too many values by default: give fewer elements',
  issues: [{ path: '', expected: 'fewer elements' }],
  repair: repairOf(NO_ACTIONS),
} as const;

type Fitting<T> = Readonly<{ schema: Schema<T>; long: LongNumber; hasLong: boolean; keepsNames: boolean }>;

function fitCoerced<T>({ node, actions }: LenientRead, by: Fitting<T>): Repaired<T> {
  const { schema, long, hasLong, keepsNames } = by;
  const done = new Set(actions);
  const act = (action: RepairAction): void => void done.add(action);
  const defaults = isZod(schema) ? null : { left: DEFAULTS_MAX_CHARS };
  const given = coerced(node, guideOf(schema), { long, act, defaults, keepsNames });
  if (defaults !== null && defaults.left < 0) return TOO_MANY_DEFAULTS;
  const held = validate(checked(given, schema, hasLong), schema);
  const repair = repairOf(done);
  if (!held.ok) return { ...held, error: errorOf(held.issues), repair };
  return { ok: true, value: valueOf(held.value, given, schema), given, repair };
}

const withDefaults = new WeakMap<JsonSchema, boolean>();

/** True if a JSON Schema names values of fields that are left out; zod adds its own. */
function hasDefaults(schema: Schema): boolean {
  if (isZod(schema)) return false;
  const known = withDefaults.get(schema) ?? JSON.stringify(schema).includes('"default"');
  withDefaults.set(schema, known);
  return known;
}

/** The value as a validator can check it: without numbers that only `JSON.stringify` can show. */
export const checkable = (value: unknown): unknown => JSON.parse(JSON.stringify(value) ?? 'null');

const errorOf = (issues: readonly JsonIssue[]): string =>
  issues.map(({ path, expected }) => `${path === '' ? 'the whole' : path}: ${expected}`).join('; ');

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((part) => isDeeper(part, levels - 1)));
