import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { testFolder, untilEnd } from '@hamlet/test/env/at-end';
import { inTransaction, openStore } from './open-store.ts';
import { openVectorIndex, quantized } from './vector-index.ts';

const dir = testFolder('vectors');
const database = untilEnd(openStore(join(dir, 'memory.db')));

const DIMENSIONS = 64;
const SIZE = 1_200;
const AUDIENCES = 40;

/** A generator with a seed (an LCG): each failure can be repeated. */
function dice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const roll = dice(7);
const vectorAt = (): Uint8Array =>
  quantized(
    Float32Array.from({ length: DIMENSIONS }, () => roll() - 0.5),
    DIMENSIONS,
  ) ?? new Uint8Array();

const apart = (one: Uint8Array, other: Uint8Array): number => {
  const [first, second] = [new Int8Array(one.buffer), new Int8Array(other.buffer)];
  return first.reduce((sum, value, place) => sum + Number(value > 0 !== (second[place] ?? 0) > 0), 0);
};

test('the nearest visible memories are found exactly, whether most or few are visible', () => {
  const index = openVectorIndex(database, DIMENSIONS);
  const row = database.prepare(
    `insert into memory (seq, id, kind, layer, text, words, audience, members, at, taint, importance, last_said_at, fingerprint)
     values (?1, ?1, 'fact', 'profile', '', '', ?2, '', 0, 'none', 0, 0, x'')`,
  );
  // The first audience has half of the memories, each other one a few.
  const stored = Array.from({ length: SIZE }, (_, seq) => {
    const audience = seq % 2 === 0 ? 1 : 2 + ((seq >> 1) % AUDIENCES);
    return { seq: seq + 1, audience, vector: vectorAt() };
  });
  inTransaction(database, () => {
    for (const { seq, audience, vector } of stored) {
      row.run(seq, audience);
      index.add(seq, audience, vector);
    }
  });
  for (const audiences of [
    null,
    [1],
    [1, 2, 3, 4],
    [7],
    [8, 9, 10],
    Array.from({ length: 30 }, (_, at) => at + 2),
    [999],
  ])
    for (let round = 0; round < 5; round += 1) {
      const asked = vectorAt();
      const visible = stored.filter(({ audience }) => audiences?.includes(audience) ?? true);
      const found = index.near(asked, { audiences: audiences && new Set(audiences), limit: 20, size: SIZE });
      const distances = (seqs: readonly number[]): readonly number[] =>
        seqs.map((seq) => apart(asked, stored[seq - 1]?.vector ?? asked)).toSorted((a, b) => a - b);
      const expected = distances(visible.map(({ seq }) => seq)).slice(0, 20);
      assert.deepEqual(distances(found), expected, JSON.stringify(audiences));
      assert.ok(found.every((seq) => visible.some((each) => each.seq === seq)));
    }
  inTransaction(database, () => stored.slice(0, 600).forEach(({ seq, audience }) => index.remove(seq, audience)));
  const left = index.near(vectorAt(), { audiences: new Set([1]), limit: 400, size: SIZE / 2 });
  assert.deepEqual([left.length, Math.min(...left)], [300, 601]);
});
