import { JsonObject } from '../scalars.ts';

export const OUTPUT_SCHEMA_MAX_BYTES = 16_384;
/** Maximum nesting of lists and objects in a schema, and in the output of a run. */
export const OUTPUT_LEVELS_MAX = 32;
/**
 * Maximum parts of a schema: each schema in it and each value of `enum`, where a reference counts as much as it leads to. Parts times
 * values of an output bound the time of a check.
 */
export const OUTPUT_SCHEMA_PARTS_MAX = 256;
export const RUN_OUTPUT_MAX_CHARS = 65_536;
export const RUN_OUTPUT_MAX_VALUES = 2_000;

type Path = readonly string[];

/** The first part of a schema that the village refuses. */
export type OutputSchemaFault = Readonly<{ path: Path; message: string }>;

class Fault extends Error {
  readonly path: Path;
  constructor(path: Path, message: string) {
    super(message);
    this.path = path;
  }
}

/** Keywords by what they hold: one schema, a list of schemas, schemas by name, or a plain value. */
const ONE: ReadonlySet<string> = new Set(['items', 'additionalProperties']);
const LISTS: ReadonlySet<string> = new Set(['prefixItems', 'anyOf', 'oneOf', 'allOf']);
const NAMED: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions']);
const PLAIN: ReadonlySet<string> = new Set(
  [
    'type enum const required title description default examples format deprecated readOnly $comment $ref $schema',
    'minimum maximum exclusiveMinimum exclusiveMaximum multipleOf',
    'minLength maxLength minItems maxItems minProperties maxProperties',
  ].flatMap((words) => words.split(' ')),
);
const AT_ROOT: ReadonlySet<string> = new Set(['$schema', '$defs', 'definitions']);
const SLOW: ReadonlySet<string> = new Set(['pattern', 'patternProperties', 'uniqueItems']);
const REFERENCE = /^#\/(?:\$defs|definitions)\/[\w.-]+$/;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Why the village does not take a schema as the form of an answer; null if it does. It takes JSON Schema (draft 2020-12) of a limited
 * size, with keywords whose check takes a bounded time: no regular expressions, no references to other places or to themselves. Pure.
 */
export function outputSchemaFault(schema: Readonly<Record<string, unknown>>): OutputSchemaFault | null {
  try {
    // Deeper functions recurse, so the nesting comes first.
    if (isNestedDeeper(schema, OUTPUT_LEVELS_MAX)) throw new Fault([], `write at most ${OUTPUT_LEVELS_MAX} levels`);
    if (new TextEncoder().encode(JSON.stringify(schema)).length > OUTPUT_SCHEMA_MAX_BYTES)
      throw new Fault([], `write at most ${OUTPUT_SCHEMA_MAX_BYTES} bytes`);
    new Measure(schema).all();
    return null;
  } catch (error) {
    if (error instanceof Fault) return { path: error.path, message: error.message };
    throw error;
  }
}

/** True if lists and objects are nested deeper than this. Uses no recursion, so any value of a request may be asked about. Pure. */
export function isNestedDeeper(value: unknown, levels: number): boolean {
  let open = [value].filter(isNested);
  for (let level = 0; open.length > 0; level += 1) {
    if (level >= levels) return true;
    open = open.flatMap((each) => Object.values(each).filter(isNested));
  }
  return false;
}

/** True if a value contains more than `most` values, itself included. Uses no recursion. Pure. */
export function hasMoreValues(value: unknown, most: number): boolean {
  const open = [value];
  for (let count = 0; open.length > 0; count += 1) {
    if (count >= most) return true;
    const at = open.pop();
    if (isNested(at)) for (const part of Object.values(at)) open.push(part);
  }
  return false;
}

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Counts the parts of a schema, and throws at the first that is refused. */
class Measure {
  readonly #root: Readonly<Record<string, unknown>>;
  readonly #sizes = new Map<string, number>();
  readonly #open = new Set<string>();

  constructor(root: Readonly<Record<string, unknown>>) {
    this.#root = root;
  }

  all(): void {
    this.#schema(this.#root, []);
  }

  #schema(schema: unknown, path: Path): number {
    if (typeof schema === 'boolean') return 1;
    if (!isObject(schema)) throw new Fault(path, 'write a schema: an object, true or false');
    let size = 1;
    for (const [keyword, value] of Object.entries(schema)) size += this.#keyword(keyword, value, [...path, keyword]);
    if (size > OUTPUT_SCHEMA_PARTS_MAX)
      throw new Fault(
        path,
        `write at most ${OUTPUT_SCHEMA_PARTS_MAX} parts; a reference counts as much as it leads to`,
      );
    return size;
  }

  #keyword(keyword: string, value: unknown, path: Path): number {
    if (AT_ROOT.has(keyword) && path.length > 1) throw new Fault(path, 'move it to the top of the schema');
    if (ONE.has(keyword)) return this.#schema(value, path);
    if (LISTS.has(keyword)) return this.#each(value, path);
    if (NAMED.has(keyword)) return this.#byName(keyword, value, path);
    if (!PLAIN.has(keyword)) throw new Fault(path, refusalOf(keyword));
    if (keyword === '$ref') return this.#reference(value, path);
    return keyword === 'enum' || keyword === 'const' ? nodesIn(value) : 0;
  }

  #each(value: unknown, path: Path): number {
    if (!Array.isArray(value)) throw new Fault(path, 'write a list of schemas');
    return value.reduce((sum: number, each, index) => sum + this.#schema(each, [...path, String(index)]), 0);
  }

  /** Definitions count where they are referred to. */
  #byName(keyword: string, value: unknown, path: Path): number {
    if (!isObject(value)) throw new Fault(path, 'write an object: a schema for each name');
    if (keyword !== 'properties') {
      for (const name of Object.keys(value)) this.#defined(`#/${keyword}/${name}`, [...path, name], value[name]);
      return 0;
    }
    return Object.entries(value).reduce((sum, [name, each]) => sum + this.#schema(each, [...path, name]), 0);
  }

  #reference(ref: unknown, path: Path): number {
    if (typeof ref !== 'string' || !REFERENCE.test(ref))
      throw new Fault(path, 'refer to a definition of this schema: #/$defs/NAME');
    const [, keyword = '', name = ''] = ref.split('/');
    const definitions = this.#root[keyword];
    if (!isObject(definitions) || !Object.hasOwn(definitions, name))
      throw new Fault(path, `there is no definition ${ref}`);
    return this.#defined(ref, [keyword, name], definitions[name]);
  }

  #defined(ref: string, path: Path, schema: unknown): number {
    const known = this.#sizes.get(ref);
    if (known !== undefined) return known;
    if (this.#open.has(ref)) throw new Fault(path, 'write a schema that does not lead back to itself');
    this.#open.add(ref);
    const size = this.#schema(schema, path);
    this.#open.delete(ref);
    this.#sizes.set(ref, size);
    return size;
  }
}

const refusalOf = (keyword: string): string =>
  SLOW.has(keyword)
    ? `leave out ${keyword}, whose check can take very long: say it in a description`
    : 'leave out this keyword: the village does not check it';

/** The number of values in a value of limited nesting. */
const nodesIn = (value: unknown): number =>
  isNested(value) ? Object.values(value).reduce((sum: number, each) => sum + nodesIn(each), 1) : 1;

/** The form in which a run must answer. */
export const OutputSchema = JsonObject.superRefine((schema, context) => {
  const fault = outputSchemaFault(schema);
  if (fault !== null) context.addIssue({ code: 'custom', path: [...fault.path], message: fault.message });
});
