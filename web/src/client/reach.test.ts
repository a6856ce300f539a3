import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Reach } from './reach.ts';
import { createStore } from './store.ts';

test('the API is unreachable from the first request without an answer until the next answer', () => {
  const store = createStore<{ readonly unreachableSince: number | null }>({ unreachableSince: null });
  const reach = new Reach(store);
  const since = (): number | null => store.get().unreachableSince;
  reach.answered(1_000);
  reach.missed(900);
  assert.equal(since(), null, 'the API answered after this request began');
  reach.missed(2_000);
  reach.missed(3_000);
  assert.equal(since(), 2_000);
  reach.answered(4_000);
  assert.equal(since(), null);
});
