import assert from 'node:assert/strict';
import { test } from 'node:test';
import { panicOf, PANIC_STOPS_AFTER, type EndedCall } from './panic.ts';

const call = (command: string, changes: Partial<EndedCall> = {}): EndedCall => ({
  tool: 'shell',
  command,
  exit: 0,
  stdout: '',
  stderr: '',
  code: null,
  refused: false,
  ...changes,
});
const failing = (command: string, stderr = '', exit = 1): EndedCall => call(command, { exit, stderr });
const times = (count: number, each: EndedCall): EndedCall[] => Array.from({ length: count }, () => each);
const after = (...calls: EndedCall[]): string | null => {
  const panic = panicOf(calls);
  return panic === null ? null : `${panic.level} ${panic.code}`;
};

test('the same failure of tests warns the model once at three attempts, and stops the run at six', () => {
  const bad = failing('python3 -m pytest -q', 'FAILED test_a.py::test - assert 1 == 2\n1 failed in 0.12s');
  const edit = call('sed -i s/a/b/ x.py');
  assert.deepEqual(
    [1, 2, 3, 4, 5, 6, 7].map((count) => after(...times(count, bad).flatMap((each) => [edit, each]))),
    [null, null, 'warn tests_keep_failing', null, null, 'stop tests_keep_failing', 'stop tests_keep_failing'],
  );
  assert.equal(after(...times(6, bad), edit), null, 'the newest call decides');
  assert.equal(after(...times(5, bad), call('pytest'), bad), null, 'a passing run resets the count');
  for (const command of ['npm test', 'npm run test', 'go test ./...', 'cargo test', 'node --test', 'make check'])
    assert.equal(after(...times(3, failing(`cd x && ${command}`))), 'warn tests_keep_failing', command);
});

test('tests that fail differently, or less often, count as improvement', () => {
  const failures = (count: number) => failing('pytest', `${count} failed, ${10 - count} passed in 0.${count}s`);
  assert.equal(after(...[9, 4, 1].map(failures)), null);
  assert.equal(after(...[9, 9, 8, 8, 8].map(failures)), 'warn tests_keep_failing');
  assert.equal(after(...[3, 3, 4].map(failures)), 'warn tests_keep_failing', 'more failures are worse');
  const wrong = (name: string) => failing('npm test', `not ok - ${name}\n# fail 1`);
  assert.equal(after(...['bread', 'cake', 'bread', 'cake', 'bread', 'cake'].map(wrong)), null);
});

test('a program that is missing or being installed runs no test', () => {
  for (const bad of [
    failing('pytest', '', 127),
    failing('npm test', '', 126),
    failing('pip install pytest', 'ERROR: No matching distribution found for pytest'),
    failing('npm i -D vitest'),
    failing('make'),
    call('pytest', { exit: null }),
  ])
    assert.equal(after(...times(6, bad)), null, bad.command);
  assert.equal(after(...times(3, failing('pip install -q pytest && pytest', 'E'))), 'warn tests_keep_failing');
});

test('denied access, timeouts and a full disk count only in a row, and only of failed calls', () => {
  for (const [code, bad] of [
    ['access_denied', failing('./build.sh', 'bash: ./build.sh: Permission denied', 126)],
    ['access_denied', failing('curl -f x', 'curl: (22) The requested URL returned error: 403', 22)],
    ['access_denied', call('', { tool: 'write_file', exit: null, code: 'denied' })],
    ['network_keeps_timing_out', failing('curl x', 'curl: (28) Connection timed out after 10001 ms', 28)],
    ['disk_full', failing('npm i', 'npm ERR! code ENOSPC')],
    ['disk_full', call('', { tool: 'write_file', exit: null, code: 'disk_full' })],
  ] as const) {
    assert.equal(after(bad), null, 'the model sees the first failure itself');
    assert.equal(after(...times(3, bad)), `warn ${code}`);
    assert.equal(after(...times(PANIC_STOPS_AFTER, bad)), `stop ${code}`);
    assert.equal(after(...times(5, bad), call('ls'), bad), null, 'a call that succeeds resets the count');
  }
  assert.equal(
    after(...times(6, call('cat log', { stdout: 'x: Permission denied\nConnection timed out\nENOSPC' }))),
    null,
  );
  const refused = call('curl -f x', { exit: 22, stderr: 'The requested URL returned error: 403', refused: true });
  assert.equal(after(...times(6, refused)), null, 'the broker refused, not the server');
});

test('forced updates of shared branches count, also refused ones; branches of agents do not', () => {
  const refused = call('', { tool: 'git', exit: null, code: 'git_forced_update_refused' });
  assert.equal(after(...times(3, refused)), 'warn shared_branch_forced');
  const fetched = (branch: string) =>
    call('git fetch', { stderr: `From x\n + 1a2b3c4...5d6e7f8 ${branch}       -> origin/${branch}  (forced update)` });
  assert.equal(after(...times(3, fetched('main'))), 'warn shared_branch_forced');
  assert.equal(after(...times(3, fetched('hamlet/bob/x'))), null);
});

test('only the end of a long output counts, and hostile texts are read quickly', () => {
  assert.equal(after(...times(6, failing('make', `No space left on device\n${'x'.repeat(5_000)}`))), null);
  const long = 'git ' + ' + 1'.repeat(50_000);
  assert.equal(after(...times(40, call(long, { stdout: long, stderr: long, exit: 1 }))), null);
  assert.equal(after(), null);
});
