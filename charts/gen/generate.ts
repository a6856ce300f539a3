/** Writes the generated files of the charts: the operator's rights and policies, and the schema of the values. With --check it only compares. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse, stringify } from 'yaml';
import { FINALIZER_POLICY, OPERATOR_CLAIM_POLICY, OPERATOR_POD_POLICY } from '../../operator/src/rights/policies.ts';
import { RIGHTS } from '../../operator/src/rights/rights.ts';
import { specSchema, valuesSchema } from './values-schema.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const COMMAND = 'make charts';

async function generatedFiles(): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  const bases = join(ROOT, 'crds/bases');
  const schemas: Record<string, object> = {};
  for (const name of readdirSync(bases).filter((file) => file.endsWith('.yaml'))) {
    const crd = parse(readFileSync(join(bases, name), 'utf8')) as { spec: { names: { plural: string } } };
    schemas[crd.spec.names.plural] = specSchema(crd);
  }
  const rules = stringify(RIGHTS, { aliasDuplicateObjects: false, lineWidth: 0 });
  files.set(
    'charts/hamlet/files/operator-rules.generated.yaml',
    `# ${COMMAND}: from operator/src/rights/rights.ts\n${rules}`,
  );
  files.set(
    'charts/hamlet/files/finalizer-policy.generated.yaml',
    `# ${COMMAND}: from operator/src/rights/policies.ts\n${stringify(FINALIZER_POLICY, { lineWidth: 0 })}`,
  );
  files.set(
    'charts/hamlet/files/operator-policies.generated.yaml',
    `# ${COMMAND}: from operator/src/rights/policies.ts\n${stringify({ pods: OPERATOR_POD_POLICY, claims: OPERATOR_CLAIM_POLICY }, { aliasDuplicateObjects: false, lineWidth: 0 })}`,
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
