import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '../../local/village/paths.ts';
import { longestFirst, readDurations, slowest } from './durations.ts';
import { isInGate, SLOW_FILES, SLOW_FROM_S } from './suites.ts';

test('the report lists at most ten files, with seconds', () => {
  const lines = slowest(Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`file-${index}`, index])));
  assert.equal(lines.length, 10);
  assert.equal(lines[0], '   11.0 s  file-11');
});

test('the longest file starts first, and a file without a duration last', () => {
  assert.deepEqual(longestFirst(['a', 'b', 'new', 'c'], { a: 2, b: 30, c: 4 }), ['b', 'c', 'a', 'new']);
});

test('each slow file of the gate has a reason, and each reason names an existing file', () => {
  assert.ok(Object.keys(readDurations()).length > 100, 'make test-full writes the durations');
  const slow = Object.entries(readDurations()).filter(
    ([file, seconds]) => seconds >= SLOW_FROM_S && isInGate(file) && existsSync(join(ROOT, file)),
  );
  assert.deepEqual(
    slow.map(([file]) => file).filter((file) => !(file in SLOW_FILES)),
    [],
    'add a reason to suites.ts, or make the file quicker',
  );
  assert.deepEqual(
    Object.keys(SLOW_FILES).filter((file) => !existsSync(join(ROOT, file))),
    [],
    'these files are gone',
  );
});
