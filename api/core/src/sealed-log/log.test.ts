/** The tree, its tiles, proofs and notes, compared with the definitions of RFC 6962 and with test vectors of other implementations. */
import assert from 'node:assert/strict';
import { createPublicKey, hash, verify } from 'node:crypto';
import { test } from 'node:test';
import { edgeOf, EMPTY_EDGE, growEdge, partialTiles, rootOf, TILE_WIDTH } from './edge.ts';
import { HASH_BYTES, leafHash, nodeHash, type Sha256 } from './hashing.ts';
import { openNote, readCheckpoint, readVerifierKey, writeCheckpoint, writeNote, writeVerifierKey } from './note.ts';
import type { NoteCrypto } from './note.ts';
import { consistencyRanges, inclusionRanges, isConsistent, rangeHash, rootByInclusion } from './proof.ts';
import { openRecord } from './sealed-record.ts';
import { readEntryBundle, readTilePath, tilePath, tilesOfLevel, writeEntryBundle } from './tiles.ts';

const sha256: Sha256 = (bytes) => hash('sha256', bytes, 'buffer');
const CRYPTO: NoteCrypto = {
  sha256,
  verify: (message, signature, publicKey) =>
    verify(
      null,
      message,
      createPublicKey({
        key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKey).toString('base64url') },
        format: 'jwk',
      }),
      signature,
    ),
};
const SIZE = 1_100;
const leaves = Array.from({ length: SIZE }, (_, index) => leafHash(Buffer.from(`entry ${index}`), sha256));

/** MTH of RFC 6962, section 2.1, literally. */
function treeHash(hashes: readonly Uint8Array[]): Uint8Array {
  const [first] = hashes;
  if (first === undefined) return sha256(new Uint8Array(0));
  if (hashes.length === 1) return first;
  let split = 1;
  while (split * 2 < hashes.length) split *= 2;
  return nodeHash(treeHash(hashes.slice(0, split)), treeHash(hashes.slice(split)), sha256);
}

function concat(hashes: readonly Uint8Array[]): Uint8Array {
  return Buffer.concat(hashes);
}

/** All tiles of a tree that grew in several steps. */
function grown(
  size: number,
  step: number,
): { readonly root: Uint8Array; readonly tiles: ReadonlyMap<string, Uint8Array> } {
  const tiles = new Map<string, Uint8Array>();
  let edge = EMPTY_EDGE;
  for (let at = 0; at < size; at += step) {
    const next = growEdge(edge, concat(leaves.slice(at, Math.min(at + step, size))), sha256);
    edge = next.edge;
    for (const { level, number, hashes } of [...next.full, ...partialTiles(edge)])
      tiles.set(`${level}/${number}`, hashes);
  }
  assert.equal(edge.size, size);
  return { root: rootOf(edge, sha256), tiles };
}

test('a tree grown in any steps has the root of RFC 6962, and its tiles contain its edge', () => {
  assert.equal(
    Buffer.from(rootOf(EMPTY_EDGE, sha256)).toString('hex'),
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  );
  for (const size of [1, 2, 3, 7, 8, 255, 256, 257, 511, 512, 700, SIZE]) {
    const expected = treeHash(leaves.slice(0, size));
    for (const step of [1, 7, 256, 1_000])
      assert.deepEqual(Buffer.from(grown(size, step).root), Buffer.from(expected), `${size} in steps of ${step}`);
  }
  const { tiles } = grown(SIZE, 13);
  for (const size of [1, 255, 256, 300, 512, 1_024, SIZE]) {
    const edge = edgeOf(size, ({ level, number }) => tiles.get(`${level}/${number}`) ?? new Uint8Array(0));
    assert.deepEqual(
      Buffer.from(rootOf(edge, sha256)),
      Buffer.from(treeHash(leaves.slice(0, size))),
      `the edge at ${size}`,
    );
  }
});

