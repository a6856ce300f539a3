import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import { withHashes } from './proof-crypto.ts';

const digest = (bytes: Uint8Array): Promise<Uint8Array> =>
  Promise.resolve(new Uint8Array(hash('sha256', bytes, 'buffer')));

test('a synchronous computation gets its hashes, each computed once', async () => {
  let asked = 0;
  const chain = await withHashes(
    (sha256) => [1, 2, 3].reduce<Uint8Array>((last) => sha256(last), Uint8Array.of(7)).toHex(),
    (bytes) => {
      asked += 1;
      return digest(bytes);
    },
  );
  const expected = [1, 2, 3].reduce<Uint8Array>((last) => hash('sha256', last, 'buffer'), Uint8Array.of(7));
  assert.equal(chain, Buffer.from(expected).toString('hex'));
  assert.equal(asked, 3);
});

test('a computation with too many hashes is stopped, and other errors reach the caller', async () => {
  await assert.rejects(
    withHashes((sha256) => {
      for (let last = Uint8Array.of(1); ;) last = new Uint8Array(sha256(last));
    }, digest),
    RangeError,
  );
  await assert.rejects(
    withHashes(() => {
      throw new TypeError('mine');
    }, digest),
    TypeError,
  );
});
