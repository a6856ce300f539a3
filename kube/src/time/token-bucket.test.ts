import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../testing/fake-clock.ts';
import { TokenBucket } from './token-bucket.ts';

test('a burst of tokens, then one as soon as the reported wait is over', () => {
  const clock = new FakeClock();
  const bucket = new TokenBucket({ perSecond: 4, burst: 2 }, clock);
  assert.deepEqual([bucket.waitMs, bucket.take(), bucket.take(), bucket.take()], [0, true, true, false]);
  assert.equal(bucket.waitMs, 250);
  clock.pass(125);
  assert.deepEqual([bucket.waitMs, bucket.take()], [125, false]);
  clock.pass(125);
  assert.deepEqual([bucket.waitMs, bucket.take(), bucket.take()], [0, true, false]);
});

test('a long pause fills the bucket up to the burst', () => {
  const clock = new FakeClock();
  const bucket = new TokenBucket({ perSecond: 4, burst: 2 }, clock);
  clock.pass(3_600_000);
  assert.deepEqual([bucket.take(), bucket.take(), bucket.take()], [true, true, false]);
});
