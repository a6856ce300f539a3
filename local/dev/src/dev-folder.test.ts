import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openDevFolder, readDevFile } from './dev-folder.ts';
import { testFolder } from '@hamlet/test/env/at-end';

const root = testFolder('dev-folder');

function emptyState(name: string): string {
  const state = join(root, name);
  mkdirSync(join(state, 'dev'), { recursive: true });
  return state;
}

test('tokens and code stay the same from start to start, and only their owner reads them', () => {
  const state = emptyState('kept');
  const first = openDevFolder(state);
  const second = openDevFolder(state);
  assert.deepEqual([second.secrets, second.bootstrapCode], [first.secrets, first.bootstrapCode]);
  for (const file of [first.apiKeysFile, first.bootstrapCodeFile])
    assert.equal(statSync(file).mode & 0o777, 0o600, file);
});

test('a half-removed folder is refused with the file and the fix, and starts after that file is removed', () => {
  for (const [name, text] of [
    ['api-keys.json', ''],
    ['api-keys.json', '{"adminToken":'],
    ['api-keys.json', '{}'],
    ['bootstrap-code', ''],
  ] as const) {
    const state = emptyState(`half-${name}-${text.length}`);
    const file = join(state, 'dev', name);
    writeFileSync(file, text);
    assert.throws(
      () => openDevFolder(state),
      (error: Error) => error.message.startsWith(file) && /Fix: remove it; make dev writes/.test(error.message),
    );
    rmSync(file);
    assert.notEqual(openDevFolder(state).bootstrapCode, '');
    assert.notEqual(readFileSync(file, 'utf8'), '');
  }
});

test('an unreadable dev.json is removed, and no village counts as running', () => {
  const state = emptyState('torn');
  const file = join(state, 'dev.json');
  for (const text of ['', '{"url":"http', '{}']) {
    writeFileSync(file, text);
    assert.equal(readDevFile(state), null);
    assert.throws(() => statSync(file), { code: 'ENOENT' });
  }
});
