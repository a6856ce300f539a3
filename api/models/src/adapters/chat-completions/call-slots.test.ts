import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CallSlots } from './chat-reply.ts';

type Piece = Parameters<CallSlots['of']>[0];
const piece = (index: number | null, id = '', name = ''): Piece => ({ index, id, name });

const CASES: readonly (readonly [string, readonly Piece[], readonly number[]])[] = [
  ['numbered, in turns', [piece(0, 'a', 'x'), piece(1, 'b', 'y'), piece(0), piece(1), piece(0)], [0, 1, 0, 1, 0]],
  [
    'numbered, with the id in every piece',
    [piece(0, 'a', 'x'), piece(0, 'a'), piece(1, 'b', 'y'), piece(1, 'b')],
    [0, 0, 1, 1],
  ],
  ['all numbered 0 with different ids', [piece(0, 'a', 'x'), piece(0), piece(0, 'b', 'y'), piece(0)], [0, 0, 1, 1]],
  ['without numbers, with ids', [piece(null, 'a', 'x'), piece(null, 'b', 'y'), piece(null, 'a')], [0, 1, 0]],
  ['without numbers and ids', [piece(null, '', 'x'), piece(null), piece(null, '', 'y'), piece(null)], [0, 0, 1, 1]],
];

for (const [title, pieces, slots] of CASES) {
  test(`pieces of parallel calls are joined if they are ${title}`, () => {
    const seen = new CallSlots();
    assert.deepEqual(
      pieces.map((one) => seen.of(one)),
      slots,
    );
  });
}
