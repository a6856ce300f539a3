/** Writes what the charts take from elsewhere: the CRDs, the operator's rights, and the values schema. `--check` compares instead. */
import { mkdirSync, readdirSync, readFileSync, existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse, stringify } from 'yaml';
import { CLUSTER_ROLE_RULES, ROLE_RULES } from '../../operator/src/kinds/agent/rbac.ts';
import { Failure, printFailure } from '../failure.ts';
import { ROOT } from '../paths.ts';
import { specSchema, valuesSchema } from './values-schema.ts';

const COMMAND = 'make charts';

/** Path within the work tree → content, of every generated file of the charts. */
export function generatedFiles(): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  const bases = join(ROOT, 'crds/bases');
  const schemas: Record<string, object> = {};
  for (const name of readdirSync(bases).filter((file) => file.endsWith('.yaml'))) {
    const text = readFileSync(join(bases, name), 'utf8');
    files.set(`charts/hamlet-crds/files/${name.replace(/\.yaml$/, '.generated.yaml')}`, `# ${COMMAND}: a copy of crds/bases/${name}\n${text}`);
    const crd = parse(text) as { spec: { names: { plural: string } } };
    schemas[crd.spec.names.plural] = specSchema(crd);
  }
  files.set('charts/hamlet/files/operator-rules.generated.yaml', `# ${COMMAND}: from operator/src/kinds/agent/rbac.ts\n${stringify({ role: ROLE_RULES, clusterRole: CLUSTER_ROLE_RULES }, { aliasDuplicateObjects: false, lineWidth: 0 })}`);
  files.set('charts/hamlet/values.schema.json', `${JSON.stringify(valuesSchema(schemas), null, 2)}\n`);
  return files;
}

function main(): void {
  const stale: string[] = [];
  for (const [path, content] of generatedFiles()) {
    const file = join(ROOT, path);
    if (existsSync(file) && readFileSync(file, 'utf8') === content) continue;
    stale.push(path);
    if (process.argv.includes('--check')) continue;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    console.log(`wrote ${path}`);
  }
  if (process.argv.includes('--check') && stale.length > 0) throw new Failure(`not current: ${stale.join(', ')}`, `run ${COMMAND} and commit what it writes`);
}

if (import.meta.main) {
  try {
    main();
  } catch (error) {
    printFailure(error);
    process.exitCode = 1;
  }
}
