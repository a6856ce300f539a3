import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeholderOf } from '@hamlet/contract/broker';
import { withSecret } from './scrub.ts';
import { Scrub, scrubText } from './scrub.ts';

const SECRET = 'ghp_r3al/S3cret+value';
const PLACEHOLDER = placeholderOf('github');

test('a placeholder in a header becomes the secret, also in the credentials that git sends', () => {
  const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
  const headers = {
    authorization: basic(`x-access-token:${PLACEHOLDER}`),
    'private-token': PLACEHOLDER,
    accept: ['a', `b ${PLACEHOLDER}`],
    'x-number': 3,
    cookie: 'nothing here',
  };
  assert.deepEqual(withSecret(headers, PLACEHOLDER, SECRET), {
    authorization: basic(`x-access-token:${SECRET}`),
    'private-token': SECRET,
    accept: ['a', `b ${SECRET}`],
    'x-number': 3,
    cookie: 'nothing here',
  });
  const other = { authorization: basic('a:b'), 'x-other': placeholderOf('other') };
  assert.deepEqual(withSecret(other, PLACEHOLDER, SECRET), other);
});

async function scrubbed(text: string, size: number): Promise<string> {
  const scrub = new Scrub(SECRET, PLACEHOLDER);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) scrub.write(bytes.subarray(at, at + size));
  scrub.end();
  return Buffer.concat(await scrub.toArray()).toString();
}

test('a secret in an answer becomes its placeholder, in each shape and at each split of the chunks', async () => {
  const base64 = Buffer.from(SECRET).toString('base64');
  const text = `gh ghp_r3 ${SECRET}${SECRET} ${encodeURIComponent(SECRET)} "${base64}" ghp_r3al/S3cret+valu`;
  const wanted = scrubText(text, SECRET, PLACEHOLDER);
  assert.equal(wanted.split(PLACEHOLDER).length, 5);
  for (let size = 1; size <= text.length; size += 1) assert.equal(await scrubbed(text, size), wanted, String(size));
});

test('an answer without the secret passes byte by byte as it is', async () => {
  const text = 'g gh ghp ghp_ ghp_r3al/S3cret+valuE ghp_r3al/S3cret+valu';
  for (const size of [1, 2, 5, 100]) assert.equal(await scrubbed(text, size), text);
});