test('every entry has a proof, and a proof for anything else fails', () => {
  const { tiles } = grown(SIZE, SIZE);
  const hashesOf = ({ level, number }: { level: number; number: number }): Uint8Array =>
    tiles.get(`${level}/${number}`) ?? new Uint8Array(0);
  for (const size of [1, 2, 3, 5, 8, 256, 257, 700, SIZE]) {
    const root = Buffer.from(treeHash(leaves.slice(0, size)));
    for (let position = 0; position < size; position += size > 20 ? 37 : 1) {
      const proof = inclusionRanges(position, size).map((range) => rangeHash(range, hashesOf, sha256));
      const own = leaves[position] ?? new Uint8Array(0);
      const led = rootByInclusion({ position, size, hash: own, proof }, sha256);
      assert.ok(led !== null && root.equals(led), `${position} of ${size}`);
      const other = rootByInclusion({ position, size, hash: leafHash(Buffer.from('another'), sha256), proof }, sha256);
      assert.ok(other !== null && !root.equals(other));
      assert.equal(
        rootByInclusion({ position, size, hash: own, proof: [...proof, own] }, sha256),
        null,
        'one hash too many',
      );
    }
  }
  assert.throws(() => inclusionRanges(5, 5), RangeError);
});

test('a consistency proof holds for a prefix of a tree, and fails for any other tree', () => {
  const { tiles } = grown(SIZE, SIZE);
  const hashesOf = ({ level, number }: { level: number; number: number }): Uint8Array =>
    tiles.get(`${level}/${number}`) ?? new Uint8Array(0);
  for (const [from, to] of [
    [1, 1],
    [1, 2],
    [2, 3],
    [3, 7],
    [4, 7],
    [6, 8],
    [255, 256],
    [256, 700],
    [300, 700],
    [512, SIZE],
    [699, SIZE],
  ] as const) {
    const proof = consistencyRanges(from, to).map((range) => rangeHash(range, hashesOf, sha256));
    const first = { size: from, root: treeHash(leaves.slice(0, from)) };
    const second = { size: to, root: treeHash(leaves.slice(0, to)) };
    assert.ok(isConsistent({ first, second, proof }, sha256), `${from} to ${to}`);
    const forged = { size: from, root: treeHash(leaves.slice(1, from + 1)) };
    assert.ok(!isConsistent({ first: forged, second, proof }, sha256));
    if (proof.length > 0) assert.ok(!isConsistent({ first, second, proof: proof.slice(1) }, sha256));
  }
  assert.throws(() => consistencyRanges(9, 8), RangeError);
});

test('tiles have the paths of C2SP tlog-tiles', () => {
  assert.equal(tilePath({ number: 1_234_067, width: TILE_WIDTH }), 'x001/x234/067');
  assert.equal(tilePath({ number: 0, width: 8 }), '000.p/8');
  for (const address of [
    { number: 0, width: 256 },
    { number: 999, width: 255 },
    { number: 1_000, width: 1 },
  ])
    assert.deepEqual(readTilePath(tilePath(address)), address);
  for (const wrong of [
    '',
    '0',
    '1000',
    'x000/067',
    '067.p/0',
    '067.p/256',
    '067.p/300',
    'x001/67',
    '../067',
    'x001/x234/067/',
  ])
    assert.equal(readTilePath(wrong), null, wrong);
  assert.deepEqual(tilesOfLevel(70_000, 0).at(-1), { number: 273, width: 112 });
  assert.deepEqual(tilesOfLevel(70_000, 1), [
    { number: 0, width: 256 },
    { number: 1, width: 17 },
  ]);
  assert.deepEqual(tilesOfLevel(70_000, 3), []);
});

