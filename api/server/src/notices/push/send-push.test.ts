import assert from 'node:assert/strict';
import { createECDH, generateKeyPairSync, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { NoticeRefusal } from '../notice-refusal.ts';
import { createSendPush } from './send-push.ts';
import { readVapidKey } from './vapid.ts';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const key = readVapidKey(privateKey.export({ type: 'sec1', format: 'pem' }).toString());
const keysOfBrowser = {
  p256dh: createECDH('prime256v1').generateKeys().toString('base64url'),
  auth: randomBytes(16).toString('base64url'),
};

test('a service that does not answer takes the time of one attempt a minute, and none of other services', async () => {
  let nowMs = 0;
  const asked: string[] = [];
  const send = createSendPush({
    key,
    contact: 'mailto:you@example.org',
    hosts: ['silent.example', 'other.example'],
    nowMs: () => nowMs,
    post: async ({ host }) => {
      asked.push(host);
      if (host === 'silent.example') throw new Error('a timeout');
      return { status: 201, retryAfter: undefined };
    },
  });
  const codeFor = (host: string): Promise<string> =>
    send({ endpoint: `https://${host}/x`, ...keysOfBrowser }, { title: 'x', body: 'x' }, new AbortController().signal)
      .then(() => 'sent')
      .catch((error: unknown) => (error instanceof NoticeRefusal ? error.code : String(error)));
  for (const host of ['silent.example', 'silent.example', 'other.example']) await codeFor(host);
  assert.equal(await codeFor('silent.example'), 'NO_ANSWER');
  assert.equal(await codeFor('other.example'), 'sent');
  assert.deepEqual(asked, ['silent.example', 'other.example', 'other.example']);
  nowMs = 60_000;
  await codeFor('silent.example');
  assert.equal(asked.at(-1), 'silent.example');
});
