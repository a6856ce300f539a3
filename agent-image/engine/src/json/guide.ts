import { z } from 'zod';
import { isJsonObject } from './canonical-json.ts';
import { Numeral } from './numeral.ts';

export type JsonSchema = Readonly<Record<string, unknown>>;
/** The form of an answer: a schema of zod or of JSON. */
export type Schema<T = unknown> = z.ZodType<T> | JsonSchema;
/** A part of a schema, with the whole in which its references are found. */
export type Guide = Readonly<{ schema: JsonSchema; root: JsonSchema }>;

const HOPS_MAX = 20;
/**
 * Maximum number of alternatives and parts of one schema that count, because the schema may come from a foreign server.
 */
const PARTS_MAX = 64;
const NOTHING: ReadonlySet<string> = new Set();

export const isZod = <T>(schema: Schema<T>): schema is z.ZodType<T> => schema instanceof z.core.$ZodType;

const guides = new WeakMap<Schema, Guide>();

/** The guide of a whole schema, made once. */
export function guideOf(schema: Schema): Guide {
  const known = guides.get(schema);
  if (known !== undefined) return known;
  const root = isZod(schema) ? (z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema) : schema;
  const guide = { schema: root, root };
  guides.set(schema, guide);
  return guide;
}

const partOf = (schema: unknown, { root }: Guide): Guide | null => (isJsonObject(schema) ? { schema, root } : null);

/** The guide behind references; null if they lead nowhere. */
function followed(guide: Guide): Guide | null {
  let at: Guide | null = guide;
  for (let hops = 0; at !== null && at.schema['$ref'] !== undefined; hops += 1) {
    if (hops >= HOPS_MAX) return null;
    at = partOf(schemaAt(at.schema['$ref'], at.root), at);
  }
  return at;
}

/** The part of a schema that a reference names; undefined if the schema lacks it. */
export function schemaAt(ref: unknown, root: JsonSchema): JsonSchema | boolean | undefined {
  if (typeof ref !== 'string' || !/^#(?:\/|$)/.test(ref)) return undefined;
  let at: unknown = root;
  for (const name of ref.split('/').slice(1).map(decodedName)) {
    if (!(isJsonObject(at) || Array.isArray(at)) || !Object.hasOwn(at, name)) return undefined;
    at = Reflect.get(at, name);
  }
  return isJsonObject(at) || typeof at === 'boolean' ? at : undefined;
}

function decodedName(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return part;
  }
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function branchesOf({ schema, root }: Guide): readonly Guide[] {
  const any = listOf(schema['anyOf']);
  const given = any.length > 0 ? any : listOf(schema['oneOf']);
  return given.slice(0, PARTS_MAX + 1).flatMap((each) => {
    const branch = isJsonObject(each) ? followed({ schema: each, root }) : null;
    return branch === null ? [] : [branch];
  });
}

/** The types that a value may have; empty if it may have any, or if the schema has too many parts to say. */
export function typesOf(given: Guide | null): ReadonlySet<string> {
  const types = new Set<string>();
  const seen = new Set<JsonSchema>();
  const open: Guide[] = given === null ? [] : [given];
  for (let last = open.pop(); last !== undefined; last = open.pop()) {
    const guide = followed(last);
    if (guide === null || seen.size > PARTS_MAX) return NOTHING;
    if (seen.has(guide.schema)) continue;
    seen.add(guide.schema);
    const own = ownTypes(guide.schema);
    const parts = own === null ? partsOf(guide) : [];
    if (parts === null) return NOTHING;
    for (const type of own ?? []) types.add(type);
    open.push(...parts);
  }
  return types;
}

/** The types that a schema names itself; null if it leaves them open. */
function ownTypes(schema: JsonSchema): ReadonlySet<string> | null {
  const { type, enum: values } = schema;
  if (type !== undefined) return new Set((Array.isArray(type) ? type : [type]).map(String));
  if (Array.isArray(values)) return new Set(values.map(typeName));
  return 'const' in schema ? new Set([typeName(schema['const'])]) : null;
}

/** The alternatives of a schema, or the first part of an intersection; null for other schemas. */
function partsOf(guide: Guide): readonly Guide[] | null {
  const branches = branchesOf(guide);
  const [first] = listOf(guide.schema['allOf']);
  if (branches.length > 0) return branches;
  return isJsonObject(first) ? [{ schema: first, root: guide.root }] : null;
}

export function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (value instanceof Numeral) return 'number';
  return Array.isArray(value) ? 'array' : typeof value;
}

