/** Compares our trees, tiles, notes and proofs with those of golang.org/x/mod/sumdb, an independent implementation. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { generateKeyPairSync, sign } from 'node:crypto';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import type { Edge, NoteKey, Tile } from '@hamlet/core';
import {
  consistencyRanges,
  EMPTY_EDGE,
  growEdge,
  inclusionRanges,
  isConsistent,
  leafHash,
  partialTiles,
  rangeHash,
  rootByInclusion,
  rootOf,
  sameBytes,
  writeCheckpoint,
  writeNote,
  writeVerifierKey,
} from '@hamlet/core';
import { cases, Seeded } from '@hamlet/test/env/seeded';
import { PLATFORM } from './platform.ts';

const { sha256 } = PLATFORM;
const ENTRIES = cases(10_000, 70_000);
const PROOFS = cases(500, 10_000);
const SECOND = join(import.meta.dirname, '../second');

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

/** Our tree over the entries, extended in uneven steps. */
function ourTree(
  entries: readonly Uint8Array[],
  random: Seeded,
): { readonly edge: Edge; readonly tiles: ReadonlyMap<string, Tile>; rootAt(size: number): Uint8Array } {
  const tiles = new Map<string, Tile>();
  let edge = EMPTY_EDGE;
  while (edge.size < entries.length) {
    const step = entries.slice(edge.size, edge.size + 1 + Math.floor(random.next() * 900));
    const grown = growEdge(edge, Buffer.concat(step.map((entry) => leafHash(entry, sha256))), sha256);
    edge = grown.edge;
    for (const tile of [...grown.full, ...partialTiles(edge)]) tiles.set(`${tile.level}/${tile.number}`, tile);
  }
  const hashesOf = ({ level, number }: { level: number; number: number }): Uint8Array =>
    tiles.get(`${level}/${number}`)?.hashes ?? new Uint8Array(0);
  return { edge, tiles, rootAt: (size) => rangeHash({ from: 0, to: size }, hashesOf, sha256) };
}

async function askSecond(
  document: unknown,
): Promise<{ readonly code: number | null; readonly out: string; readonly error: string }> {
  const child = spawn('go', ['run', '.'], { cwd: SECOND, stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  child.stdin.end(JSON.stringify(document));
  const [out, error, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, out, error };
}

test(`a second implementation agrees with ${PROOFS} proofs of each kind, all tiles and the signed root`, async () => {
  const random = new Seeded(28);
  const entries = Array.from({ length: ENTRIES }, (_, index) => Buffer.from(`entry ${index} ${random.next()}`));
  const { edge, tiles, rootAt } = ourTree(entries, random);
  const hashesOf = ({ level, number }: { level: number; number: number }): Uint8Array =>
    tiles.get(`${level}/${number}`)?.hashes ?? new Uint8Array(0);
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const key: NoteKey = {
    name: 'hamlet.village/second',
    publicKey: Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url'),
  };
  const words = writeCheckpoint({ origin: key.name, size: ENTRIES, root: rootOf(edge, sha256) });
  const inclusion = Array.from({ length: PROOFS }, () => {
    const size = 1 + Math.floor(random.next() * ENTRIES);
    const position = Math.floor(random.next() * size);
    const proof = inclusionRanges(position, size).map((range) => rangeHash(range, hashesOf, sha256));
    const led = rootByInclusion(
      { position, size, hash: leafHash(entries[position] ?? new Uint8Array(0), sha256), proof },
      sha256,
    );
    assert.ok(led !== null && sameBytes(led, rootAt(size)));
    return { Position: position, Size: size, Hashes: proof.map(base64) };
  });
  const consistency = Array.from({ length: PROOFS }, () => {
    const to = 1 + Math.floor(random.next() * ENTRIES);
    const from = 1 + Math.floor(random.next() * to);
    const proof = consistencyRanges(from, to).map((range) => rangeHash(range, hashesOf, sha256));
    assert.ok(
      isConsistent(
        { first: { size: from, root: rootAt(from) }, second: { size: to, root: rootAt(to) }, proof },
        sha256,
      ),
    );
    return { From: from, To: to, Hashes: proof.map(base64) };
  });
  const document = {
    Key: writeVerifierKey(key, sha256),
    Checkpoint: writeNote(words, { key, signature: sign(null, Buffer.from(words), privateKey) }, sha256),
    Entries: entries.map(base64),
    Inclusion: inclusion,
    Consistency: consistency,
    Tiles: [...tiles.values()].map(({ level, number, hashes }) => ({
      Level: level,
      Number: number,
      Hashes: base64(hashes),
    })),
  };
  const { code, out, error } = await askSecond(document);
  assert.equal(code, 0, error);
  assert.equal(Number(out), 2 + tiles.size + 2 * PROOFS);
  const [first] = consistency;
  const forged = await askSecond({
    ...document,
    Consistency: [{ ...first, Hashes: [...(first?.Hashes ?? []), base64(sha256(new Uint8Array(1)))] }],
  });
  assert.equal(forged.code, 1, 'the second implementation refuses a forged proof');
});
