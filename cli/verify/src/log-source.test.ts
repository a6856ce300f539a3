import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { atItsCheckpoint, saveLog, type LogSource } from './log-source.ts';
import { testFolder } from '@hamlet/test/env/at-end';

test('a log that grows while it is saved is saved up to one checkpoint', async () => {
  const folder = testFolder('saved-log');
  let asked = 0;
  const growing: LogSource = {
    name: 'a village',
    checkpoint: () => Promise.resolve(`checkpoint ${(asked += 1)}`),
    key: () => Promise.resolve('key'),
    entries: () => Promise.resolve(new Uint8Array([1])),
    hashes: () => Promise.resolve(new Uint8Array([2])),
  };
  const sealed = await atItsCheckpoint(growing);
  await saveLog(sealed, 1, folder);
  assert.equal(await readFile(join(folder, 'checkpoint'), 'utf8'), 'checkpoint 1');
  await assert.rejects(saveLog({ ...sealed, entries: () => Promise.reject(new Error('away')) }, 1, folder), /away/);
  await assert.rejects(
    readFile(join(folder, 'checkpoint')),
    { code: 'ENOENT' },
    'an unfinished save has no checkpoint',
  );
});
