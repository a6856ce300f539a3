/** Writes what the charts take from elsewhere: the CRDs, the operator's rights and policy, and the values schema. `--check` compares instead. */
import { globSync, mkdirSync, readdirSync, readFileSync, existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parse, stringify } from 'yaml';
import { FINALIZER_POLICY } from '../../operator/src/kinds/agent/finalizer-policy.ts';
import { OPERATOR_CLAIM_POLICY, OPERATOR_POD_POLICY } from '../../operator/src/kinds/agent/operator-policy.ts';
import type { Rule } from '../../operator/src/kinds/agent/rbac.ts';
import { Failure, printFailure } from '../../local/village/failure.ts';
import { ROOT } from '../../local/village/paths.ts';
import { specSchema, valuesSchema } from './values-schema.ts';

const COMMAND = 'make charts';

interface Rules {
  readonly role: readonly Rule[];
  readonly clusterRole: readonly Rule[];
}

/** The rules that each kind of the operator brings: its exports whose names end in ROLE_RULES and CLUSTER_ROLE_RULES. */
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

/** Path within the work tree → content, of every generated file of the charts. */
export async function generatedFiles(): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  const bases = join(ROOT, 'crds/bases');
  const schemas: Record<string, object> = {};
  for (const name of readdirSync(bases).filter((file) => file.endsWith('.yaml'))) {
    const text = readFileSync(join(bases, name), 'utf8');
    files.set(
      `charts/hamlet-crds/files/${name.replace(/\.yaml$/, '.generated.yaml')}`,
      `# ${COMMAND}: a copy of crds/bases/${name}\n${text}`,
    );
    const crd = parse(text) as { spec: { names: { plural: string } } };
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

async function main(): Promise<void> {
  const stale: string[] = [];
  for (const [path, content] of await generatedFiles()) {
    const file = join(ROOT, path);
    if (existsSync(file) && readFileSync(file, 'utf8') === content) continue;
    stale.push(path);
    if (process.argv.includes('--check')) continue;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    console.log(`wrote ${path}`);
  }
  if (process.argv.includes('--check') && stale.length > 0)
    throw new Failure(`not current: ${stale.join(', ')}`, `run ${COMMAND} and commit what it writes`);
}

if (import.meta.main) {
  try {
    await main();
  } catch (error) {
    printFailure(error);
    process.exitCode = 1;
  }
}
