import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { testFolder, untilEnd } from '@hamlet/test/env/at-end';
import { getLoadablePath } from 'sqlite-vec';
import type { Embedder } from './memory.ts';
import { openMemory } from './open-memory.ts';

const DIMENSIONS = 128;

/** Vectors by the number in a text, so that "crate17" is found by "q17" without a word in common. */
const byNumber: Embedder = {
  id: 'by-number',
  dimensions: DIMENSIONS,
  embed: async (texts) =>
    texts.map((text) => {
      let state = Number(/\d+$/.exec(text)?.[0]) + 1;
      return Float32Array.from({ length: DIMENSIONS }, () => {
        state = (Math.imul(state ^ (state >>> 15), 0x2c1b_3c6d) + 0x6d2b_79f5) >>> 0;
        return state / 2 ** 32 - 0.5;
      });
    }),
};

const crate = (number: number, audience: readonly string[]) =>
  ({ kind: 'evidence', session: 's', turn: number, speaker: 'w', text: `crate${number}`, audience }) as const;

const AUDIENCES = 10_000;
const BATCH = 1_000;
/** Rows, words and vectors of one memory on the disk. */
const MOST_BYTES = 2_500;

test('10,000 audiences take no room of their own; each person finds their memory by its vector, and never that of another person', async () => {
  const memory = untilEnd(openMemory({ dir: testFolder('audiences'), embedder: byNumber }));
  for (let from = 0; from < AUDIENCES; from += BATCH)
    await memory.remember(Array.from({ length: BATCH }, (_, at) => crate(from + at, [`p${from + at}`, 'warden'])));
  const { evidence, bytes } = memory.stats();
  assert.equal(evidence, AUDIENCES);
  assert.ok(bytes < AUDIENCES * MOST_BYTES, `${bytes} bytes`);
  const found = async (number: number, audience: readonly string[]): Promise<readonly string[]> =>
    (await memory.search(`q${number}`, { audience, k: 20 })).map((hit) => hit.memory.text);
  for (let number = 0; number < AUDIENCES; number += 397) {
    assert.equal((await found(number, ['warden']))[0], `crate${number}`);
    assert.deepEqual(await found(number, [`p${number}`]), [`crate${number}`]);
    assert.deepEqual(
      await found(number, [`p${number + 1}`, 'warden']),
      [`crate${number + 1}`],
      'their own memory alone',
    );
    assert.deepEqual(await found(number, [`p${number}`, `p${number + 1}`]), []);
    assert.deepEqual(await found(number, []), []);
  }
});

const MOVED = 500;

/** Makes the store of the first version: its bits had a partition for each audience. */
function toFirstVersion(path: string): void {
  const database = new DatabaseSync(path, { allowExtension: true });
  database.loadExtension(getLoadablePath());
  database.exec(
    `drop table bits; drop table audience_bits;
     create virtual table vector using vec0 (
       audience integer partition key, bits bit[${DIMENSIONS}], chunk_size = 512);
     insert into vector (rowid, bits, audience)
       select seq, vec_quantize_binary(vec_int8(vector)), audience from memory join embedding using (seq);
     pragma user_version = 1;`,
  );
  database.close();
}

test('a store with a partition for each audience moves in steps; meanwhile words find, and forgotten memories stay away', async () => {
  const dir = testFolder('audiences');
  const first = openMemory({ dir, embedder: byNumber });
  await first.remember(Array.from({ length: MOVED }, (_, number) => crate(number, [`p${number % 50}`])));
  first.close();
  toFirstVersion(join(dir, 'memory.db'));
  const memory = untilEnd(openMemory({ dir, embedder: byNumber }));
  const found = async (query: string, person: string): Promise<string | undefined> =>
    (await memory.search(query, { audience: [person] }))[0]?.memory.text;
  assert.equal(await found('crate7', 'p7'), 'crate7');
  assert.equal(await found('q7', 'p7'), undefined);
  await memory.remember([crate(MOVED, ['p0'])]);
  assert.equal(await found(`q${MOVED}`, 'p0'), `crate${MOVED}`);
  const [gone] = memory.list({ audience: ['p8'] }).memories;
  memory.forget([gone?.id ?? ''], { audience: ['p8'] });
  let steps = 0;
  while ((await memory.maintain()).more) steps += 1;
  assert.ok(steps >= 3, `${steps} steps`);
  for (let number = 0; number < MOVED; number += 1) {
    const text = `crate${number}`;
    if (text !== gone?.text) assert.equal(await found(`q${number}`, `p${number % 50}`), text);
  }
  assert.notEqual(await found(`q${gone?.text.slice(5)}`, 'p8'), gone?.text);
});
