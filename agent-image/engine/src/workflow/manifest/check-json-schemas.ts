import { isJsonObject } from '../../json/canonical-json.ts';
import { schemaAt, type JsonSchema } from '../../json/guide.ts';
import { schemaFault } from '../../json/validate.ts';
import type { ConfigPath, ConfigProblem } from '../plan/config-error.ts';
import type { Checked } from './check-references.ts';
import type { ManifestName } from './manifests.ts';
import { schemaWork } from './schema-work.ts';

type Place = Readonly<{ file: ManifestName; path: ConfigPath; schema: JsonSchema }>;

/** Keywords whose members have names of the author, not of JSON Schema. */
const NAMED: ReadonlySet<string> = new Set(['$defs', 'definitions', 'properties', 'dependentSchemas']);
/** Keywords whose values are data. */
const DATA: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples', 'required']);
/** Keywords that match texts with a regular expression, which can take hours for a text of a model; and other names for schemas. */
const REFUSED: ReadonlyMap<string, string> = new Map([
  ['pattern', 'Use enum, const or maxLength.'],
  ['patternProperties', 'Use properties or additionalProperties.'],
  ...['$id', '$anchor', '$dynamicAnchor', '$dynamicRef', '$recursiveRef'].map(
    (name) => [name, 'Use $defs, and $ref with #/$defs/name.'] as const,
  ),
]);
/** Longest schema, in characters of JSON. */
const MAX_CHARS = 65_536;
/** Most schemas that are checked for one value. */
const MAX_WORK = 10_000;

/** The JSON Schemas of agents and tools that cannot be used. Pure. */
export function jsonSchemaProblems({ agents = [], tools = [] }: Checked): readonly ConfigProblem[] {
  const schemas: readonly Place[] = [
    ...agents.flatMap(({ output }, index): readonly Place[] =>
      output === undefined ? [] : [{ file: 'agents.yaml', path: ['agents', index, 'output'], schema: output }],
    ),
    ...tools.flatMap((tool, index) =>
      tool.uses !== 'handler'
        ? []
        : (['input', 'output'] as const).flatMap((key): readonly Place[] => {
            const schema = tool[key];
            return schema === undefined ? [] : [{ file: 'tools.yaml', path: ['tools', index, key], schema }];
          }),
    ),
  ];
  return schemas.flatMap(problemsOf);
}

function problemsOf({ file, path, schema }: Place): readonly ConfigProblem[] {
  const fault = faultOf(schema);
  if (fault === null) return [];
  const { at, message, hint } = fault;
  return [{ code: 'config_schema', file, path: [...path, ...at], at: 'value', message, hint }];
}

/** `at`: below the schema. */
type Fault = Readonly<{ at: ConfigPath; message: string; hint: string }>;

function faultOf(schema: JsonSchema): Fault | null {
  if (JSON.stringify(schema).length > MAX_CHARS)
    return { at: [], message: `the schema is longer than ${MAX_CHARS} characters`, hint: 'Shorten the schema.' };
  const fault = keywordFault(schema, { root: schema, at: [] });
  if (fault !== null) return fault;
  if (schemaWork(schema) > MAX_WORK)
    return { at: [], message: 'the schema refers to itself, or too often to its parts', hint: 'Write the parts out.' };
  const issue = schemaFault(schema);
  if (issue === null) return null;
  const at = issue.path === '' ? [] : issue.path.split('.');
  return { at, message: issue.expected, hint: 'Correct the JSON Schema (draft 2020-12).' };
}

type Part = Readonly<{ root: JsonSchema; at: ConfigPath }>;

/** The first keyword that is refused, or refers to nothing. Manifests are at most 64 levels deep. */
function keywordFault(schema: unknown, { root, at }: Part): Fault | null {
  if (Array.isArray(schema))
    return firstOf(schema.map((part, index) => () => keywordFault(part, { root, at: [...at, index] })));
  if (!isJsonObject(schema)) return null;
  return firstOf(
    Object.entries(schema).map(([key, value]) => () => {
      const below = { root, at: [...at, key] };
      const hint = REFUSED.get(key);
      if (hint !== undefined) return { at: below.at, message: `the keyword ${key} is refused`, hint };
      if (key === '$ref' && schemaAt(value, root) === undefined)
        return { at: below.at, message: 'the reference leads to nothing', hint: 'Write #/$defs/name.' };
      if (DATA.has(key)) return null;
      if (!NAMED.has(key) || !isJsonObject(value)) return keywordFault(value, below);
      return firstOf(
        Object.entries(value).map(
          ([name, each]) =>
            () =>
              keywordFault(each, { root, at: [...below.at, name] }),
        ),
      );
    }),
  );
}

function firstOf<T>(searches: readonly (() => T | null)[]): T | null {
  for (const search of searches) {
    const found = search();
    if (found !== null) return found;
  }
  return null;
}
