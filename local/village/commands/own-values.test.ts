import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { testFolder } from '@hamlet/test/env/at-end';
import { ownValues } from './own-values.ts';

const folder = testFolder('own-values');
const [kept, file] = [join(folder, 'own-values.json'), join(folder, 'village.yaml')];

test('the named file of values stays for later starts, until off', () => {
  assert.equal(ownValues(undefined, kept), null);
  writeFileSync(file, 'egress: { registries: { npm: true } }\n');
  assert.equal(ownValues(file, kept), file);
  assert.equal(ownValues(undefined, kept), file);
  assert.equal(ownValues('off', kept), null);
  assert.equal(ownValues(undefined, kept), null);
});

test('a missing file is named, even if an earlier start used it', () => {
  ownValues(file, kept);
  rmSync(file);
  assert.throws(() => ownValues(undefined, kept), /village\.yaml is missing/);
  assert.throws(() => ownValues(join(folder, 'typo.yaml'), kept), /typo\.yaml is missing/);
});
