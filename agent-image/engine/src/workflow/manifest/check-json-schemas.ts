import { isJsonObject } from '../../json/canonical-json.ts';
import type { JsonSchema } from '../../json/guide.ts';
import { validate } from '../../json/validate.ts';
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
const MAX_FAULT = 300;
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
  const problem = (at: ConfigPath, message: string, hint: string): ConfigProblem => ({
    code: 'config_schema',
    file,
    path: [...path, ...at],
    at: 'value',
    message,
    hint,
  });
  if (JSON.stringify(schema).length > MAX_CHARS)
    return [problem([], `the schema is longer than ${MAX_CHARS} characters`, 'Shorten the schema.')];
  const refused = refusedKeyword(schema, []);
  const keyword = String(refused?.at(-1));
  if (refused !== null) return [problem(refused, `the keyword ${keyword} is refused`, REFUSED.get(keyword) ?? '')];
  if (schemaWork(schema) > MAX_WORK)
    return [problem([], 'the schema refers to itself, or too often to its parts', 'Write the parts out.')];
  const fault = faultOf(schema);
  return fault === null ? [] : [problem([], fault, 'Correct the JSON Schema (draft 2020-12).')];
}

/** Compiles the schema: the validator throws for an invalid one. */
function faultOf(schema: JsonSchema): string | null {
  try {
    validate(null, schema);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, MAX_FAULT) : 'the schema is invalid';
  }
}

/** The path of the first refused keyword. Manifests are at most 64 levels deep. */
function refusedKeyword(schema: unknown, path: ConfigPath): ConfigPath | null {
  if (Array.isArray(schema)) return firstOf(schema.map((part, index) => () => refusedKeyword(part, [...path, index])));
  if (!isJsonObject(schema)) return null;
  return firstOf(
    Object.entries(schema).map(([key, part]) => () => {
      const at = [...path, key];
      if (REFUSED.has(key)) return at;
      if (DATA.has(key)) return null;
      if (!NAMED.has(key) || !isJsonObject(part)) return refusedKeyword(part, at);
      return firstOf(
        Object.entries(part).map(
          ([name, each]) =>
            () =>
              refusedKeyword(each, [...at, name]),
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
