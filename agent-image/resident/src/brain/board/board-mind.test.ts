import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BOARD_ENTRIES_MAX, withPassed, withRecent } from './board-mind.ts';

const names = Array.from({ length: BOARD_ENTRIES_MAX }, (_, index) => `n${index}`);

test('a list keeps as many as the memory holds, the oldest go first, and each is in it once', () => {
  assert.deepEqual(withPassed([], 'a'), ['a']);
  assert.deepEqual(withPassed(['a', 'b', 'c'], 'a'), ['b', 'c', 'a']);
  assert.deepEqual(withPassed(names.slice(1), 'new'), [...names.slice(1), 'new'], 'the last place');
  assert.deepEqual(withPassed(names, 'new'), [...names.slice(1), 'new']);
});

test('a table keeps as many as the memory holds, the oldest go first, and a name has its newest value', () => {
  const table = Object.fromEntries(names.map((name, index) => [name, index]));
  assert.deepEqual(withRecent({}, 'a', 1), { a: 1 });
  assert.deepEqual(Object.entries(withRecent({ a: 1, b: 2 }, 'a', 3)), [
    ['b', 2],
    ['a', 3],
  ]);
  assert.deepEqual(Object.entries(withRecent(table, 'new', 99)), [...Object.entries(table).slice(1), ['new', 99]]);
  assert.deepEqual(
    Object.entries(withRecent(table, 'n3', 99)),
    [...Object.entries(table).filter(([name]) => name !== 'n3'), ['n3', 99]],
    'one that is there pushes nobody out',
  );
});
