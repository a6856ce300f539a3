import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ACP_PRESETS, type AcpPresetName } from '@hamlet/contract';
import { filled } from '@hamlet/engine';
import { sizesOf } from './prepare-preset.ts';
import { PRESETS } from './programs.ts';

const VALUES = {
  ...sizesOf('32768'),
  model: 'small',
  state: '/root/.hamlet/minds/x',
  bin: '/b/',
  door: 'http://127.0.0.1:9/v1',
};

interface Lock {
  readonly packages: Readonly<
    Record<string, { readonly version?: string; readonly integrity?: string; readonly resolved?: string }>
  >;
}

test('each preset has exact versions and a hash of every package, without addresses of a registry', () => {
  assert.deepEqual(Object.keys(PRESETS.programs), Object.keys(ACP_PRESETS));
  for (const [preset, { install, version }] of Object.entries(PRESETS.programs)) {
    const folder = join(import.meta.dirname, '../../../../programs', install.lock);
    const read = (name: string): unknown => JSON.parse(readFileSync(join(folder, name), 'utf8'));
    const { dependencies } = read('package.json') as { dependencies: Record<string, string> };
    for (const wanted of Object.values(dependencies)) assert.match(wanted, /^\d+\.\d+\.\d+$/, preset);
    assert.equal(dependencies[ACP_PRESETS[preset as AcpPresetName].package], version);
    const { packages } = read('package-lock.json') as Lock;
    for (const [path, { integrity, resolved }] of Object.entries(packages)) {
      if (path !== '') assert.match(String(integrity), /^sha512-/, path);
      assert.equal(resolved, undefined, path);
    }
  }
});

test('the files of a preset are complete once the values are filled in, and have no key', () => {
  for (const { files, env } of Object.values(PRESETS.programs)) {
    const texts = [...files.flatMap(({ path, text }) => [path, text]), ...Object.values(env)].map((text) =>
      filled(text, VALUES),
    );
    for (const text of texts) assert.doesNotMatch(text, /\{[a-z_]+\}/);
    for (const { path, text } of files) {
      if (path.endsWith('.json')) assert.doesNotThrow(() => void JSON.parse(filled(text, VALUES)), path);
      assert.doesNotMatch(text, /apiKey": "(?!\{env:|\$)/);
    }
  }
});

test('an answer takes at most a quarter of the context; without a known context, the default applies', () => {
  assert.deepEqual(sizesOf('16384'), { context: '16384', answer: '4096' });
  assert.deepEqual(sizesOf('1000000'), { context: '1000000', answer: '32000' });
  assert.deepEqual(sizesOf(''), { context: '128000', answer: '32000' });
});