test('a note of another implementation verifies, and a changed note does not', () => {
  const key = readVerifierKey('PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW', sha256);
  assert.ok(key !== null);
  const text = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
  const note = `${text}\n\u2014 PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n`;
  assert.equal(openNote(note, key, CRYPTO), text);
  assert.equal(openNote(note.replace('answer', 'riddle'), key, CRYPTO), null);
  assert.equal(openNote(note, { ...key, name: 'Somebody' }, CRYPTO), null);
  assert.equal(openNote(text, key, CRYPTO), null);
  assert.equal(
    readVerifierKey('PeterNeumann+c74f20a4+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW', sha256),
    null,
    'id and key do not belong together',
  );
  assert.equal(writeVerifierKey(key, sha256), 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW');
  const signature = Uint8Array.fromBase64(
    'x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=',
  ).slice(4);
  assert.equal(writeNote(text, { key, signature }, sha256), note);
});

test('a formatted checkpoint parses to itself, and any other text is refused', () => {
  const checkpoint = { origin: 'hamlet.village/test', size: 20_852_163, root: treeHash(leaves) };
  const text = writeCheckpoint(checkpoint);
  assert.deepEqual(readCheckpoint(text), { ...checkpoint, root: new Uint8Array(checkpoint.root) });
  assert.equal(readCheckpoint(`${text}an extension\n`)?.size, 20_852_163);
  for (const wrong of [
    '',
    'origin\n1\n',
    text.trimEnd(),
    text.replace('20852163', '020852163'),
    text.replace('20852163', '-1'),
    text.replace('20852163', '9007199254740992'),
  ])
    assert.equal(readCheckpoint(wrong), null, wrong);
});

test('a bundle separates entries by their lengths', () => {
  const entries = [new Uint8Array(0), Buffer.from('one'), new Uint8Array(65_535).fill(7)];
  const bundle = writeEntryBundle(entries);
  assert.deepEqual(
    readEntryBundle(bundle)?.map((entry) => Buffer.from(entry)),
    entries.map((entry) => Buffer.from(entry)),
  );
  assert.equal(readEntryBundle(bundle.subarray(0, -1)), null);
  assert.throws(() => writeEntryBundle([new Uint8Array(65_536)]), RangeError);
});

test('a record is read field by field, and bytes that are not a record are refused', () => {
  const field = (type: number, bytes: Uint8Array | null): Buffer => {
    const head = Buffer.alloc(8);
    head.writeInt32BE(type, 0);
    head.writeInt32BE(bytes === null ? -1 : bytes.length, 4);
    return Buffer.concat([head, bytes ?? new Uint8Array(0)]);
  };
  const number = Buffer.alloc(8);
  number.writeBigInt64BE(-5n);
  const bytes = Buffer.concat([
    Buffer.from([0, 0, 0, 4]),
    field(25, Buffer.from('wörd')),
    field(20, number),
    field(25, null),
    field(16, Buffer.from([1])),
  ]);
  const record = openRecord(bytes);
  assert.deepEqual(
    [record.count, record.field(0), record.field(1), record.field(2), record.field(3)],
    [4, 'wörd', -5n, null, true],
  );
  assert.throws(() => record.field(4), RangeError);
  assert.throws(() => openRecord(bytes.subarray(0, -1)), RangeError);
  assert.throws(() => openRecord(Buffer.concat([bytes, Buffer.from([0])])), RangeError);
  assert.equal(HASH_BYTES, 32);
});

test("only a signature with the key's name and id counts, at any position", () => {
  const key = { name: 'village', publicKey: new Uint8Array(32).fill(1) };
  const sameName = { name: 'village', publicKey: new Uint8Array(32).fill(2) };
  const signature = new Uint8Array(64).fill(7);
  // Every signature verifies here, so a signature can be ignored only for its name or key.
  const gullible: NoteCrypto = { sha256, verify: () => true };
  const text = 'checkpoint\n';
  const ours = writeNote(text, { key, signature }, sha256);
  assert.equal(openNote(ours, key, gullible), text);
  assert.equal(
    openNote(writeNote(text, { key: sameName, signature }, sha256), key, gullible),
    null,
    'another key with the same name',
  );
  assert.equal(
    openNote(ours.replace('\u2014 village', '\u2014 stranger'), key, gullible),
    null,
    "the key's id with another name",
  );
  assert.equal(
    openNote(writeNote(text, { key, signature: signature.slice(1) }, sha256), key, gullible),
    null,
    'a signature that is too short',
  );
  const both = writeNote(text, { key: sameName, signature }, sha256) + ours.slice(ours.indexOf('\u2014'));
  assert.equal(openNote(both, key, gullible), text);
});
