/** Writes the generated files of the charts: the operator's rights and policies, and the schema of the values. `--check` compares instead. */
import { existsSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parse, stringify } from 'yaml';
import { FINALIZER_POLICY } from '../../operator/src/kinds/agent/finalizer-policy.ts';
import { OPERATOR_CLAIM_POLICY, OPERATOR_POD_POLICY } from '../../operator/src/kinds/agent/operator-policy.ts';
import type { Rule } from '../../operator/src/kinds/agent/rbac.ts';
import { specSchema, valuesSchema } from './values-schema.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const COMMAND = 'make charts';

interface Rules {
  readonly role: readonly Rule[];
  readonly clusterRole: readonly Rule[];
}

/** The RBAC rules of each kind: the exports of its rbac.ts whose names end in ROLE_RULES and CLUSTER_ROLE_RULES. */
async function operatorRules(): Promise<Rules> {
  const all: [string, readonly Rule[]][] = [];
  for (const file of globSync('operator/src/kinds/*/rbac.ts', { cwd: ROOT }).toSorted()) {
    const module = (await import(pathToFileURL(join(ROOT, file)).href)) as Readonly<Record<string, readonly Rule[]>>;
    all.push(...Object.entries(module));
  }
  const named = (wanted: (name: string) => boolean): readonly Rule[] =>
    all.flatMap(([name, rules]) => (wanted(name) ? rules : []));
  const isOfCluster = (name: string): boolean => name.endsWith('CLUSTER_ROLE_RULES');
  return { role: named((name) => name.endsWith('ROLE_RULES') && !isOfCluster(name)), clusterRole: named(isOfCluster) };
}

/** The content of every generated file, by its path in the repository. */
async function generatedFiles(): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  const bases = join(ROOT, 'crds/bases');
  const schemas: Record<string, object> = {};
  for (const name of readdirSync(bases).filter((file) => file.endsWith('.yaml'))) {
    const crd = parse(readFileSync(join(bases, name), 'utf8')) as { spec: { names: { plural: string } } };
    schemas[crd.spec.names.plural] = specSchema(crd);
  }
  const rules = stringify(await operatorRules(), { aliasDuplicateObjects: false, lineWidth: 0 });
  files.set(
    'charts/hamlet/files/operator-rules.generated.yaml',
    `# ${COMMAND}: from operator/src/kinds/*/rbac.ts\n${rules}`,
  );
  files.set(
    'charts/hamlet/files/finalizer-policy.generated.yaml',
    `# ${COMMAND}: from operator/src/kinds/agent/finalizer-policy.ts\n${stringify(FINALIZER_POLICY, { lineWidth: 0 })}`,
  );
  files.set(
    'charts/hamlet/files/operator-policies.generated.yaml',
    `# ${COMMAND}: from operator/src/kinds/agent/operator-policy.ts\n${stringify({ pods: OPERATOR_POD_POLICY, claims: OPERATOR_CLAIM_POLICY }, { aliasDuplicateObjects: false, lineWidth: 0 })}`,
  );
  files.set('charts/hamlet/values.schema.json', `${JSON.stringify(valuesSchema(schemas), null, 2)}\n`);
  return files;
}

const stale = [...(await generatedFiles())].filter(([path, content]) => {
  const file = join(ROOT, path);
  return !existsSync(file) || readFileSync(file, 'utf8') !== content;
});
if (process.argv.includes('--check')) {
  for (const [path] of stale) console.error(`error: ${path} is not current\n  fix: run ${COMMAND} and commit the file`);
  if (stale.length > 0) process.exitCode = 1;
} else {
  for (const [path, content] of stale) {
    writeFileSync(join(ROOT, path), content);
    console.log(`wrote ${path}`);
  }
}
