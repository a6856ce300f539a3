import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resultRoom } from './result-room.ts';

test('results share half of the free context, and each has a little', () => {
  assert.equal(resultRoom({ contextTokens: null, usedTokens: 0, calls: 1 }), null);
  assert.equal(resultRoom({ contextTokens: 32_000, usedTokens: 12_000, calls: 1 }), 30_000);
  assert.equal(resultRoom({ contextTokens: 32_000, usedTokens: 12_000, calls: 4 }), 7_500);
  assert.equal(resultRoom({ contextTokens: 8_000, usedTokens: 9_000, calls: 0 }), 2_000);
});
