import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CallSlots } from './call-slots.ts';

type Piece = Parameters<CallSlots['of']>[0];
/** A piece of a call; `words` has the name and then the arguments, if there are any. */
function piece(index: number | null, id = '', words = ''): Piece {
  const [name = '', text = ''] = words.split(' ');
  return { index, id, name, arguments: text };
}

const CASES: readonly (readonly [string, readonly Piece[], readonly number[]])[] = [
  ['numbered, in turns', [piece(0, 'a', 'x'), piece(1, 'b', 'y'), piece(0), piece(1), piece(0)], [0, 1, 0, 1, 0]],
  [
    'numbered, with the id in every piece',
    [piece(0, 'a', 'x'), piece(0, 'a'), piece(1, 'b', 'y'), piece(1, 'b')],
    [0, 0, 1, 1],
  ],
  ['all numbered 0 with different ids', [piece(0, 'a', 'x'), piece(0), piece(0, 'b', 'y'), piece(0)], [0, 0, 1, 1]],
  ['numbered 0 again after another id', [piece(0, 'a', 'x'), piece(0, 'b', 'y'), piece(0, 'a')], [0, 1, 0]],
  [
    'numbered, with one id for all',
    [piece(0, 'a', 'x'), piece(1, 'a', 'x'), piece(0, 'a'), piece(1, 'a')],
    [0, 1, 0, 1],
  ],
  ['numbered only after their first piece', [piece(null, 'a', 'x'), piece(0, 'a'), piece(0)], [0, 0, 0]],
  ['given their id only after their first piece', [piece(0, '', 'x'), piece(0, 'a'), piece(0)], [0, 0, 0]],
  ['without numbers, with ids', [piece(null, 'a', 'x'), piece(null, 'b', 'y'), piece(null, 'a')], [0, 1, 0]],
  ['without numbers and ids', [piece(null, '', 'x'), piece(null), piece(null, '', 'y'), piece(null)], [0, 0, 1, 1]],
  ['named after their arguments', [piece(null, 'a', ' {'), piece(null, 'a', 'x }')], [0, 0]],
  ['named after their arguments, without an id', [piece(null, '', ' {'), piece(null, '', 'x }')], [0, 0]],
  ['whole, with one id and number for all', [piece(0, 'a', 'x {}'), piece(0, 'a', 'x {"b":1}')], [0, 1]],
  ['whole, with one id for all', [piece(null, 'a', 'x {}'), piece(null, 'a', 'x {"b":1}')], [0, 1]],
  ['named in every piece', [piece(0, 'a', 'x {"b"'), piece(0, 'a', 'x :1}'), piece(0, 'a', 'x')], [0, 0, 0]],
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
