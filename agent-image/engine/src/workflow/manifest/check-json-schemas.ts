import { isJsonObject } from '../../json/canonical-json.ts';
import { validate } from '../../json/validate.ts';
import type { ConfigPath, ConfigProblem } from '../plan/config-error.ts';
import type { Checked } from './check-references.ts';
import type { ManifestName } from './manifests.ts';

type Place = Readonly<{ file: ManifestName; path: ConfigPath; schema: Readonly<Record<string, unknown>> }>;

/** Keywords whose members have names of the author, not of JSON Schema. */
const NAMED: ReadonlySet<string> = new Set(['$defs', 'definitions', 'properties', 'dependentSchemas']);
/** Keywords whose values are data. */
const DATA: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples', 'required']);
/** Keywords that match texts with a regular expression, which can take hours for a text of a model. */
const REFUSED: ReadonlySet<string> = new Set(['pattern', 'patternProperties']);

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
  const refused = refusedKeyword(schema, []);
  if (refused !== null)
    return [problem(refused, `the keyword ${refused.at(-1)} is refused`, 'Use enum, const or maxLength.')];
  const fault = faultOf(schema);
  return fault === null ? [] : [problem([], fault, 'Correct the JSON Schema (draft 2020-12).')];
}

/** Compiles the schema: the validator throws for an invalid one. */
function faultOf(schema: Readonly<Record<string, unknown>>): string | null {
  try {
    const checked = validate(null, schema);
    const isLoop = !checked.ok && checked.issues.some(({ expected }) => expected.startsWith('the schema refers'));
    return isLoop ? 'the schema refers to itself without a value between' : null;
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 300) : 'the schema is invalid';
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
