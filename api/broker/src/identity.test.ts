import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { EgressAttempt } from '@hamlet/contract';
import { claimedRun, readIdentity } from './identity.ts';

const RUN = '6f1c1d52-0000-4000-8000-000000000001';
const read = (text: string) => readIdentity({ 'proxy-authorization': `Basic ${Buffer.from(text).toString('base64')}` });

test('the user names run and call, the password is the token', () => {
  assert.deepEqual(read(`${RUN}/call-1:tok:en`), { token: 'tok:en', run: RUN, call: 'call-1' });
  assert.deepEqual(read(`${RUN}/:token`), { token: 'token', run: RUN, call: null });
  assert.deepEqual(read('/:token'), { token: 'token', run: null, call: null });
});

test('a malformed proxy user names no run or call, but its token is still read', () => {
  for (const user of ['', 'words', `${RUN}`, `${RUN}/a b`, '../x', `${'x'.repeat(300)}/y`])
    assert.deepEqual(read(`${user}:token`), { token: 'token', run: null, call: null }, user);
});

test('without a token there is no identity', () => {
  for (const text of ['', 'token', `${RUN}/call-1:`]) assert.equal(read(text), null, text);
  assert.equal(readIdentity({}), null);
  assert.equal(readIdentity({ 'proxy-authorization': 'Bearer token' }), null);
  assert.equal(readIdentity({ 'proxy-authorization': `Basic ${'A'.repeat(5000)}` }), null);
});

test('a run id that the API would refuse is dropped, so that it cannot fail a whole group of attempts', () => {
  const { run } = EgressAttempt.shape;
  const version = (digit: string): string => RUN.replace(/-4/, `-${digit}`);
  const texts = [
    RUN,
    randomUUID(),
    '-'.repeat(36),
    '0'.repeat(36),
    'f'.repeat(36),
    ...'0189abcdef'.split('').map(version),
  ];
  for (const text of texts) assert.ok(run.safeParse(claimedRun(text)).success, text);
  assert.equal(claimedRun(RUN), RUN);
  assert.equal(claimedRun(`${RUN.slice(0, 19)}0${RUN.slice(20)}`), null);
  assert.deepEqual(read(`${'-'.repeat(36)}/call-1:token`), { token: 'token', run: null, call: 'call-1' });
});
