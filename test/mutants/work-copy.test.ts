import assert from 'node:assert/strict';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { removeStaleCopies, WorkCopy } from './work-copy.ts';
import { testFolder } from '../env/at-end.ts';

test('the copy of a dead process is removed; the copy of a living process and other folders stay', () => {
  const parent = testFolder('stale');
  const living = `hamlet-mutants-${process.pid}-abc`;
  for (const name of [living, 'hamlet-mutants-999999999-abc', 'hamlet-coverage-1']) mkdirSync(join(parent, name));
  removeStaleCopies(parent);
  assert.deepEqual(readdirSync(parent).toSorted(), ['hamlet-coverage-1', living]);
});

test('tests pass in a copy, even with a package that only their workspace has', async () => {
  const copy = new WorkCopy();
  try {
    assert.equal(await copy.test('api/core/src/egress/address.test.ts', 60_000), 'passed');
  } finally {
    copy.remove();
  }
});
