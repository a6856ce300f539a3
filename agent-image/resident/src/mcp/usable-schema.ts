import { shorten } from '@hamlet/core/shorten';
import { isJsonObject } from '@hamlet/engine';
import { schemaAt } from '@hamlet/engine/json';
import type { JsonObject } from './safe-validator.ts';

const DEPTH_MAX = 40;
const TYPES: ReadonlySet<unknown> = new Set(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);
/** Names of types that servers in Python and other languages write. */
const TYPE_NAMES: ReadonlyMap<unknown, string> = new Map([
  ['str', 'string'],
  ['text', 'string'],
  ['int', 'integer'],
  ['long', 'integer'],
  ['float', 'number'],
  ['double', 'number'],
  ['bool', 'boolean'],
  ['dict', 'object'],
  ['map', 'object'],
  ['list', 'array'],
  ['tuple', 'array'],
  ['set', 'array'],
  ['None', 'null'],
  ['NoneType', 'null'],
]);
/** Keywords whose value must be a number, a text, a list or a schema; others are omitted. */
const NUMBERS: ReadonlySet<string> = new Set([
  'minimum',
  'maximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'minContains',
  'maxContains',
]);
const TEXTS: ReadonlySet<string> = new Set(['description', 'title', '$comment']);
const SCHEMAS: ReadonlySet<string> = new Set([
  'items',
  'additionalProperties',
  'additionalItems',
  'unevaluatedProperties',
  'unevaluatedItems',
  'propertyNames',
  'contains',
  'not',
  'if',
  'then',
  'else',
]);
const LISTS: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
const MAPS: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'dependentSchemas']);
const OPEN: JsonObject = { type: 'object' };

/**
 * The arguments of a tool as a schema of draft 2020-12, from what servers send: older drafts, OpenAPI, types of other languages,
 * empty or missing. A keyword that has no meaning there is omitted, so that one mistake does not lose the tool. Pure.
 */
export function usableSchema(given: unknown): JsonObject {
  if (!isJsonObject(given)) return OPEN;
  const schema = usable(given, { root: given, depth: 0 });
  return { ...schema, type: 'object' };
}

interface Place {
  readonly root: JsonObject;
  readonly depth: number;
}

function usable(given: unknown, place: Place): JsonObject {
  if (!isJsonObject(given) || place.depth > DEPTH_MAX) return given === false ? { not: {} } : {};
  const schema: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(given)) {
    const kept = keyword(key, value, { ...place, depth: place.depth + 1 });
    if (kept !== undefined) schema[key] = kept;
  }
  addRequired(schema, given['properties']);
  bound(schema, given, { limit: 'minimum', exclusive: 'exclusiveMinimum' });
  bound(schema, given, { limit: 'maximum', exclusive: 'exclusiveMaximum' });
  if (given['nullable'] === true) addNull(schema);
  if (Array.isArray(given['items'])) schema['prefixItems'] ??= schemasOf(given['items'], place);
  return schema;
}

/** The usable value of a keyword; undefined omits it. `nullable` and the exclusive limits are handled with the whole schema. */
const CHECKED: Readonly<Record<string, (value: unknown, root: JsonObject) => unknown>> = {
  nullable: () => undefined,
  exclusiveMinimum: () => undefined,
  exclusiveMaximum: () => undefined,
  type: typeOf,
  required: (value) =>
    Array.isArray(value) ? [...new Set(value.filter((each) => typeof each === 'string'))] : undefined,
  enum: (value) => (Array.isArray(value) && value.length > 0 ? value : undefined),
  $ref: (value, root) => (schemaAt(value, root) === undefined ? undefined : value),
};

function keyword(key: string, value: unknown, place: Place): unknown {
  const checked = Object.hasOwn(CHECKED, key) ? CHECKED[key] : undefined;
  if (checked !== undefined) return checked(value, place.root);
  if (NUMBERS.has(key)) return typeof value === 'number' ? value : undefined;
  if (TEXTS.has(key)) return typeof value === 'string' ? value : undefined;
  return partOf(key, value, place);
}

