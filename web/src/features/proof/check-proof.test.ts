import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Checked, Kept, ProofParts } from './check-proof.ts';
import { checkpointIn, checkProof, forgetCheckpoint, keepCheckpoint, readKept } from './check-proof.ts';
import { browserCrypto, type ProofCrypto } from './proof-crypto.ts';
import { actLeaf, ENTRY, entryLeaf, RECORD, recordBytes, sealedLog } from './sealed-log.fixture.ts';

const OTHERS = Array.from({ length: 299 }, (_, index) =>
  recordBytes(['hamlet.turn.v1', BigInt(index), `turn ${index}`]),
);
const PLACE = 130;
const leaves = [...OTHERS.slice(0, PLACE), entryLeaf(), ...OTHERS.slice(PLACE)];
const log = sealedLog(leaves);

async function platform(): Promise<ProofCrypto> {
  const crypto = await browserCrypto();
  assert.ok(typeof crypto !== 'string', String(crypto));
  return crypto;
}

async function checked(change: Partial<ProofParts> = {}): Promise<Checked> {
  const parts: ProofParts = {
    shown: { kind: 'entry', entry: ENTRY },
    proof: log.proof(PLACE, leaves.length),
    keyText: log.keyText,
    kept: null,
    growth: null,
    ...change,
  };
  return checkProof(parts, await platform());
}

function keptAt(size: number, of = log): Kept {
  const checkpoint = checkpointIn(of.note(size));
  assert.ok(checkpoint !== null);
  return { key: of.keyText.trim(), checkpoint };
}

test('an entry of a long log is proven, with key and size of the checkpoint', async () => {
  const { fault, checkpoint, key, continues } = await checked();
  assert.equal(fault, null);
  assert.deepEqual(
    [checkpoint?.origin, checkpoint?.size, key?.name, continues],
    ['hamlet.village/hamlet', 300, 'hamlet.village/hamlet', false],
  );
  assert.match(key?.id ?? '', /^[0-9a-f]{8}$/);
  assert.equal(
    (await checked({ proof: sealedLog([entryLeaf()]).proof(0, 1) })).fault,
    'The checkpoint is not signed by that key.',
    'another key of that name',
  );
  const alone = sealedLog([entryLeaf()]);
  assert.equal(
    (await checked({ proof: alone.proof(0, 1), keyText: alone.keyText })).fault,
    null,
    'the only entry of a log',
  );
});

test('an act is proven like an entry of the ledger', async () => {
  const acts = sealedLog([entryLeaf(), actLeaf()], RECORD.record_id);
  const shown = { kind: 'record', record: RECORD } as const;
  assert.equal((await checked({ shown, proof: acts.proof(1, 2), keyText: acts.keyText })).fault, null);
  assert.match(
    (await checked({ shown, proof: acts.proof(0, 2), keyText: acts.keyText })).fault ?? '',
    /^The proof belongs to another record: 01a20306-7f02/,
  );
});

test('every forged answer is detected, with its fault', async () => {
  const good = log.proof(PLACE, leaves.length);
  const flipped = (base64: string): string => {
    const bytes = Uint8Array.fromBase64(base64);
    bytes[5] = (bytes[5] ?? 0) ^ 1;
    return bytes.toBase64();
  };
  const notIn = 'The record does not lead to the signed root: it is not in this log.';
  const cases: readonly (readonly [string, Partial<ProofParts>, string])[] = [
    ['a leaf', { proof: { ...good, leaf: entryLeaf({ note: 'Kept the fire' }).toBase64() } }, notIn],
    [
      'a hash',
      { proof: { ...good, hashes: good.hashes.map((hash, index) => (index === 3 ? flipped(hash) : hash)) } },
      notIn,
    ],
    ['a hash less', { proof: { ...good, hashes: good.hashes.slice(1) } }, notIn],
    ['the place', { proof: { ...good, position: PLACE + 1 } }, notIn],
    ['a place outside', { proof: { ...good, position: 300 } }, notIn],
    [
      'the size',
      { proof: { ...good, checkpoint: good.checkpoint.replace('\n300\n', '\n299\n') } },
      'The checkpoint is not signed by that key.',
    ],
    ['no note', { proof: { ...good, checkpoint: 'trust me' } }, 'The checkpoint is not signed by that key.'],
    ['the key', { keyText: 'hamlet.village/hamlet+00000000+AAAA' }, 'The key of the village cannot be read.'],
    [
      'what is shown',
      { shown: { kind: 'entry', entry: { ...ENTRY, note: 'Kept the fire' } } },
      'The page differs from the sealed record: note is “Kept the fire” here and “Let the fire go out” in the log.',
    ],
  ];
  for (const [name, change, expected] of cases) assert.equal((await checked(change)).fault, expected, name);
});

test('the log must continue the stored checkpoint, or the fault gives the reason', async () => {
  const proof = log.proof(PLACE, leaves.length);
  assert.deepEqual(
    [
      (await checked({ kept: keptAt(200), growth: log.growth(200, 300) })).fault,
      (await checked({ kept: keptAt(200), growth: log.growth(200, 300) })).continues,
    ],
    [null, true],
  );
  assert.equal((await checked({ kept: keptAt(300), growth: log.growth(300, 300) })).fault, null, 'nothing new');
  const other = sealedLog([...OTHERS.slice(0, 150), entryLeaf(), ...OTHERS.slice(150)]);
  const elsewhere = { ...keptAt(200), checkpoint: keptAt(200, other).checkpoint };
  assert.equal(
    (await checked({ kept: elsewhere, growth: log.growth(200, 300) })).fault,
    'The log does not continue the 200 entries that this browser has seen: it was rewritten.',
  );
  assert.match(
    (await checked({ kept: { ...keptAt(200), key: other.keyText.trim() }, growth: log.growth(200, 300) })).fault ?? '',
    /knows this village by another key: hamlet\.village\/hamlet\+[0-9a-f]{8}\.$/,
  );
  assert.deepEqual(
    [
      (await checked({ kept: elsewhere, growth: log.growth(200, 300) })).differentLog,
      (await checked({ keyText: other.keyText })).differentLog,
    ],
    [true, false],
    'the stored checkpoint can be forgotten only if the log differs',
  );
  assert.equal(
    (await checked({ kept: keptAt(300), growth: { kind: 'shorter' } })).fault,
    'The log had 300 entries when this browser last checked, and has fewer now.',
  );
  assert.equal(
    (await checked({ proof: log.proof(PLACE, 200), kept: keptAt(300), growth: log.growth(300, 300) })).fault,
    'The log had 300 entries when this browser last checked, and has fewer now.',
  );
  assert.equal(
    (await checked({ proof, kept: keptAt(200), growth: other.growth(200, 300) })).fault,
    'The proof that the log continues is not signed by that key.',
  );
});

test('a verified checkpoint is stored with its key until it is forgotten', () => {
  const stored = new Map<string, string>();
  const storage = {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => void stored.set(name, value),
    removeItem: (name: string) => void stored.delete(name),
  };
  assert.equal(readKept(storage), null);
  keepCheckpoint(storage, log.keyText, log.note(200));
  assert.deepEqual(readKept(storage), keptAt(200));
  storage.setItem('hamlet-log', 'something\n\nelse');
  assert.equal(readKept(storage), null);
  forgetCheckpoint(storage);
  assert.equal(stored.size, 0);
});
