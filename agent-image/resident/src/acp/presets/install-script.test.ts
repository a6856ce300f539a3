import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { testFolder } from '@hamlet/test/env/at-end';
import { FILES_SCRIPT } from './install-script.ts';

const WRITERS = 24;

test('parallel uses that write the same file all succeed, and leave one whole text', async () => {
  const folder = testFolder('install-script');
  const path = join(folder, 'mind/settings.json');
  const texts = Array.from({ length: WRITERS }, (_, index) => `${index}`.repeat(1_000));
  const write = (text: string) => promisify(execFile)('bash', ['-c', FILES_SCRIPT, 'hamlet-files', path, text]);
  await Promise.all(texts.map(write));
  assert.ok(texts.includes(readFileSync(path, 'utf8')));
  assert.deepEqual(readdirSync(join(folder, 'mind')), ['settings.json']);
});
