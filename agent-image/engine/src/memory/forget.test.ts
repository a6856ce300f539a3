import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { testFolder } from '@hamlet/test/env/at-end';
import { openMemory } from './open-memory.ts';
import { quantized } from './store/vector-index.ts';
import { hashedEmbedder } from './embedding/hashed-embedder.ts';

const dir = testFolder('forget');

/** The files of the store that contain these bytes. */
const filesWith = (bytes: Buffer): readonly string[] =>
  readdirSync(dir).filter((name) => readFileSync(join(dir, name)).includes(bytes));

const ANA = ['ana'];
const said = (turn: number, text: string) =>
  ({ kind: 'evidence', session: 's', turn, speaker: 'ana', text, audience: ANA }) as const;

test('forget leaves no bytes of a text, its words or its vector in any file, and a tombstone without content', async () => {
  const memory = openMemory({ dir });
  const secret = 'My zanzibarine password is Quetzalcoatlus.';
  const others = Array.from({ length: 40 }, (_, turn) =>
    said(turn + 2, `Ordinary remark number ${turn} about zucchini.`),
  );
  const [first] = await memory.remember([said(1, secret), ...others]);
  assert.equal(first?.outcome, 'remembered');
  const id = first.id;
  const fact = {
    kind: 'fact',
    subject: 'ana',
    text: 'The Quetzalcoatlus opens it.',
    audience: ANA,
    provenance: [id],
  } as const;
  const [made] = await memory.remember([fact]);
  assert.equal(made?.outcome, 'remembered');
  const { embed, dimensions } = hashedEmbedder();
  const [float] = await embed([`ana ${secret}`]);
  assert.ok(float !== undefined);
  const vector = quantized(float, dimensions);
  assert.ok(vector !== null);
  const bits = Buffer.alloc(dimensions / 8);
  for (const [place, value] of new Int8Array(vector.buffer).entries())
    if (value > 0) bits[place >> 3] = (bits[place >> 3] ?? 0) | (1 << (place & 7));
  const traces = [
    Buffer.from(secret),
    Buffer.from('quetzalcoatlu'),
    Buffer.from('zanzibar'),
    Buffer.from(vector),
    bits,
  ];
  for (const trace of traces) assert.ok(filesWith(trace).length > 0, `${trace.toString('latin1')} should be stored`);

  const tombstones = memory.forget([id], { audience: ANA });
  assert.deepEqual(tombstones.map((tombstone) => tombstone.id).toSorted(), [id, made.id].toSorted());
  assert.deepEqual(
    tombstones.map(({ number }) => number),
    [1, 2],
  );
  for (const trace of traces) assert.deepEqual(filesWith(trace), [], trace.toString('latin1'));
  assert.deepEqual(
    (await memory.search('zanzibarine password', { audience: ANA })).filter((hit) => hit.memory.id === id),
    [],
  );
  assert.equal(memory.stats().forgotten, 2);
  memory.close();
  for (const trace of traces) assert.deepEqual(filesWith(trace), [], trace.toString('latin1'));
});

test('a forgotten id stays forgotten, here and after its tombstone arrives from another copy', async () => {
  const memory = openMemory({ dir });
  const [number] = memory.bury(['m-elsewhere']);
  const results = await memory.remember([
    { ...said(90, 'Told again with the id of a forgotten memory'), id: 'm-elsewhere' },
  ]);
  assert.deepEqual(
    results.map((result) => result.outcome === 'refused' && result.reason),
    ['forgotten'],
  );
  assert.deepEqual(memory.bury(['m-elsewhere']), [number]);
  assert.deepEqual(memory.tombstones((number?.number ?? 0) - 1, 10), [number]);
  memory.close();
});

test('people forget and pin only what all who are present may see', async () => {
  const memory = openMemory({ dir });
  const [result] = await memory.remember([said(91, 'The spare key lies under the third flowerpot')]);
  assert.equal(result?.outcome, 'remembered');
  const { id } = result;
  for (const audience of [['ben'], ['ana', 'ben'], [], 'public'] as const) {
    assert.deepEqual(memory.forget([id], { audience }), []);
    assert.equal(memory.pin(id, { audience }), 'no_such_memory');
    assert.equal(memory.get(id, { audience }), null);
  }
  assert.equal(memory.pin(id, { audience: ANA }), 'done');
  assert.equal(memory.get(id, { audience: 'keeper' })?.pinned, true);
  memory.close();
});
