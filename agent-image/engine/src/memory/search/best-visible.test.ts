import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Filter } from '../store/filter.ts';
import { bestVisible } from './best-visible.ts';

const filter: Filter = { audiences: null, repository: null, place: null, besides: null, kind: null, layers: null };

test('the best visible memories are found, even if few of the best are visible; among equal ones the newest come first', () => {
  const scores = new Map(Array.from({ length: 1_000 }, (_, seq) => [seq, Math.floor(seq / 3)]));
  for (const [visible, limit] of [
    [() => true, 5],
    [(seq: number) => seq % 100 === 7, 4],
    [(seq: number) => seq < 3, 10],
    [() => false, 3],
  ] as const) {
    const table = { visible: (seqs: readonly number[]) => seqs.filter(visible) };
    const expected = [...scores.keys()].filter(visible).toReversed().slice(0, limit);
    assert.deepEqual(bestVisible(table, scores, { filter, limit }), expected);
  }
  assert.deepEqual(bestVisible({ visible: (seqs) => seqs }, new Map(), { filter, limit: 3 }), []);
});
