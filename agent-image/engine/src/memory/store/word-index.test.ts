import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expressionOf, weightOf } from './word-index.ts';

const term = (word: string, rows: number) => ({ word, rows, weight: weightOf(rows, 100_000), isName: false });

test('rare words find by themselves, frequent ones only with a rarer one, and the most frequent not at all', () => {
  const cases = [
    [[], null],
    [[term('a', 1)], '"a"'],
    [[term('a', 90_000)], '"a"'],
    [[term('a', 10), term('b', 20)], '"a" OR "b"'],
    [[term('a', 10), term('b', 6_000)], '"a" OR ("b" AND ("a"))'],
    [[term('a', 6_000), term('b', 7_000)], '("b" AND ("a"))'],
    [
      [term('a', 4_000), term('b', 4_000), term('c', 5_000), term('d', 9_000), term('e', 9_000)],
      '"a" OR ("b" AND ("a")) OR ("c" AND ("a" OR "b"))',
    ],
  ] as const;
  for (const [terms, expected] of cases) assert.equal(expressionOf(terms), expected);
});