export const admits = (types: ReadonlySet<string>, value: unknown): boolean =>
  types.size === 0 || types.has(typeName(value)) || (typeName(value) === 'number' && types.has('integer'));

/** The guide for a value: the one alternative that can mean it, if there are several. Null if it is open. */
export function guideFor(given: Guide | null, value: unknown): Guide | null {
  let guide = given === null ? null : followed(given);
  for (let hops = 0; guide !== null && hops < HOPS_MAX; hops += 1) {
    const branches: readonly Guide[] = branchesOf(guide);
    if (branches.length === 0) return merged(guide);
    if (branches.length > PARTS_MAX) return null;
    const [only, ...others]: readonly Guide[] = branches.filter((branch) => canMean(branch, value));
    guide = others.length === 0 && only !== undefined ? followed(only) : null;
  }
  return guide;
}

function canMean(branch: Guide, value: unknown): boolean {
  if (!admits(typesOf(branch), value)) return false;
  if (!isJsonObject(value)) return true;
  const { properties } = branch.schema;
  if (!isJsonObject(properties)) return true;
  return Object.entries(properties).every(([key, schema]) => {
    if (!isJsonObject(schema) || !('const' in schema) || !Object.hasOwn(value, key)) return true;
    return schema['const'] === value[key];
  });
}

/** The properties of all parts of an intersection in one schema. */
function merged(guide: Guide): Guide {
  const parts = listOf(guide.schema['allOf'])
    .slice(0, PARTS_MAX)
    .flatMap((each) => {
      const part = isJsonObject(each) ? followed({ schema: each, root: guide.root }) : null;
      return part === null ? [] : [part.schema];
    });
  if (parts.length === 0) return guide;
  const all = [...parts, guide.schema];
  const properties: Record<string, unknown> = {};
  for (const { properties: own } of all) if (isJsonObject(own)) Object.assign(properties, own);
  const required = all.flatMap((part) => listOf(part['required']));
  const { allOf: _, ...rest } = guide.schema;
  return { schema: { ...rest, type: 'object', properties, required }, root: guide.root };
}

export function namesOf(guide: Guide | null): readonly string[] {
  const properties = guide?.schema['properties'];
  return isJsonObject(properties) ? Object.keys(properties) : [];
}

export const isNamed = (guide: Guide | null, key: string): boolean => {
  const properties = guide?.schema['properties'];
  return isJsonObject(properties) && Object.hasOwn(properties, key);
};

/** The names of a list of required ones, which is read once for all objects. */
const requiredNames = new WeakMap<object, ReadonlySet<unknown>>();

export function isRequired({ schema: { required } }: Guide, key: string): boolean {
  if (!Array.isArray(required)) return false;
  const names = requiredNames.get(required) ?? new Set<unknown>(required);
  requiredNames.set(required, names);
  return names.has(key);
}

/** The guide of a property; null if it may be anything. */
export function propertyGuide(guide: Guide | null, key: string): Guide | null {
  if (guide === null) return null;
  const { properties, additionalProperties } = guide.schema;
  return partOf(isJsonObject(properties) && isNamed(guide, key) ? properties[key] : additionalProperties, guide);
}

/** The guide of the elements of a list; null if they may be anything. */
export function elementGuide(guide: Guide | null, index: number): Guide | null {
  if (guide === null) return null;
  const { prefixItems, items } = guide.schema;
  return partOf(listOf(prefixItems)[index] ?? items, guide);
}

/** True if a list may have an element of one of these types. */
export function admitsElement(guide: Guide | null, kinds: readonly string[]): boolean {
  const types = typesOf(elementGuide(guide, 0));
  return types.size === 0 || kinds.some((kind) => types.has(kind));
}

/** True if an object may have the name. */
export const admitsName = (guide: Guide | null, name: string): boolean =>
  guide === null || isNamed(guide, name) || guide.schema['additionalProperties'] !== false;
