import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { placeholderOf } from '@hamlet/contract/broker';
import { asksForSecret, gitCredentials, putSecret } from './put-secret.ts';
import { SecretSpotter } from './spot-secret.ts';

const SECRET = 'ghp_r3al/S3cret+value&"<';
const PLACEHOLDER = placeholderOf('github');
const RULE = { secret: 'github' };

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
const authorizationFor = (authorization: string, rule: object = RULE): unknown =>
  putSecret({ authorization }, { ...RULE, ...rule }, SECRET)['authorization'];

test("a placeholder in the rule's header becomes the secret, with the program's scheme", () => {
  assert.equal(authorizationFor(PLACEHOLDER), SECRET);
  assert.equal(authorizationFor(`Bearer ${PLACEHOLDER}`), `Bearer ${SECRET}`);
  assert.equal(authorizationFor(`token ${PLACEHOLDER}`), `token ${SECRET}`);
  for (const credentials of [`x:${PLACEHOLDER}`, `abc:${PLACEHOLDER}`, `${PLACEHOLDER}:`])
    assert.equal(authorizationFor(basic(credentials)), basic(`x-access-token:${SECRET}`), credentials);
  assert.equal(authorizationFor(basic(`x:${PLACEHOLDER}`), { secretUser: 'oauth2' }), basic(`oauth2:${SECRET}`));
  const key = putSecret({ 'x-api-key': PLACEHOLDER }, { ...RULE, secretHeader: 'x-api-key' }, SECRET);
  assert.deepEqual(key, { 'x-api-key': SECRET, 'accept-encoding': 'identity' });
});

test('the secret is not put into other headers or beside other text', () => {
  for (const headers of [
    { 'x-other': PLACEHOLDER },
    { authorization: `Bearer x${PLACEHOLDER}` },
    { authorization: `Bearer ${PLACEHOLDER} x` },
    { authorization: `Bearer ${placeholderOf('other')}` },
    { authorization: basic(`a:b${PLACEHOLDER}`) },
    { authorization: basic(`a:b:${PLACEHOLDER}`) },
    { authorization: [PLACEHOLDER, PLACEHOLDER] },
  ])
    assert.ok(!asksForSecret(headers, RULE), JSON.stringify(headers));
  assert.ok(!asksForSecret({ authorization: PLACEHOLDER }, { ...RULE, secretHeader: 'x-api-key' }));
  assert.ok(!asksForSecret({ authorization: PLACEHOLDER }, {}));
});

test('a request with a secret asks for the whole answer, uncompressed', () => {
  const headers = { authorization: PLACEHOLDER, range: 'bytes=0-4', 'if-range': 'x', 'accept-encoding': 'gzip' };
  assert.deepEqual(putSecret(headers, RULE, SECRET), { authorization: SECRET, 'accept-encoding': 'identity' });
});

test('git gets the placeholder of its rule if it sends no credentials', () => {
  assert.deepEqual(gitCredentials({}, RULE), { authorization: basic(`x-access-token:${PLACEHOLDER}`) });
  assert.deepEqual(gitCredentials({ authorization: 'own' }, RULE), { authorization: 'own' });
  assert.deepEqual(gitCredentials({}, {}), {});
});

const at = (offset: number): string => Buffer.from('x'.repeat(offset) + SECRET + 'yz').toString('base64');
const ENCODED: Readonly<Record<string, string>> = {
  plain: SECRET,
  'percent-encoded': encodeURIComponent(SECRET),
  'percent-encoded in lower case': encodeURIComponent(SECRET).replaceAll(/%../g, (code) => code.toLowerCase()),
  'percent-encoded in every byte': [...Buffer.from(SECRET)].map((byte) => `%${byte.toString(16)}`).join(''),
  'base64 at offset 0': at(0),
  'base64 at offset 1': at(1),
  'base64 at offset 2': at(2),
  'base64 in lines of 64': (
    Buffer.from('x'.repeat(44) + SECRET)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  ).join('\r\n'),
  'base64 in lines of 76': (
    Buffer.from('x'.repeat(52) + SECRET)
      .toString('base64')
      .match(/.{1,76}/g) ?? []
  ).join('\n'),
  base64url: Buffer.from(`a:${SECRET}`).toString('base64url'),
  hex: Buffer.from(SECRET).toString('hex'),
  'hex in capitals': Buffer.from(SECRET).toString('hex').toUpperCase(),
  'JSON with \\/': SECRET.replaceAll('/', '\\/'),
  'JSON strings': JSON.stringify(SECRET),
  'JSON escapes': [...SECRET].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  HTML: SECRET.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;'),
  'UTF-16': Buffer.from(SECRET, 'utf16le').toString('latin1'),
  reversed: [...SECRET].toReversed().join(''),
};

async function passed(text: string, size: number): Promise<string | null> {
  const stream = new SecretSpotter(SECRET).stream();
  const bytes = Buffer.from(text, 'latin1');
  const read = stream.toArray().then(
    (parts) => Buffer.concat(parts).toString('latin1'),
    () => null,
  );
  for (let from = 0; from < bytes.length && !stream.destroyed; from += size)
    stream.write(bytes.subarray(from, from + size));
  stream.end();
  return read;
}

test('an answer with the secret is withheld, in each encoding and for each split into chunks', async () => {
  for (const [name, encoded] of Object.entries(ENCODED)) {
    assert.ok(new SecretSpotter(SECRET).isIn(Buffer.from(`{"a":"${encoded}"}`, 'latin1')), name);
    for (const size of [1, 2, 3, 7, 1_000]) assert.equal(await passed(`gh ghp_ ${encoded} end`, size), null, name);
  }
});

test('an answer without the secret passes unchanged, byte by byte', async () => {
  const text = 'g gh ghp ghp_ ghp_r3al/S3cret+valuE ghp_r3al/S3cret+valu';
  for (const size of [1, 2, 5, 100]) assert.equal(await passed(text, size), text);
});

test('the bytes that are held back do not depend on the secret, and pass after a pause', async () => {
  const sizesOf = (text: string): readonly number[] => {
    const stream = new SecretSpotter(SECRET).stream();
    const sizes: number[] = [];
    stream.on('data', (chunk: Buffer) => sizes.push(chunk.length));
    for (let at = 0; at < text.length; at += 40) stream.write(text.slice(at, at + 40));
    stream.destroy();
    return sizes;
  };
  const guess = (prefix: string): string => `q=${prefix}`.padEnd(600, '.');
  assert.deepEqual(sizesOf(guess(SECRET.slice(0, 8))), sizesOf(guess('#'.repeat(8))));
  const stream = new SecretSpotter(SECRET).stream();
  stream.write('data: an event\n\n');
  const [event] = await once(stream, 'data');
  assert.equal(String(event), 'data: an event\n\n');
  stream.destroy();
});
