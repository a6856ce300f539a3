import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import type { Tally } from '../part.ts';

test('files that block or stay open are ended, and each counts as a failure under its name', () => {
  const printed = execFileSync(process.execPath, ['test/runner/pool/planted/main.ts'], {
    encoding: 'utf8',
    env: { ...process.env, HAMLET_TEST_GRACE_MS: '100' },
  });
  const { passed, failures } = JSON.parse(printed.trimEnd().split('\n').at(-1) ?? '') as Tally;
  assert.equal(passed, 1);
  assert.deepEqual(
    failures.map(({ rerun }) => rerun.split('/').at(-1)).toSorted(),
    ['loops.test.ts', 'stays-open.test.ts'],
    printed,
  );
  assert.match(printed, /^✖ test\/runner\/pool\/planted\/loops\.test\.ts/m, 'its failure is printed at once');
  assert.match(printed, /ended: .*loops\.test\.ts/);
  assert.match(printed, /stays-open\.test\.ts: its tests are done, but these stay open: Timeout/);
});
