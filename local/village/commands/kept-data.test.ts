import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isCutOff, isKept, putBack, setAside, describeData } from './kept-data.ts';
import { testFolder } from '@hamlet/test/env/at-end';

const root = testFolder('kept');

function villageOf(name: string): string {
  const folder = join(root, 'cluster');
  mkdirSync(join(folder, 'volumes', 'sparky1', 'data'), { recursive: true });
  writeFileSync(join(folder, 'whose'), name);
  return folder;
}

test('the data of a stopped village is moved aside for a test and moved back afterwards', async () => {
  const folder = villageOf('mine');
  assert.match(await describeData(folder), /1 volumes/);
  assert.equal(isCutOff(folder), false);
  writeFileSync(join(folder, 'supervisor.json'), '{}');
  assert.equal(isCutOff(folder), true);
  assert.throws(() => setAside(folder), /without make down/);
  rmSync(join(folder, 'supervisor.json'));
  setAside(folder);
  assert.equal(isKept(folder), false);
  villageOf('of a test');
  // A second test that finds the village of an interrupted test does not lose the person's data.
  setAside(folder);
  assert.match(putBack(folder), /another village/);
  assert.equal(readFileSync(join(folder, 'whose'), 'utf8'), 'of a test');
  rmSync(folder, { recursive: true });
  putBack(folder);
  assert.equal(readFileSync(join(folder, 'whose'), 'utf8'), 'mine');
  assert.equal(existsSync(`${folder}.aside`), false);
  assert.equal(putBack(folder), 'no data was set aside');
});
