import assert from 'node:assert/strict';
import { test } from 'node:test';
import { panicOf, type EndedCall } from './panic.ts';

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
const after = (...calls: EndedCall[]) => panicOf(calls);

test('three failed test runs in a row end the run; a passing one resets the count', () => {
  const bad = failing('python3 -m pytest -q');
  assert.equal(after(bad, bad), null);
  assert.equal(after(bad, call('sed -i s/a/b/ x.py'), bad, failing('ls nothing'), bad), 'tests_keep_failing');
  assert.equal(after(bad, bad, call('pytest'), bad), null);
  assert.equal(after(bad, bad, bad, call('ls')), null, 'the newest call decides');
  for (const command of [
    'npm test',
    'npm run test',
    'go test ./...',
    'cargo test',
    'node --test',
    'make check',
    'cd x && npx vitest',
  ])
    assert.equal(after(failing(command), failing(command), failing(command)), 'tests_keep_failing', command);
});

test('a test program that is missing, or finds no tests, does not count as a failed test', () => {
  for (const [command, exit] of [
    ['pytest', 127],
    ['npm test', 126],
    ['pytest', 5],
    ['pytest -k x', 4],
  ] as const)
    assert.equal(after(...Array.from({ length: 4 }, () => failing(command, '', exit))), null, `${command} ${exit}`);
  const missing = '/usr/bin/python3: No module named pytest\n';
  for (const call of [
    failing('python3 -m pytest -q', missing),
    failing('pip install pytest', 'ERROR: No matching distribution found for pytest'),
    failing('npm i -D vitest'),
    failing('make'),
  ])
    assert.equal(after(...Array.from({ length: 4 }, () => call)), null, call.command);
  const both = failing('pip install -q pytest && python3 -m pytest -q', 'E   assert 999 == 1000');
  assert.equal(after(both, both, both), 'tests_keep_failing');
  assert.equal(after(...Array.from({ length: 4 }, () => call('pytest', { exit: null }))), null);
});

test('three network timeouts in a row end the run; reaching a host resets the count', () => {
  const late = failing('curl https://a.org', 'curl: (28) Connection timed out after 10001 ms', 28);
  const fetch = failing('git fetch', "fatal: unable to access 'x': Failed to connect: Connection timed out", 128);
  assert.equal(after(late, fetch, call('ls'), late), 'network_keeps_timing_out');
  assert.equal(after(late, late, call('pip install x'), late), null);
  assert.equal(after(late, late, failing('sleep 5; false'), late), 'network_keeps_timing_out');
  assert.equal(
    after(late, late, call('cat log', { stdout: 'Connection timed out' })),
    null,
    'a successful command does not count as a timeout',
  );
  assert.equal(after(late, late, failing('make', 'the test timed out')), null);
});

test('a forced update of a shared branch ends the run, even if refused; branches of agents do not count', () => {
  const refused = call('', { tool: 'git', exit: null, code: 'git_forced_update_refused' });
  assert.equal(after(refused), 'shared_branch_forced');
  const line = (branch: string) => `From x\n + 1a2b3c4...5d6e7f8 ${branch}       -> origin/${branch}  (forced update)`;
  assert.equal(after(call('git fetch', { stderr: line('main') })), 'shared_branch_forced');
  assert.equal(after(call('git fetch', { stderr: line('hamlet/bob/x') })), null);
  assert.equal(after(call('cat notes', { stdout: line('main') })), null);
  assert.equal(after(call('git fetch', { stderr: '   1a2b3c4..5d6e7f8  main -> origin/main' })), null);
});

test("access denied by the machine or a server ends the run; a refusal by the village's rules does not", () => {
  for (const text of [
    'bash: /proc/1/mem: Permission denied',
    "Error: EACCES: permission denied, open '/x'",
    "fatal: unable to access 'http://hamlet/git/git.example.org/a.git/': The requested URL returned error: 403",
    'curl: (22) The requested URL returned error: 403',
    'HTTP 403: Resource not accessible by integration',
    '403 Forbidden',
  ])
    assert.equal(after(failing('x', text)), 'access_denied', text);
  for (const text of [
    'remote: egress_host_denied: no rule opens x\nfatal: The requested URL returned error: 403',
    'ERROR: HTTP error 403 while getting http://hamlet/pip/flask/',
    'curl: (56) CONNECT tunnel failed, response 403',
    'Tunnel connection failed: 403 Forbidden',
    'ls: cannot access x: No such file or directory',
  ])
    assert.equal(after(failing('x', text)), null, text);
  const curl = call('curl -f x', { exit: 22, stderr: 'curl: (22) The requested URL returned error: 403' });
  assert.equal(after({ ...curl, refused: true }), null, 'the broker refused, not the server');
  assert.equal(after(call('cat log', { stdout: 'x: Permission denied' })), null);
  assert.equal(after(call('', { tool: 'write_file', exit: null, code: 'denied' })), 'access_denied');
});

test('a full disk ends the run, for programs and file tools', () => {
  assert.equal(after(failing('dd', 'dd: error writing: No space left on device')), 'disk_full');
  assert.equal(after(failing('npm i', 'npm ERR! code ENOSPC')), 'disk_full');
  assert.equal(after(call('', { tool: 'write_file', exit: null, code: 'disk_full' })), 'disk_full');
  assert.equal(after(call('grep ENOSPC log', { stdout: 'ENOSPC' })), null);
});

test('only the end of a long output counts, and hostile texts are read quickly', () => {
  assert.equal(after(failing('make', `No space left on device\n${'x'.repeat(5_000)}`)), null);
  const long = 'git ' + ' + 1'.repeat(50_000);
  assert.equal(after(call(long, { stdout: long, stderr: long, exit: 1 })), null);
  assert.equal(after(), null);
});
