import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TURN_MS, UpgradeTurn } from './upgrade-turn.ts';

test('one agent at a time, the next when it is ready or after a minute', () => {
  const turn = new UpgradeTurn();
  const ready = new Set<string>();
  const ask = (key: string, nowMs: number): boolean => turn.take(key, (holder) => ready.has(holder), nowMs);
  assert.deepEqual([ask('a', 0), ask('b', 1), ask('a', 2)], [true, false, true]);
  ready.add('a');
  assert.deepEqual([ask('b', 3), ask('c', 4)], [true, false]);
  assert.equal(ask('c', 3 + TURN_MS), true);
});
