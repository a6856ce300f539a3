import assert from 'node:assert/strict';
import { test } from 'node:test';
import { soughtOf, weightOf } from './word-index.ts';

const term = (word: string, rows: number) => ({ word, rows, weight: weightOf(rows, 100_000), isName: false });

test('rare words find by themselves, frequent ones only with a rarer one, and the most frequent not at all', () => {
  const cases = [
    [[], []],
    [[term('a', 1)], ['"a"']],
    [[term('a', 90_000)], ['"a"']],
    [
      [term('a', 10), term('b', 20)],
      ['"a"', '"b"'],
    ],
    [
      [term('a', 10), term('b', 6_000)],
      ['"a"', '("b" AND ("a"))'],
    ],
    [[term('a', 6_000), term('b', 7_000)], ['("b" AND ("a"))']],
    [
      [term('a', 4_000), term('b', 4_000), term('c', 5_000), term('d', 9_000), term('e', 9_000)],
      ['"a"', '("b" AND ("a"))', '("c" AND ("a" OR "b"))'],
    ],
  ] as const;
  for (const [terms, expected] of cases) {
    const sought = soughtOf(terms);
    assert.deepEqual(
      sought.map(({ expression }) => expression),
      expected,
    );
    // An expression begins with its own word.
    for (const { expression, weight } of sought)
      assert.equal(weight, terms.find(({ word }) => word === /\w/.exec(expression)?.[0])?.weight);
  }
});
