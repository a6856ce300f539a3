import type { z } from 'zod';

type Check = (value: unknown) => boolean;
type Def = z.core.$ZodTypes['_zod']['def'];
type DefOf<T extends Def['type']> = Extract<Def, { type: T }>;

/**
 * A check of a schema that only says yes or no. It takes a tenth of the time that `safeParse` takes under the pod's flags of Node, and agrees
 * with it; ask the schema itself for the reason of a no. Supports the forms of events, answers and outcomes, which convert nothing;
 * throws for a schema with any other form.
 */
export function matcherOf<T>(schema: z.ZodType<T>): (value: unknown) => value is T {
  const check = checkOf(schema);
  return (value): value is T => check(value);
}

function checkOf(schema: z.core.$ZodType): Check {
  // zod types a schema by its output alone; this union has its form.
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'string':
      return textCheck(def);
    case 'number':
      return numberCheck(def);
    case 'boolean':
      return (value) => typeof value === 'boolean';
    case 'literal':
      return memberCheck(def.values);
    case 'enum':
      return memberCheck(Object.values(def.entries));
    case 'nullable':
      return orNull(checkOf(def.innerType));
    case 'array':
      return arrayCheck(def);
    case 'object':
      return objectCheck(def);
    case 'union':
      return unionCheck(def);
    default:
      throw unsupported(def.type);
  }
}

const unsupported = (form: string): Error =>
  new Error(`matcherOf does not support ${form}. Add it there, with a test.`);

const allOf =
  (first: Check, rest: readonly Check[]): Check =>
  (value) => {
    if (!first(value)) return false;
    for (const check of rest) if (!check(value)) return false;
    return true;
  };

const orNull =
  (inner: Check): Check =>
  (value) =>
    value === null || inner(value);

function memberCheck(values: readonly unknown[]): Check {
  const members = new Set(values);
  return (value) => members.has(value);
}

const lengthOf = (value: unknown): number =>
  typeof value === 'string' || Array.isArray(value) ? value.length : Number.NaN;

/** The bounds of a text, number or list. */
const boundsOf = ({
  checks = [],
}: Readonly<{ checks?: readonly z.core.$ZodCheck<never>[] | undefined }>): readonly Check[] => checks.map(boundOf);

function boundOf(check: z.core.$ZodCheck<never>): Check {
  const { def } = (check as unknown as z.core.$ZodChecks)._zod;
  switch (def.check) {
    case 'min_length':
      return (value) => lengthOf(value) >= def.minimum;
    case 'max_length':
      return (value) => lengthOf(value) <= def.maximum;
    case 'greater_than':
      if (!def.inclusive) throw unsupported('an exclusive bound');
      return (value) => Number(value) >= Number(def.value);
    case 'string_format':
      if (def.format !== 'regex' || def.pattern === undefined) throw unsupported(def.format);
      return patternCheck(def.pattern);
    default:
      throw unsupported(def.check);
  }
}

function textCheck(def: DefOf<'string'>): Check {
  if ('format' in def) throw unsupported(String(def.format));
  return allOf((value) => typeof value === 'string', boundsOf(def));
}

const patternCheck =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === 'string' && pattern.test(value);

function numberCheck(def: DefOf<'number'>): Check {
  if (!('format' in def) || def.format !== 'safeint') throw unsupported('a number with a fraction');
  return allOf(Number.isSafeInteger, boundsOf(def));
}

function arrayCheck(def: DefOf<'array'>): Check {
  const element = checkOf(def.element);
  return allOf((value) => Array.isArray(value) && value.every(element), boundsOf(def));
}

function objectCheck({ shape, catchall }: DefOf<'object'>): Check {
  const fields = Object.entries(shape).map(([key, field]) => fieldOf(key, field));
  if (catchall?._zod.def.type !== 'never') throw unsupported('an object with other fields');
  return (value) => {
    if (!isRecord(value)) return false;
    let known = 0;
    for (const { key, isOptional, check } of fields) {
      const isAbsent = isOptional && value[key] === undefined;
      if (!isAbsent && !check(value[key])) return false;
      if (!isAbsent || Object.hasOwn(value, key)) known += 1;
    }
    return Object.keys(value).length === known;
  };
}

/** A field of an object. Only there a form may be optional. */
function fieldOf(key: string, field: z.core.$ZodType) {
  const { def } = (field as z.core.$ZodTypes)._zod;
  const isOptional = def.type === 'optional';
  return { key, isOptional, check: checkOf(isOptional ? def.innerType : field) };
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function unionCheck(def: DefOf<'union'>): Check {
  const discriminator = 'discriminator' in def ? String(def.discriminator) : null;
  if (discriminator === null) throw unsupported('a union without a discriminator');
  const options = new Map<unknown, Check>();
  for (const option of def.options)
    for (const value of option._zod.propValues?.[discriminator] ?? []) options.set(value, checkOf(option));
  return (value) => isRecord(value) && (options.get(value[discriminator])?.(value) ?? false);
}
