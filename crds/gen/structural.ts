/**
 * Converts zod's JSON schema to an API server's structural schema. A part that the server would refuse, or that has no
 * bound, is an error.
 */

/** A node of an OpenAPI v3 structural schema. */
export type Structural = Readonly<Record<string, unknown>>;

/** A part of the schema that an API server would refuse. */
export class NotStructuralError extends Error {
  override readonly name = 'NotStructuralError';
  constructor(path: string, problem: string) {
    super(`${path}: ${problem}`);
  }
}

const KEPT = [
  'type',
  'description',
  'default',
  'enum',
  'format',
  'nullable',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'required',
  'x-kubernetes-validations',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-int-or-string',
];
const HANDLED = new Set([...KEPT, 'properties', 'items', 'additionalProperties', 'propertyNames']);

const isObject = (value: unknown): value is Structural =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function object(value: unknown, path: string): Structural {
  if (!isObject(value)) throw new NotStructuralError(path, 'is not a schema');
  return value;
}

function bounded(node: Structural, path: string, keys: readonly string[]): void {
  for (const key of keys) {
    if (node[key] === undefined) throw new NotStructuralError(path, `the type ${String(node['type'])} needs ${key}`);
  }
}

function mapValues(node: Structural, path: string): Structural {
  const values = node['additionalProperties'];
  if (values === undefined || values === false) return {};
  bounded(node, path, ['maxProperties']);
  return { additionalProperties: structural(object(values, path), `${path}.*`) };
}

function objectParts(node: Structural, path: string): Structural {
  if (node['properties'] === undefined) {
    const map = mapValues(node, path);
    if (map['additionalProperties'] === undefined)
      throw new NotStructuralError(path, 'an object needs properties or bounded values');
    return map;
  }
  if (isObject(node['additionalProperties']))
    throw new NotStructuralError(path, 'has both properties and additionalProperties: leave one of them out');
  const properties = Object.entries(object(node['properties'], path));
  return {
    properties: Object.fromEntries(
      properties.map(([key, child]) => [key, structural(object(child, `${path}.${key}`), `${path}.${key}`)]),
    ),
  };
}

/**
 * API servers handle fractions and mixed types badly, so only a field that is always refused may have such a type. Its
 * description begins with `Refused: `.
 */
function refusedParts(node: Structural, path: string): Structural {
  const isNamed = node['type'] === 'number' || node['x-kubernetes-int-or-string'] === true;
  if (isNamed && String(node['description']).startsWith('Refused: ')) return {};
  throw new NotStructuralError(path, `has the type ${String(node['type'])}: only a field that is refused may have it`);
}

function partsOf(node: Structural, path: string): Structural {
  switch (node['type']) {
    case 'object':
      return objectParts(node, path);
    case 'array':
      bounded(node, path, ['maxItems']);
      return { items: structural(object(node['items'], path), `${path}[]`) };
    case 'string':
      if (node['enum'] === undefined) bounded(node, path, ['maxLength']);
      return {};
    case 'integer':
      bounded(node, path, ['minimum', 'maximum']);
      return { format: 'int64' };
    case 'boolean':
      return {};
    case 'number':
    case undefined:
      return refusedParts(node, path);
    default:
      throw new NotStructuralError(
        path,
        `has the type ${String(node['type'])}: a structural schema needs object, array, string, integer or boolean`,
      );
  }
}

/**
 * Converts one node to its structural form, without `additionalProperties: false`, which API servers refuse beside
 * `properties`.
 * @throws NotStructuralError for unions, references, patterns, and for strings, lists, maps and integers without
 * bounds.
 */
export function structural(node: Structural, path: string): Structural {
  const unknown = Object.keys(node).filter((key) => !HANDLED.has(key));
  if (unknown.length > 0) throw new NotStructuralError(path, `${unknown.join(', ')} is not structural`);
  const kept = Object.fromEntries(KEPT.filter((key) => node[key] !== undefined).map((key) => [key, node[key]]));
  const schema = { ...kept, ...partsOf(node, path) };
  return isObject(kept['default']) ? { ...schema, default: completed(kept['default'], schema) } : schema;
}

/** A default with the defaults of its fields filled in, because the API server checks rules against the default as written. */
function completed(value: Structural, schema: Structural): Structural {
  const fields = Object.entries(isObject(schema['properties']) ? schema['properties'] : {});
  const defaults = fields.flatMap(([key, child]) =>
    isObject(child) && child['default'] !== undefined ? [[key, child['default']] as const] : [],
  );
  return { ...Object.fromEntries(defaults), ...value };
}
