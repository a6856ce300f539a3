import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idleLimitMs } from './listeners.ts';

test('a connection outlives the longest answer of a model, which sends no byte until it is complete', () => {
  assert.equal(idleLimitMs(600_000), 660_000);
  assert.equal(idleLimitMs(10_000), 300_000);
});
