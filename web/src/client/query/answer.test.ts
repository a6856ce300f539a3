import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Refused } from '../api.ts';
import { type Answer, answerAfter, waitMs } from './use-live.ts';

const REFUSED: Refused = { code: 'unreachable', title: 'Away', detail: '', status: 0, errors: [] };

test('success keeps the interval; failures double the wait up to 15 s, half of it random', () => {
  assert.equal(waitMs(2000, { failures: 0, chance: 0.7 }), 2000);
  assert.deepEqual(
    [1, 2, 3, 50].map((failures) => waitMs(2000, { failures, chance: 1 })),
    [4000, 8000, 15_000, 15_000],
  );
  assert.equal(waitMs(2000, { failures: 2, chance: 0 }), 4000);
  assert.equal(waitMs(60_000, { failures: 3, chance: 1 }), 60_000, 'a long interval does not grow');
});

test('a failure keeps the last good data with the refusal and increases the count; success resets it', () => {
  const good = answerAfter(undefined, { ok: true, data: 'bread' }, 0.5);
  assert.deepEqual(good, { data: 'bread', refused: null, failures: 0, chance: 0 });
  const failed = answerAfter(good, { ok: false, refused: REFUSED }, 0.5);
  assert.deepEqual(failed, { data: 'bread', refused: REFUSED, failures: 1, chance: 0.5 });
  assert.equal(answerAfter(failed, { ok: false, refused: REFUSED }, 0.5).failures, 2);
  assert.deepEqual(answerAfter(failed, { ok: true, data: 'cake' }, 0.5).failures, 0);
  const none: Answer<string> = answerAfter<string>(undefined, { ok: false, refused: REFUSED }, 0.5);
  assert.equal(none.data, null);
});
