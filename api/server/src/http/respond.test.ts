import assert from 'node:assert/strict';
import { test } from 'node:test';
import { problemOf, refusalOfError, UnavailableError } from './respond.ts';

test('an exception is opaque to the caller, and a part that is away is said to be', () => {
  const secret = 'password authentication failed for user "app"';
  const internal = problemOf(refusalOfError(new Error(secret)), 'the-request');
  assert.equal(internal.code, 'internal');
  assert.equal(internal.request_id, 'the-request');
  assert.doesNotMatch(JSON.stringify(internal), /password/);
  const lost = Object.assign(new Error(secret), { code: 'ECONNREFUSED' });
  assert.equal(refusalOfError(lost).reason, 'unavailable');
  assert.doesNotMatch(JSON.stringify(refusalOfError(lost)), /password/);
  const nul = Object.assign(new Error('invalid byte sequence for encoding "UTF8": 0x00'), { code: '22021' });
  assert.equal(refusalOfError(nul).reason, 'validation_failed', "a NUL is the sender's to leave out");
  assert.deepEqual(refusalOfError(new UnavailableError('nobody writes')), {
    ok: false,
    reason: 'unavailable',
    detail: 'nobody writes',
  });
});
