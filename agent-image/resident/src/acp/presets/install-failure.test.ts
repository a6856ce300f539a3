import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failureOfProgram, type FailedInstall } from './install-failure.ts';

const ROWS: readonly (readonly [Partial<FailedInstall>, string, RegExp])[] = [
  [{ output: 'npm error code ENOSPC' }, 'program_disk_full', /spec\.memory\.size/],
  [{ cause: 'disk' }, 'program_disk_full', /remove files/],
  [{ output: 'npm error code EINTEGRITY' }, 'program_changed', /nothing was installed/],
  [{ output: 'npm error 403 egress_registry_off: the registry' }, 'program_registry_off', /egress\.registries/],
  [{ output: 'npm error 403 egress_denied: no' }, 'program_refused', /broker refused/],
  [{ output: 'npm error 502 egress_unreachable: no answer' }, 'program_offline', /try again/],
  [{ output: 'npm error code ENOTFOUND' }, 'program_offline', /try again/],
  [{ exit: 127, output: 'npm: command not found' }, 'program_no_npm', /spec\.hands\.image/],
  [{ cause: 'memory', exit: null }, 'program_out_of_memory', /1 GiB/],
  [{ exit: 137 }, 'program_out_of_memory', /1 GiB/],
  [{ cause: 'timeout' }, 'program_timed_out', /too long/],
  [{ output: '' }, 'program_not_installed', /said nothing/],
  [{ output: 'npm error something new' }, 'program_not_installed', /npm said: npm error something new/],
];

test('a failed installation names the program, the cause and the fix', () => {
  for (const [given, code, fix] of ROWS) {
    const failed: FailedInstall = { program: 'Toy 1.0.0 (1 MB, MIT)', cause: 'exit', exit: 1, output: '', ...given };
    const { code: got, message } = failureOfProgram(failed);
    assert.equal(got, code, failed.output);
    assert.match(message, /^Toy 1\.0\.0 \(1 MB, MIT\) was not installed\. /);
    assert.match(message, fix);
  }
});

test('a long output is shortened from its beginning', () => {
  const { message } = failureOfProgram({
    program: 'Toy',
    cause: 'exit',
    exit: 1,
    output: `${'x'.repeat(9_000)} the end`,
  });
  assert.ok(message.length < 600 && message.endsWith('the end'));
});