function partOf(key: string, value: unknown, place: Place): unknown {
  if (MAPS.has(key)) return isJsonObject(value) ? mapOf(value, place) : undefined;
  if (LISTS.has(key)) return Array.isArray(value) && value.length > 0 ? schemasOf(value, place) : undefined;
  if (!SCHEMAS.has(key)) return value;
  return isJsonObject(value) || typeof value === 'boolean' ? schemaOf(value, place) : undefined;
}

const schemaOf = (value: unknown, place: Place): unknown => (typeof value === 'boolean' ? value : usable(value, place));
const schemasOf = (values: readonly unknown[], place: Place): unknown => values.map((each) => usable(each, place));
const mapOf = (value: Record<string, unknown>, place: Place): unknown =>
  Object.fromEntries(Object.entries(value).map(([name, each]) => [name, usable(each, place)]));

function typeOf(value: unknown): unknown {
  const names = (Array.isArray(value) ? value : [value]).map((name) => TYPE_NAMES.get(name) ?? name);
  if (names.length === 0 || !names.every((name) => TYPES.has(name))) return undefined;
  return names.length === 1 ? names[0] : [...new Set(names)];
}

/** A property of draft 3 may say itself that it is required. */
function addRequired(schema: Record<string, unknown>, properties: unknown): void {
  if (!isJsonObject(properties)) return;
  const own = Object.keys(properties).filter(
    (name) => isJsonObject(properties[name]) && properties[name]['required'] === true,
  );
  if (own.length === 0) return;
  const listed = Array.isArray(schema['required']) ? schema['required'] : [];
  schema['required'] = [...new Set([...listed, ...own])];
}

/** In draft 4, `exclusiveMinimum` is a property of `minimum`. */
function bound(
  schema: Record<string, unknown>,
  given: JsonObject,
  { limit, exclusive }: { readonly limit: string; readonly exclusive: string },
): void {
  const value = given[exclusive];
  if (typeof value === 'number') schema[exclusive] = value;
  if (value !== true || typeof schema[limit] !== 'number') return;
  schema[exclusive] = schema[limit];
  delete schema[limit];
}

/** `nullable` of OpenAPI. */
function addNull(schema: Record<string, unknown>): void {
  const { type, enum: values } = schema;
  if (type !== undefined) schema['type'] = [...new Set([...(Array.isArray(type) ? type : [type]), 'null'])];
  if (Array.isArray(values) && !values.includes(null)) schema['enum'] = [...values, null];
  for (const key of ['anyOf', 'oneOf']) {
    const branches = schema[key];
    if (Array.isArray(branches)) schema[key] = [...branches, { type: 'null' }];
  }
}

const CHOICES = ['anyOf', 'oneOf', 'allOf'] as const;

/** The schema without choices at its root, which some providers refuse; their properties stay. Arguments are checked by the whole. Pure. */
export function withoutRootChoices(schema: JsonObject): JsonObject {
  const branches = CHOICES.flatMap((key) => schema[key] ?? []).filter((branch) => isJsonObject(branch));
  if (branches.length === 0) return schema;
  const { anyOf: _any, oneOf: _one, allOf: _all, ...rest } = schema;
  const properties = [...branches, rest].map((part) => (isJsonObject(part['properties']) ? part['properties'] : {}));
  return { ...rest, properties: Object.assign({}, ...properties) as unknown };
}

const SHORT_TEXT_CHARS = 120;

/** The schema with short descriptions and without examples, for one that is too long. Pure. */
export function shortSchema(schema: JsonObject): JsonObject {
  const text = JSON.stringify(schema, (key, value: unknown) => {
    if (key === 'examples' || key === 'example') return undefined;
    return key === 'description' && typeof value === 'string' ? shorten(value.toWellFormed(), SHORT_TEXT_CHARS) : value;
  });
  return JSON.parse(text) as JsonObject;
}
