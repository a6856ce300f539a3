import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { pluck } from '@hamlet/test/env/pluck';
import { EMPTY_EDGE, growEdge, rootOf, TILE_WIDTH } from './edge.ts';
import { HASH_BYTES, hashAt, leafHash, nodeHash, type Sha256 } from './hashing.ts';
import { consistencyRanges, inclusionRanges, isConsistent, nodesOf, type Range, rootByInclusion } from './proof.ts';

const sha256: Sha256 = (bytes) => hash('sha256', bytes, 'buffer');
const leaf = (index: number): Uint8Array => leafHash(Buffer.from(`entry ${index}`), sha256);
const pairs = (ranges: readonly Range[]): readonly (readonly [number, number])[] =>
  ranges.map(({ from, to }) => [from, to]);

test('the example proofs have the subtrees of RFC 9162, section 2.1.5', () => {
  assert.deepEqual(pairs(inclusionRanges(0, 7)), [
    [1, 2],
    [2, 4],
    [4, 7],
  ]);
  assert.deepEqual(pairs(inclusionRanges(3, 7)), [
    [2, 3],
    [0, 2],
    [4, 7],
  ]);
  assert.deepEqual(pairs(inclusionRanges(4, 7)), [
    [5, 6],
    [6, 7],
    [0, 4],
  ]);
  assert.deepEqual(pairs(inclusionRanges(6, 7)), [
    [4, 6],
    [0, 4],
  ]);
  assert.deepEqual(pairs(consistencyRanges(3, 7)), [
    [2, 3],
    [3, 4],
    [0, 2],
    [4, 7],
  ]);
  assert.deepEqual(pairs(consistencyRanges(4, 7)), [[4, 7]]);
  assert.deepEqual(pairs(consistencyRanges(6, 7)), [
    [4, 6],
    [6, 7],
    [0, 4],
  ]);
  assert.deepEqual(pairs(consistencyRanges(7, 7)), [], 'the proof that a tree is a prefix of itself is empty');
});

test('a range consists of the fewest full subtrees', () => {
  const cases: readonly (readonly [Range, readonly (readonly [level: number, index: number])[]])[] = [
    [{ from: 0, to: 1 }, [[0, 0]]],
    [{ from: 0, to: 4 }, [[2, 0]]],
    [
      { from: 4, to: 7 },
      [
        [1, 2],
        [0, 6],
      ],
    ],
    [
      { from: 512, to: 1_100 },
      [
        [9, 1],
        [6, 16],
        [3, 136],
        [2, 274],
      ],
    ],
    [{ from: 3, to: 3 }, []],
  ];
  for (const [range, nodes] of cases)
    assert.deepEqual(pluck(nodesOf(range), 'level', 'index'), nodes, JSON.stringify(range));
});

test('an entry that is not in the tree has no proof', () => {
  const two = { size: 2, hash: leaf(0), proof: [leaf(1)] };
  assert.deepEqual(
    Buffer.from(rootByInclusion({ ...two, position: 0 }, sha256) ?? []),
    Buffer.from(nodeHash(leaf(0), leaf(1), sha256)),
  );
  for (const position of [-1, 2, 3, Number.NaN])
    assert.equal(rootByInclusion({ ...two, position }, sha256), null, `${position} of 2`);
  assert.equal(rootByInclusion({ position: 0, size: 0, hash: leaf(0), proof: [] }, sha256), null);
});

test('the empty tree is a prefix of every tree, a larger tree of none', () => {
  const tree = (size: number): { readonly size: number; readonly root: Uint8Array } => ({ size, root: leaf(size) });
  const empty = { size: 0, root: sha256(new Uint8Array(0)) };
  assert.ok(isConsistent({ first: empty, second: tree(5), proof: [] }, sha256));
  assert.ok(isConsistent({ first: empty, second: empty, proof: [] }, sha256));
  assert.ok(!isConsistent({ first: empty, second: tree(5), proof: [leaf(0)] }, sha256), 'a hash that proves nothing');
  assert.ok(!isConsistent({ first: tree(5), second: tree(4), proof: [] }, sha256));
  assert.ok(!isConsistent({ first: tree(5), second: empty, proof: [] }, sha256));
});

test('computing a root takes one hash for each pair of neighbours', () => {
  let asked = 0;
  const counting: Sha256 = (bytes) => {
    asked += 1;
    return sha256(bytes);
  };
  const leaves = Buffer.concat(Array.from({ length: TILE_WIDTH }, (_, index) => leaf(index)));
  const { edge } = growEdge(EMPTY_EDGE, leaves, counting);
  assert.equal(asked, TILE_WIDTH - 1);
  rootOf(edge, counting);
  assert.equal(asked, TILE_WIDTH - 1, 'the root of a full tile is known');
});

test('hashAt finds a hash among concatenated ones', () => {
  const hashes = Buffer.concat([leaf(0), leaf(1), leaf(2)]);
  for (const index of [0, 1, 2]) assert.deepEqual(Buffer.from(hashAt(hashes, index)), Buffer.from(leaf(index)));
  assert.equal(hashAt(hashes, 1).length, HASH_BYTES);
});
