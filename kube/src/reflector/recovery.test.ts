import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KubeError } from '../client/kube-error.ts';
import { recoveryOf } from './recovery.ts';

const refused = (status: number, retryAfterMs?: number): KubeError =>
  new KubeError({ status, reason: 'x', message: 'x', retryAfterMs });

const TABLE: readonly (readonly [string, unknown, number, ReturnType<typeof recoveryOf>])[] = [
  ['410 once', refused(410), 1, { action: 'relist', delayMs: 0, cause: 'expired' }],
  ['410 again', refused(410), 3, { action: 'relist', delayMs: 3_200, cause: 'expired' }],
  ['429', refused(429), 1, { action: 'resume', delayMs: 800, cause: 'throttled' }],
  ['429 with Retry-After', refused(429, 7_000), 1, { action: 'resume', delayMs: 7_000, cause: 'throttled' }],
  ['403', refused(403), 1, { action: 'resume', delayMs: 15_000, cause: 'forbidden' }],
  ['500', refused(500), 2, { action: 'resume', delayMs: 1_600, cause: 'server' }],
  ['503 with Retry-After', refused(503, 9_000), 1, { action: 'resume', delayMs: 9_000, cause: 'server' }],
  ['400', refused(400), 1, { action: 'relist', delayMs: 800, cause: 'server' }],
  ['a reset', new Error('socket hang up'), 1, { action: 'resume', delayMs: 800, cause: 'connection' }],
  [
    'half a line',
    new SyntaxError('Unexpected end of JSON input'),
    1,
    { action: 'resume', delayMs: 800, cause: 'protocol' },
  ],
];

for (const [name, error, failures, recovery] of TABLE) {
  test(name, () => assert.deepEqual(recoveryOf(error, failures, 0), recovery));
}
