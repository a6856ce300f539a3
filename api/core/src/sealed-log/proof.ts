import { subtreeHash, TILE_WIDTH } from './edge.ts';
import { nodeHash, sameBytes, type Sha256 } from './hashing.ts';

/** `to` is excluded. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** A subtree of 2^level entries; `index` counts the subtrees of that level from the left. */
interface TreeNode {
  readonly level: number;
  readonly index: number;
}

/** The largest power of two below `count`, which is at least 2. */
function splitOf(count: number): number {
  let split = 1;
  while (split * 2 < count) split *= 2;
  return split;
}

/** Subtrees of the proof, from the leaf up (RFC 9162, 2.1.3.1). Throws RangeError if the tree lacks the entry. */
export function inclusionRanges(position: number, size: number): readonly Range[] {
  if (!(position >= 0 && position < size)) throw new RangeError(`a tree of ${size} entries has no entry ${position}`);
  const ranges: Range[] = [];
  for (let from = 0, to = size; to - from > 1;) {
    const middle = from + splitOf(to - from);
    const left = position < middle;
    ranges.unshift(left ? { from: middle, to } : { from, to: middle });
    if (left) to = middle;
    else from = middle;
  }
  return ranges;
}

/** Subtrees of the proof (RFC 9162, 2.1.4.1). Throws RangeError if `first` is 0 or greater than `second`. */
export function consistencyRanges(first: number, second: number): readonly Range[] {
  if (!(first >= 1 && first <= second))
    throw new RangeError(`a tree of ${first} entries cannot be a prefix of a tree of ${second} entries`);
  const ranges: Range[] = [];
  let [from, to, whole] = [0, second, true];
  while (first < to) {
    const middle = from + splitOf(to - from);
    if (first <= middle) {
      ranges.unshift({ from: middle, to });
      to = middle;
    } else {
      ranges.unshift({ from, to: middle });
      from = middle;
      whole = false;
    }
  }
  return whole ? ranges : [{ from, to }, ...ranges];
}

/** From left to right. The range must begin at the edge of a subtree. */
export function nodesOf({ from, to }: Range): readonly TreeNode[] {
  const nodes: TreeNode[] = [];
  for (let at = from; at < to;) {
    let level = 0;
    for (let count = 2; at % count === 0 && at + count <= to; count *= 2) level += 1;
    nodes.push({ level, index: at / 2 ** level });
    at += 2 ** level;
  }
  return nodes;
}

/** The part of a tile below a node: `count` hashes from number `from`. */
export function tileOfNode({ level, index }: TreeNode): {
  readonly level: number;
  readonly number: number;
  readonly from: number;
  readonly count: number;
} {
  const tileLevel = Math.floor(level / 8);
  const count = 2 ** (level % 8);
  const first = index * count;
  return { level: tileLevel, number: Math.floor(first / TILE_WIDTH), from: first % TILE_WIDTH, count };
}

export function rangeHash(
  range: Range,
  hashesOf: (tile: { readonly level: number; readonly number: number }) => Uint8Array,
  sha256: Sha256,
): Uint8Array {
  const hashes = nodesOf(range).map((node) => {
    const tile = tileOfNode(node);
    return subtreeHash(hashesOf(tile), tile, sha256);
  });
  return hashes.reduceRight((right, left) => nodeHash(left, right, sha256));
}

export interface Inclusion {
  readonly position: number;
  readonly size: number;
  readonly hash: Uint8Array;
  readonly proof: readonly Uint8Array[];
}

/** Null if the number of hashes is wrong or the tree has no such entry. */
export function rootByInclusion({ position, size, hash, proof }: Inclusion, sha256: Sha256): Uint8Array | null {
  if (!(position >= 0 && position < size)) return null;
  const ranges = inclusionRanges(position, size);
  if (ranges.length !== proof.length) return null;
  return proof.reduce(
    (root, next, index) =>
      (ranges[index]?.from ?? 0) > position ? nodeHash(root, next, sha256) : nodeHash(next, root, sha256),
    hash,
  );
}

export interface Consistency {
  readonly first: { readonly size: number; readonly root: Uint8Array };
  readonly second: { readonly size: number; readonly root: Uint8Array };
  readonly proof: readonly Uint8Array[];
}

/** The roots that a proof computes. If the first tree is a full subtree of the second, the proof omits its root. */
function climb(
  { first, proof }: Consistency,
  ranges: readonly Range[],
  sha256: Sha256,
): readonly [Uint8Array, Uint8Array] {
  const whole = ranges.every(({ from }) => from >= first.size);
  const [seed = first.root, ...rest] = whole ? [first.root, ...proof] : proof;
  let [firstRoot, secondRoot] = [seed, seed];
  for (const [index, { from }] of (whole ? ranges : ranges.slice(1)).entries()) {
    const next = rest[index] ?? seed;
    const isRight = from >= first.size;
    secondRoot = isRight ? nodeHash(secondRoot, next, sha256) : nodeHash(next, secondRoot, sha256);
    if (!isRight) firstRoot = nodeHash(next, firstRoot, sha256);
  }
  return [firstRoot, secondRoot];
}

/** RFC 9162, 2.1.4. */
export function isConsistent(claim: Consistency, sha256: Sha256): boolean {
  const { first, second, proof } = claim;
  if (first.size === 0) return proof.length === 0;
  if (first.size > second.size) return false;
  const ranges = consistencyRanges(first.size, second.size);
  if (ranges.length !== proof.length) return false;
  const [firstRoot, secondRoot] = climb(claim, ranges, sha256);
  return sameBytes(firstRoot, first.root) && sameBytes(secondRoot, second.root);
}
