import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { isKeyName, keyId, readNote, readVerifierKey, writeNote, writeVerifierKey } from './note.ts';
import type { Sha256 } from './hashing.ts';

const sha256: Sha256 = (bytes) => hash('sha256', bytes, 'buffer');
const KEY = { name: 'village', publicKey: new Uint8Array(32).fill(9) };
const ID = keyId(KEY, sha256);
const SIGNATURE = new Uint8Array(64).fill(7);
const base64 = (...bytes: number[]): string => new Uint8Array(bytes).toBase64();

test('a verifier key is 32 bytes of Ed25519 in valid base64, and any other text is refused', () => {
  assert.deepEqual(readVerifierKey(writeVerifierKey(KEY, sha256), sha256), KEY);
  const wrong: Readonly<Record<string, string>> = {
    'no key': '',
    'base64 of an incomplete byte': `village+${ID.toHex()}+A`,
    'a key that is too short': writeVerifierKey({ ...KEY, publicKey: KEY.publicKey.slice(1) }, sha256),
    'a key that is too long': writeVerifierKey({ ...KEY, publicKey: new Uint8Array(33) }, sha256),
    'another algorithm': `village+${ID.toHex()}+${base64(2, ...KEY.publicKey)}`,
  };
  for (const [why, text] of Object.entries(wrong)) assert.equal(readVerifierKey(text, sha256), null, why);
});

test('a signed note is text, an empty line and signatures, and every line ends with a newline', () => {
  const note = writeNote('checkpoint\n', { key: KEY, signature: SIGNATURE }, sha256);
  assert.equal(readNote(note)?.text, 'checkpoint\n');
  assert.equal(readNote('\n\n\u2014 village AAAAAAA=\n')?.text, '\n', 'an empty line is a valid text');
  const wrong: Readonly<Record<string, string>> = {
    'text alone': 'checkpoint\n',
    'a last line without a newline': `${note.slice(0, -1)}x`,
    'base64 of an incomplete byte': 'checkpoint\n\n\u2014 village A\n',
    'an id of a key without a signature': `checkpoint\n\n\u2014 village ${base64(1, 2, 3, 4)}\n`,
    'a signature without a name': 'checkpoint\n\n\u2014  AAAAAAA=\n',
    'a line among the signatures that is not one': `${note}something else\n`,
  };
  for (const [why, text] of Object.entries(wrong)) assert.equal(readNote(text), null, why);
  const short = readNote(`checkpoint\n\n\u2014 village ${base64(1, 2, 3, 4, 5)}\n`);
  assert.deepEqual(short?.signatures, [
    { name: 'village', keyId: new Uint8Array([1, 2, 3, 4]), signature: new Uint8Array([5]) },
  ]);
});

test('the name of a key is one word without a plus', () => {
  for (const name of ['village', 'hamlet.village/a', 'x'.repeat(200)]) assert.ok(isKeyName(name), name);
  for (const name of ['', 'two words', 'a+b', 'line\n', 'x'.repeat(201)]) assert.ok(!isKeyName(name), name);
});
