/**
 * Writes the generated files of the charts: the operator's rights and policies, the schema of the values, and the dashboards. With
 * --check it only compares.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Document, isScalar, parse, visit } from 'yaml';
import { FINALIZER_POLICY, OPERATOR_POLICIES } from '../../operator/src/rights/policies.ts';
import { RIGHTS } from '../../operator/src/rights/rights.ts';
import { AGENTS_DASHBOARD } from './dashboards/agents.ts';
import { grafanaOf, type Dashboard } from './dashboards/dashboard.ts';
import { MONEY_DASHBOARD } from './dashboards/money.ts';
import { NODES_DASHBOARD } from './dashboards/nodes.ts';
import { VILLAGE_DASHBOARD } from './dashboards/village.ts';
import { specSchema, valuesSchema } from './values-schema.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const COMMAND = 'make charts';

const DASHBOARDS: Readonly<Record<string, Dashboard>> = {
  village: VILLAGE_DASHBOARD,
  agents: AGENTS_DASHBOARD,
  money: MONEY_DASHBOARD,
  nodes: NODES_DASHBOARD,
};

/** YAML with every list of plain values on one line. */
function yamlOf(value: object): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, { Seq: (_key, list) => void (list.flow = list.items.every(isScalar)) });
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

function generatedFiles(): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  const bases = join(ROOT, 'crds/bases');
  const schemas: Record<string, object> = {};
  for (const name of readdirSync(bases).filter((file) => file.endsWith('.yaml'))) {
    const crd = parse(readFileSync(join(bases, name), 'utf8')) as { spec: { names: { plural: string } } };
    schemas[crd.spec.names.plural] = specSchema(crd);
  }
  const generated: Readonly<Record<string, readonly [source: string, value: object]>> = {
    'operator-rules': ['rights', RIGHTS],
    'finalizer-policy': ['policies', FINALIZER_POLICY],
    'operator-policies': ['policies', OPERATOR_POLICIES],
  };
  for (const [name, [source, value]] of Object.entries(generated)) {
    const head = `# ${COMMAND}: from operator/src/rights/${source}.ts`;
    files.set(`charts/hamlet/files/${name}.generated.yaml`, `${head}\n${yamlOf(value)}`);
  }
  for (const [name, dashboard] of Object.entries(DASHBOARDS)) {
    const text = JSON.stringify(grafanaOf(dashboard, `${COMMAND}: from charts/gen/dashboards/${name}.ts`), null, 1);
    files.set(`charts/hamlet/files/dashboards/${name}.generated.json`, `${text}\n`);
  }
  files.set('charts/hamlet/values.schema.json', `${JSON.stringify(valuesSchema(schemas), null, 2)}\n`);
  return files;
}

const stale = [...generatedFiles()].filter(([path, content]) => {
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
