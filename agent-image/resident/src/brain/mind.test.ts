import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BOARD_ENTRIES_MAX as MAX, withEntry, withText } from './mind.ts';

const names = Array.from({ length: MAX }, (_, index) => `n${index}`);

test('a list has a maximum length, drops its oldest entries, and contains each entry once', () => {
  assert.deepEqual(withText([], 'a', MAX), ['a']);
  assert.deepEqual(withText(['a', 'b', 'c'], 'a', MAX), ['b', 'c', 'a']);
  assert.deepEqual(withText(names.slice(1), 'new', MAX), [...names.slice(1), 'new'], 'the last place');
  assert.deepEqual(withText(names, 'new', MAX), [...names.slice(1), 'new']);
});

test('a table has a maximum length, drops its oldest entries, and keeps the newest value', () => {
  const table = Object.fromEntries(names.map((name, index) => [name, index]));
  assert.deepEqual(withEntry({}, ['a', 1], MAX), { a: 1 });
  assert.deepEqual(Object.entries(withEntry({ a: 1, b: 2 }, ['a', 3], MAX)), [
    ['b', 2],
    ['a', 3],
  ]);
  assert.deepEqual(Object.entries(withEntry(table, ['new', 99], MAX)), [
    ...Object.entries(table).slice(1),
    ['new', 99],
  ]);
  assert.deepEqual(
    Object.entries(withEntry(table, ['n3', 99], MAX)),
    [...Object.entries(table).filter(([name]) => name !== 'n3'), ['n3', 99]],
    'an existing key pushes no other key out',
  );
});
