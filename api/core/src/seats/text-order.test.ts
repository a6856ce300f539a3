import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textOrder } from './text-order.ts';

test('texts are ordered by code units, and a text that is missing comes last', () => {
  const texts = ['b', undefined, 'a', 'B', 'ab', undefined];
  assert.deepEqual(
    texts.map((text) => [text]).toSorted(([a], [b]) => textOrder(a, b)),
    [['B'], ['a'], ['ab'], ['b'], [undefined], [undefined]],
  );
  assert.deepEqual([textOrder('a', 'b'), textOrder('b', 'a'), textOrder('a', 'a')], [-1, 1, 0]);
  assert.deepEqual([textOrder(undefined, 'a'), textOrder('a', undefined), textOrder(undefined, undefined)], [1, -1, 0]);
});
