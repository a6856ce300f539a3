import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errorOfAnswer, errorOfStatus } from './kube-error.ts';

const body = (fields: object): string => JSON.stringify({ kind: 'Status', status: 'Failure', ...fields });

const ANSWERS: readonly (readonly [string, number, string, string | undefined, readonly unknown[]])[] = [
  [
    'a Status',
    409,
    body({ reason: 'Conflict', message: 'it changed', code: 409 }),
    undefined,
    [409, 'Conflict', 'it changed', undefined],
  ],
  [
    'a Status with empty texts',
    500,
    body({ reason: '', message: '' }),
    undefined,
    [500, 'Unknown', 'HTTP 500', undefined],
  ],
  ['the text of a proxy', 502, 'bad gateway', undefined, [502, 'Unknown', 'bad gateway', undefined]],
  ['JSON that is not an object', 500, '"down"', undefined, [500, 'Unknown', '"down"', undefined]],
  ['the JSON null', 500, 'null', undefined, [500, 'Unknown', 'null', undefined]],
  ['an empty body', 503, '', undefined, [503, 'Unknown', 'HTTP 503', undefined]],
  [
    'Retry-After as a header',
    429,
    body({ reason: 'TooManyRequests', message: 'slow' }),
    '3',
    [429, 'TooManyRequests', 'slow', 3_000],
  ],
  [
    'Retry-After in the body, which takes precedence over the header',
    429,
    body({ reason: 'TooManyRequests', message: 'slow', details: { retryAfterSeconds: 2 } }),
    '3',
    [429, 'TooManyRequests', 'slow', 2_000],
  ],
  [
    'Retry-After 0 in both',
    429,
    body({ reason: 'TooManyRequests', message: 'slow', details: { retryAfterSeconds: 0 } }),
    '0',
    [429, 'TooManyRequests', 'slow', undefined],
  ],
  [
    'Retry-After as a date, or of another type',
    503,
    body({ reason: 'Busy', message: 'slow', details: { retryAfterSeconds: '2' } }),
    'Wed, 21 Oct 2026 07:28:00 GMT',
    [503, 'Busy', 'slow', undefined],
  ],
];

for (const [name, status, text, retryAfter, expected] of ANSWERS) {
  test(`the error of an answer with ${name}`, () => {
    const error = errorOfAnswer(status, text, retryAfter);
    assert.deepEqual([error.status, error.reason, error.message, error.retryAfterMs], expected);
  });
}

test('a long answer that is not a Status is shortened to 500 characters', () => {
  assert.equal(errorOfAnswer(502, 'x'.repeat(10_000), undefined).message.length, 500);
  assert.equal(errorOfAnswer(502, `"${'x'.repeat(10_000)}"`, undefined).message.length, 500);
});

test('an ERROR event of a watch has the status of its code, or 500 without one', () => {
  assert.equal(errorOfStatus({ code: 410, reason: 'Expired' }).status, 410);
  assert.equal(errorOfStatus({ code: '410' }).status, 500);
  assert.equal(errorOfStatus({}).message, 'HTTP 500');
});
