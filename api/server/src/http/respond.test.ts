import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problemOf, refusalOfError, UnavailableError } from './respond.ts';

test('an exception reveals no details to the caller; an unavailable part is reported as unavailable', () => {
  const secret = 'password authentication failed for user "app"';
  const internal = problemOf(refusalOfError(new Error(secret)), 'the-request');
  assert.equal(internal.code, 'internal');
  assert.equal(internal.request_id, 'the-request');
  assert.doesNotMatch(JSON.stringify(internal), /password/);
  const lost = Object.assign(new Error(secret), { code: 'ECONNREFUSED' });
  assert.equal(refusalOfError(lost).reason, 'unavailable');
  assert.doesNotMatch(JSON.stringify(refusalOfError(lost)), /password/);
  const nul = Object.assign(new Error('invalid byte sequence for encoding "UTF8": 0x00'), { code: '22021' });
  assert.equal(refusalOfError(nul).reason, 'validation_failed', 'the caller must remove the NUL');
  assert.deepEqual(refusalOfError(new UnavailableError('no writer')), {
    ok: false,
    reason: 'unavailable',
    detail: 'no writer',
  });
});
