import assert from 'node:assert/strict';
import { test } from 'node:test';
import { windowOf } from './window-of.ts';

test('a long list draws what is in sight and a margin, at its ends too', () => {
  const list = { count: 1000, rowPx: 50, heightPx: 500 };
  assert.deepEqual(windowOf({ ...list, scrollPx: 0 }), { first: 0, end: 18 });
  assert.deepEqual(windowOf({ ...list, scrollPx: 25_000 }), { first: 492, end: 518 });
  assert.deepEqual(windowOf({ ...list, scrollPx: 49_500 }), { first: 982, end: 1000 });
});

test('a list that became shorter than where one has scrolled to draws its end, and an empty one nothing', () => {
  assert.deepEqual(windowOf({ count: 3, rowPx: 50, scrollPx: 9000, heightPx: 500 }), { first: 3, end: 3 });
  assert.deepEqual(windowOf({ count: 0, rowPx: 50, scrollPx: 0, heightPx: 500 }), { first: 0, end: 0 });
});
