import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { testFolder } from '@hamlet/test/env/at-end';
import { keyFiles } from '../../service/key-files.ts';
import { modelsSettingsOf } from './models-environment.ts';
import { configuredModels, openCatalog } from './village-models.ts';

const CONFIG = {
  providers: { up: { kind: 'openai', credential: 'openai-key' }, scripted: { kind: 'scripted' } },
  routes: [
    { match: 'small', provider: 'up', model: 'gpt-5' },
    { match: 'large', provider: 'scripted' },
  ],
};

const folder = testFolder('models');

test('the configuration comes from a value or a file; its errors name the variable, the field and the form', async () => {
  const file = join(folder, 'models.json');
  await writeFile(file, JSON.stringify(CONFIG));
  assert.equal(modelsSettingsOf({}).config, null);
  assert.deepEqual(
    modelsSettingsOf({ HAMLET_MODELS: JSON.stringify(CONFIG) }),
    modelsSettingsOf({ HAMLET_MODELS_FILE: file }),
  );
  const bad = (env: Parameters<typeof modelsSettingsOf>[0], message: RegExp): void =>
    assert.throws(() => modelsSettingsOf(env), message);
  bad({ HAMLET_MODELS: '{' }, /^Error: HAMLET_MODELS: write JSON/);
  bad({ HAMLET_MODELS: '{}', HAMLET_MODELS_FILE: file }, /not both/);
  bad({ HAMLET_MODELS_FILE: join(folder, 'none') }, /cannot be read/);
  bad(
    { HAMLET_MODELS: JSON.stringify({ ...CONFIG, routes: [{ match: 'small', provider: 'other' }] }) },
    /HAMLET_MODELS: routes\[0\]\.provider: no provider other is configured/,
  );
});

test('keys are read from files by their names, and read again after five seconds', async () => {
  let now = 0;
  const key = keyFiles(folder, () => now);
  assert.equal(key('openai-key'), null);
  await writeFile(join(folder, 'openai-key'), 'first\n');
  assert.equal(key('openai-key'), null);
  now = 6_000;
  assert.equal(key('openai-key'), 'first');
  assert.equal(key('../openai-key'), null);
  assert.equal(key('.'), null);
  assert.equal(keyFiles(undefined, () => now)('openai-key'), null);
});

test('a model without its key names the missing credential; the scripted mind can run next to a real model', () => {
  let key: string | null = null;
  const { config } = modelsSettingsOf({ HAMLET_MODELS: JSON.stringify(CONFIG) });
  const catalog = openCatalog(configuredModels(config, () => key));
  assert.deepEqual(catalog.find('small', null), {
    missing: 'there is no credential openai-key: add it, or name another one',
  });
  key = 'sk-0123456789';
  assert.partialDeepStrictEqual(catalog.find('small', null), { name: 'small', provider: 'up' });
  assert.partialDeepStrictEqual(catalog.find('large', null), { name: 'large', provider: 'scripted' });
  assert.equal(catalog.find('other', null), null);
  assert.deepEqual([catalog.isScripted('up'), catalog.isScripted('scripted')], [false, true]);
});
