import type { JsonSchema } from '../../json/guide.ts';
import type { ConfigPath, ConfigProblem } from '../plan/config-error.ts';
import type { Checked } from './check-references.ts';
import { jsonSchemaFault } from './json-schema-fault.ts';
import type { ManifestName } from './manifests.ts';

type Place = Readonly<{ file: ManifestName; path: ConfigPath; schema: JsonSchema }>;

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
  const fault = jsonSchemaFault(schema);
  if (fault === null) return [];
  const { at, message, hint } = fault;
  return [{ code: 'config_schema', file, path: [...path, ...at], at: 'value', message, hint }];
}
