/** The models of the chart as helm renders them. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from '@hamlet/test/env/cluster-test';
import { program } from '../../local/village/cluster.ts';
import { run } from '../../local/village/command.ts';
import { ROOT } from '../../local/village/paths.ts';

let folder = '';
let helm = '';

before(async () => {
  helm = await program('helm');
  folder = mkdtempSync(join(tmpdir(), 'hamlet-charts-models-'));
});
after(() => rmSync(folder, { recursive: true, force: true }));

async function api(values: object): Promise<string> {
  const file = join(folder, 'values.json');
  writeFileSync(file, JSON.stringify(values));
  const only = ['--values', file, '--show-only', 'templates/api.yaml'];
  return run(helm, ['template', 'hamlet', join(ROOT, 'charts/hamlet'), ...only]);
}

test('the scripted mind is the default: the api gets neither models nor keys', async () => {
  assert.doesNotMatch(await api({}), /HAMLET_MODEL|model-keys|hostAliases/);
});

test('a sign-in to a subscription is off, and its value reaches the api', async () => {
  assert.doesNotMatch(await api({}), /HAMLET_SUBSCRIPTION/);
  const text = await api({ models: { subscription: { clientId: 'app-1' } } });
  assert.equal(text.match(/HAMLET_SUBSCRIPTION, value: "\{\\"clientId\\":\\"app-1\\"\}"/g)?.length, 2);
});

test('stored credentials are sealed by a key of 32 bytes in a Secret that only the api mounts', async () => {
  const text = await run(helm, ['template', 'hamlet', join(ROOT, 'charts/hamlet')]);
  const [, first = ''] = /first: (\S+)/.exec(text.slice(text.indexOf('name: hamlet-credential-keys'))) ?? [];
  const key = Buffer.from(Buffer.from(first, 'base64').toString('utf8'), 'base64');
  assert.equal(key.length, 32);
  const manifests = text.split('\n---\n').filter((manifest) => manifest.includes('secretName: hamlet-credential-keys'));
  assert.equal(manifests.length, 2);
  for (const manifest of manifests) assert.match(manifest, /kind: Deployment[\s\S]*name: hamlet-api/);
});

test('a configuration is passed on, keys come from a Secret, and both kinds of replicas get them', async () => {
  const config = { providers: { scripted: { kind: 'scripted' } }, routes: [{ match: 'small', provider: 'scripted' }] };
  const hostAliases = [{ ip: '10.0.0.1', hostnames: ['models.example.org'] }];
  const text = await api({ models: { config, keysSecretName: 'keys', textDays: 7 }, api: { hostAliases } });
  assert.equal(text.match(/HAMLET_MODEL_TEXT_DAYS, value: "7"/g)?.length, 2);
  const passed = [...text.matchAll(/HAMLET_MODELS, value: ("(?:[^"\\]|\\.)*")/g)].map(
    ([, value = '']) => JSON.parse(JSON.parse(value) as string) as unknown,
  );
  assert.deepEqual(passed, [config, config]);
  assert.equal(text.match(/HAMLET_MODEL_KEYS_DIR, value: \/etc\/hamlet\/model-keys/g)?.length, 2);
  assert.equal(text.match(/secret: \{ secretName: keys, optional: true \}/g)?.length, 2);
  assert.equal(text.match(/hostnames:\s+- models\.example\.org\s+ip: 10\.0\.0\.1/g)?.length, 2);
});
