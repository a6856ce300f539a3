import { isJsonObject } from '../../json/canonical-json.ts';
import { schemaAt, type JsonSchema } from '../../json/guide.ts';
import type { ConfigPath } from '../plan/config-error.ts';

/** Longest schema, in characters of JSON. */
const MAX_CHARS = 65_536;
/** Maximum number of schemas that are checked for one value. */
const MAX_WORK = 10_000;

/** `at`: below the schema. */
type SchemaFault = Readonly<{ at: ConfigPath; message: string; hint: string }>;

/** The forms of the values of keywords. */
type Form =
  | 'schema'
  | 'schemas'
  | 'named schemas'
  | 'names'
  | 'number'
  | 'count'
  | 'boolean'
  | 'text'
  | 'list'
  | 'type';

const FORMS: ReadonlyMap<string, Form> = new Map(
  Object.entries({
    schema: ['additionalProperties', 'items', 'contains', 'not', 'if', 'then', 'else', 'propertyNames'],
    schemas: ['allOf', 'anyOf', 'oneOf', 'prefixItems'],
    'named schemas': ['properties', '$defs', 'definitions', 'dependentSchemas'],
    names: ['required'],
    number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
    count: [
      'minLength',
      'maxLength',
      'minItems',
      'maxItems',
      'minProperties',
      'maxProperties',
      'minContains',
      'maxContains',
    ],
    boolean: ['uniqueItems', 'deprecated', 'readOnly', 'writeOnly'],
    text: ['title', 'description', 'format', '$ref', '$comment', '$schema'],
    list: ['enum', 'examples'],
    type: ['type'],
  } satisfies Record<Form, readonly string[]>).flatMap(([form, names]) =>
    names.map((name) => [name, form as Form] as const),
  ),
);
const TYPES: ReadonlySet<unknown> = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']);

/** Keywords that match texts with a regular expression, which can take hours for a text of a model; and rare ones. */
const REFUSED: ReadonlyMap<string, string> = new Map([
  ['pattern', 'Use enum, const or maxLength.'],
  ['patternProperties', 'Use properties or additionalProperties.'],
  ...['$id', '$anchor', '$dynamicAnchor', '$dynamicRef', '$recursiveRef'].map(
    (name) => [name, 'Use $defs, and $ref with #/$defs/name.'] as const,
  ),
  ...['unevaluatedProperties', 'unevaluatedItems', 'dependentRequired'].map(
    (name) => [name, 'Use additionalProperties, items or required.'] as const,
  ),
]);

/**
 * The first fault of a JSON Schema (draft 2020-12); null if there is none. Keywords that the draft does not have are notes. Ajv would
 * judge alike, but to load it takes longer than to read all manifests. Manifests are at most 64 levels deep. Pure.
 */
export function jsonSchemaFault(root: JsonSchema): SchemaFault | null {
  if (JSON.stringify(root).length > MAX_CHARS)
    return { at: [], message: `the schema is longer than ${MAX_CHARS} characters`, hint: 'Shorten the schema.' };
  const fault = faultIn(root, { root, at: [] });
  if (fault !== null || schemaWork(root) <= MAX_WORK) return fault;
  return { at: [], message: 'the schema refers to itself, or too often to its parts', hint: 'Write the parts out.' };
}

type Part = Readonly<{ root: JsonSchema; at: ConfigPath }>;

function faultIn(schema: unknown, { root, at }: Part): SchemaFault | null {
  if (typeof schema === 'boolean') return null;
  if (!isJsonObject(schema)) return { at, message: 'a schema is an object, or true or false', hint: 'Write a schema.' };
  return firstOf(Object.entries(schema), ([key, value]) => keywordFault(key, value, { root, at: [...at, key] }));
}

function keywordFault(key: string, value: unknown, part: Part): SchemaFault | null {
  const { at } = part;
  const hint = REFUSED.get(key);
  if (hint !== undefined) return { at, message: `the keyword ${key} is refused`, hint };
  const form = FORMS.get(key);
  if (form === undefined) return null;
  if (!hasForm(form, value))
    return { at, message: `${key} has a value of the wrong type`, hint: `Write ${WORDS[form]}.` };
  if (key === '$ref') return referenceFault(String(value), part);
  if (key === 'multipleOf' && Number(value) <= 0)
    return { at, message: 'multipleOf must be above 0', hint: 'Write a number above 0.' };
  if (form === 'schema') return faultIn(value, part);
  if (form !== 'schemas' && form !== 'named schemas') return null;
  return firstOf(Object.entries(value as object), ([name, each]) =>
    faultIn(each, { root: part.root, at: [...at, Array.isArray(value) ? Number(name) : name] }),
  );
}

const WORDS: Readonly<Record<Form, string>> = {
  schema: 'a schema',
  schemas: 'a list of schemas',
  'named schemas': 'schemas by their names',
  names: 'a list of different names',
  number: 'a number',
  count: 'a whole number from 0',
  boolean: 'true or false',
  text: 'a text',
  list: 'a list',
  type: 'array, boolean, integer, null, number, object or string, or a list of them',
};

const isSchema = (value: unknown): boolean => typeof value === 'boolean' || isJsonObject(value);
const isListOf = (value: unknown, is: (item: unknown) => boolean): value is readonly unknown[] =>
  Array.isArray(value) && value.every(is);
const differ = (list: readonly unknown[]): boolean => new Set(list).size === list.length;

const CHECKS: Readonly<Record<Form, (value: unknown) => boolean>> = {
  schema: isSchema,
  schemas: (value) => isListOf(value, isSchema) && value.length > 0,
  'named schemas': (value) => isJsonObject(value) && Object.values(value).every(isSchema),
  names: (value) => isListOf(value, (name) => typeof name === 'string') && differ(value),
  number: (value) => typeof value === 'number',
  count: (value) => Number.isInteger(value) && Number(value) >= 0,
  boolean: (value) => typeof value === 'boolean',
  text: (value) => typeof value === 'string',
  list: Array.isArray,
  type: (value) =>
    TYPES.has(value) || (isListOf(value, (type) => TYPES.has(type)) && value.length > 0 && differ(value)),
};

const hasForm = (form: Form, value: unknown): boolean => CHECKS[form](value);

/** A reference leads to a schema that has a name, so that each target is checked with the schemas around it. */
function referenceFault(reference: string, { root, at }: Part): SchemaFault | null {
  const isNamed = reference === '#' || /^#\/(?:\$defs|definitions)\/[^/]+$/.test(reference);
  if (isNamed && schemaAt(reference, root) !== undefined) return null;
  return { at, message: 'the reference does not resolve', hint: 'Write #/$defs/name.' };
}

function firstOf<T>(items: readonly T[], faultOf: (item: T) => SchemaFault | null): SchemaFault | null {
  for (const item of items) {
    const fault = faultOf(item);
    if (fault !== null) return fault;
  }
  return null;
}

/**
 * The number of schemas that are checked for one value, each reference counted with its whole target: infinite if the schema refers to
 * itself. A short schema whose parts each refer twice to the next one would otherwise be checked for years. Pure.
 */
function schemaWork(root: JsonSchema): number {
  const known = new Map<object, number>();
  const workOf = (part: unknown): number => {
    if (typeof part !== 'object' || part === null) return 0;
    const before = known.get(part);
    if (before !== undefined) return before;
    known.set(part, Infinity);
    let work = 1;
    for (const value of Object.values(part)) work += workOf(value);
    if (isJsonObject(part) && typeof part['$ref'] === 'string') work += workOf(schemaAt(part['$ref'], root));
    known.set(part, work);
    return work;
  };
  return workOf(root);
}
