import { isJsonObject } from '@hamlet/engine';
import type { JsonSchema } from '@hamlet/models/chat-completions';
import { z } from 'zod';

type Schema = Readonly<Record<string, unknown>>;

/** A longer pattern is left out, and one beside a description too: neither helps a model. */
const PATTERN_MAX_CHARS = 40;
/** A longer list of values is left out if a description names the usual ones. */
const VALUES_MAX = 12;
const BIG = 1_000_000;

const shown = new WeakMap<z.ZodType, JsonSchema>();

/** The arguments of a tool as a model reads them, made once. The tool itself checks the full schema. */
export function shownSchema(input: z.ZodType): JsonSchema {
  const known = shown.get(input);
  if (known !== undefined) return known;
  const made = slimSchema(z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as Schema);
  shown.set(input, made);
  return made;
}

/** A JSON schema without the keywords that only a validator needs. Names of properties are never taken for keywords. Pure. */
export function slimSchema(schema: Schema): JsonSchema {
  const kept = Object.entries(schema).filter(([key, value]) => !isNoise(key, value, schema));
  return Object.fromEntries(kept.map(([key, value]) => [key, slimValue(key, value)]));
}

const isNoise = (key: string, value: unknown, schema: Schema): boolean =>
  NOISE.has(key) || SOMETIMES.get(key)?.(value, schema) === true;

/** Keywords that help a validator and not a model: the tool answers a wrong value with the reason. */
const NOISE: ReadonlySet<string> = new Set([
  '$schema',
  'contentEncoding',
  'format',
  'maxLength',
  'minItems',
  'minLength',
  'propertyNames',
  'title',
]);

type IsNoise = (value: unknown, schema: Schema) => boolean;

/** Keywords that are noise for some values. */
const SOMETIMES: ReadonlyMap<string, IsNoise> = new Map<string, IsNoise>([
  ['additionalProperties', (value) => typeof value === 'boolean'],
  ['default', isEmpty],
  ['enum', (value, { description }) => description !== undefined && Array.isArray(value) && value.length > VALUES_MAX],
  ['maximum', (value) => typeof value === 'number' && value >= BIG],
  ['minimum', (value) => typeof value === 'number' && value <= 1],
  [
    'pattern',
    (value, { description, format }) =>
      description !== undefined || format !== undefined || String(value).length > PATTERN_MAX_CHARS,
  ],
]);

function isEmpty(value: unknown): boolean {
  if (typeof value === 'object') return Object.keys(value ?? {}).length === 0;
  return value === false || value === 0 || value === '';
}

/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const ONE: ReadonlySet<string> = new Set(['additionalProperties', 'contains', 'else', 'if', 'items', 'not', 'then']);
const LIST: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const NAMED: ReadonlySet<string> = new Set(['$defs', 'definitions', 'patternProperties', 'properties']);

function slimValue(key: string, value: unknown): unknown {
  if (ONE.has(key)) return slimAny(value);
  if (LIST.has(key) && Array.isArray(value)) return value.map(slimAny);
  if (!NAMED.has(key) || !isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, slimAny(each)]));
}

const slimAny = (value: unknown): unknown => (isJsonObject(value) ? slimSchema(value) : value);
