/** The JSON Schemas that editors use are current, and judge as the engine does what a JSON Schema can judge. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { validate } from '../src/json/validate.ts';
import { MANIFEST_NAMES, type ManifestName } from '../src/workflow/manifest/manifests.ts';
import { readYaml } from '../src/workflow/manifest/read-yaml.ts';
import { SAMPLE_MANIFESTS } from '../src/workflow/testing/sample-manifests.ts';

const SCHEMAS = new Map(
  MANIFEST_NAMES.map((name) => {
    const file = join(import.meta.dirname, name.replace(/\.yaml$/, '.schema.json'));
    return [name, JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, unknown>>] as const;
  }),
);

function fits(name: ManifestName, text: string): boolean {
  const read = readYaml(text);
  return validate(read.ok ? read.value : assert.fail(), SCHEMAS.get(name) ?? assert.fail(name)).ok;
}

test('the files are those that the generator writes', () => {
  const generator = join(import.meta.dirname, 'generate.ts');
  assert.equal(execFileSync(process.execPath, [generator, '--check'], { encoding: 'utf8' }), '');
});

test('the sample fits the schemas, and loses that with an unknown key, a wrong role or a wrong id', () => {
  const text = (name: ManifestName): string => SAMPLE_MANIFESTS.get(name) ?? assert.fail(name);
  for (const name of MANIFEST_NAMES) assert.equal(fits(name, text(name)), true, name);
  for (const name of MANIFEST_NAMES) assert.equal(fits(name, `${text(name)}more: 1\n`), false, name);
  for (const [from, to] of [
    ['role: linear }', 'role: liner }'],
    ['id: ship', 'id: Ship'],
    ['tool: read', 'toll: read'],
  ] as const)
    assert.equal(fits('workflow.yaml', text('workflow.yaml').replace(from, to)), false, to);
});
