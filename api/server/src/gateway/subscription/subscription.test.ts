/** Sign-in to a subscription at a real authorization server: start, end, one renewal by two replicas, and revocation. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { RESPONSES_WIRE, type WireAnswer } from '@hamlet/models/testing';
import { readAudit, readCredentials } from '@hamlet/store';
import { codeOf, dataOf, refuses } from '@hamlet/test/env/client';
import { testFolder } from '@hamlet/test/env/at-end';
import { clientOf, eventually, TOKENS, testVillage, Play } from '../../testing/test-village.ts';
import { testWire } from '../testing/wire-models.ts';

const MODELS = [{ name: 'small', model: 'gpt-5' }];

const [village, wire] = await Promise.all([testVillage(), testWire()]);
const folder = testFolder('subscription');
await writeFile(join(folder, 'first'), randomBytes(32).toString('base64'));
await writeFile(join(folder, 'current'), 'first');
const keys = { HAMLET_CREDENTIAL_KEYS_DIR: folder };
const settings = {
  clientId: 'app-1',
  authorizeUrl: `${wire.url}/oauth/authorize`,
  tokenUrl: `${wire.url}/oauth/token`,
  revokeUrl: `${wire.url}/oauth/revoke`,
  redirectUri: 'http://localhost:1455/auth/callback',
  baseUrl: `${wire.url}/codex`,
};
const environment = { ...keys, HAMLET_SUBSCRIPTION: JSON.stringify(settings) };
const one = new Play((await village.startReplica(environment)).peopleUrl);
const two = new Play((await village.startReplica(environment)).peopleUrl);
const off = new Play((await village.startReplica(keys)).peopleUrl);
const db = village.openDb();
await one.everybody();

const json = (body: unknown, status = 200): WireAnswer => ({
  status,
  headers: { 'content-type': 'application/json' },
  chunks: [JSON.stringify(body)],
});

const ID_TOKEN = ['{}', JSON.stringify({ 'https://api.openai.com/auth': { chatgpt_account_id: 'acc-1' } }), 'signature']
  .map((part) => Buffer.from(part).toString('base64url'))
  .join('.');

async function begin(play: Play): Promise<URL> {
  const started = await play.admin.startSubscription({ name: 'personal', notice_accepted: true });
  assert.equal(started.redirect_uri, 'http://localhost:1455/auth/callback');
  return new URL(started.authorize_url);
}

/** The address at which a person's browser ends after the sign-in. */
function callbackOf(authorize: URL, query: Readonly<Record<string, string>> = { code: 'code-1' }): string {
  const callback = new URL(authorize.searchParams.get('redirect_uri') ?? '');
  const state = authorize.searchParams.get('state') ?? '';
  for (const [name, value] of Object.entries({ state, ...query })) callback.searchParams.set(name, value);
  return callback.href;
}

const finish = (play: Play, callback: string) => play.admin.raw.finishSubscription({ callback, models: MODELS });

function ask(play: Play) {
  return play.as('bob').raw.completeChat({ model: 'small', messages: [{ role: 'user', content: 'Hello' }] });
}

function answerTo(token: string): void {
  wire.add({
    expect: { path: '/codex/responses', headers: { authorization: `Bearer ${token}`, 'chatgpt-account-id': 'acc-1' } },
    answer: RESPONSES_WIRE.plain({ text: ['Good day.'] }),
  });
}

test('a sign-in may begin on one replica and end on another; its tokens work, and no answer or log contains them', async () => {
  const authorize = await begin(one);
  assert.deepEqual(
    ['response_type', 'client_id', 'code_challenge_method'].map((name) => authorize.searchParams.get(name)),
    ['code', 'app-1', 'S256'],
  );
  wire.add({
    expect: { path: '/oauth/token' },
    answer: (request) => {
      const form = new URLSearchParams(String(request.body));
      const challenge = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url');
      assert.equal(challenge, authorize.searchParams.get('code_challenge'));
      assert.deepEqual([form.get('grant_type'), form.get('code')], ['authorization_code', 'code-1']);
      return json({
        access_token: 'access-one-012345',
        refresh_token: 'refresh-one-012345',
        id_token: ID_TOKEN,
        expires_in: 60,
      });
    },
  });
  const stored = dataOf(await finish(two, callbackOf(authorize))).credential;
  assert.partialDeepStrictEqual(stored, {
    name: 'personal',
    fingerprint: null,
    provider: { kind: 'openai-subscription' },
  });
  const listed = await one.admin.listModelCredentials();
  assert.equal(listed.subscription.enabled, true);
  const rows = await readCredentials(db);
  const seen = JSON.stringify([stored, listed, await readAudit(db, 'personal', 50), rows, village.logs]);
  assert.ok(!seen.includes('access-one') && !seen.includes('refresh-one'));
  wire.verify();
});

test('two replicas renew tokens that expire soon exactly once, and both use the new ones', async () => {
  wire.add({
    expect: { path: '/oauth/token', body: 'grant_type=refresh_token&refresh_token=refresh-one-012345&client_id=app-1' },
    answer: json({ access_token: 'access-two-012345', refresh_token: 'refresh-two-012345', expires_in: 3_600 }),
  });
  answerTo('access-two-012345');
  answerTo('access-two-012345');
  await eventually('the sign-in on the first replica', async () => {
    const { credentials } = await one.admin.listModelCredentials();
    return (credentials[0]?.used_by.total ?? 0) > 0;
  });
  const answers = await Promise.all([ask(one), ask(two)]);
  assert.deepEqual(
    answers.map((answer) => dataOf(answer).hamlet.provider),
    ['personal', 'personal'],
  );
  wire.verify();
});

test('the API refuses a sign-in of another admin, a forged one, and one that the provider refuses', async () => {
  const authorize = await begin(one);
  await refuses(finish(one, 'http://localhost:1455/auth/callback?code=x&state=a.b.c'), 'sign_in_unknown');
  const other = new URL(callbackOf(authorize));
  other.searchParams.set('state', `${other.searchParams.get('state') ?? ''}x`);
  await refuses(finish(one, other.href), 'sign_in_unknown');
  await refuses(finish(one, callbackOf(authorize, { error: 'access_denied' })), 'sign_in_refused');
  wire.add({ answer: json({ error: 'invalid_grant', error_description: 'code-1 was used' }, 400) });
  await refuses(finish(one, callbackOf(authorize)), 'sign_in_refused', /^((?!code-1)[^])*$/);
  const body = { name: 'other', notice_accepted: true as const };
  await refuses(clientOf(one.url, TOKENS.member).startSubscription(body), 'forbidden');
  const key = { name: 'personal', key: 'sk-0123456789' };
  await one.admin.putModelCredential({ ...key, name: 'beside' });
  await one.admin.deleteModelCredential({ name: 'beside' });
  wire.verify();
});

test("without the chart's setting, no sign-in can begin and a stored one serves no request", async () => {
  const sent = { name: 'personal', notice_accepted: true as const };
  await refuses(off.admin.startSubscription(sent), 'subscription_off', /models\.subscription/);
  await refuses(finish(off, 'http://localhost:1455/auth/callback?code=x'), 'subscription_off');
  assert.equal((await off.admin.listModelCredentials()).subscription.enabled, false);
  await eventually('the refusal', async () => (await codeOf(ask(off))) === 'model_not_served');
});

test('removing a connection revokes its sign-in at the provider', async () => {
  wire.add({
    expect: {
      path: '/oauth/revoke',
      body: 'token=refresh-two-012345&token_type_hint=refresh_token&client_id=app-1',
    },
    answer: json({}),
  });
  await two.admin.deleteModelCredential({ name: 'personal' });
  wire.verify();
  assert.equal(dataOf(await ask(two)).hamlet.provider, 'scripted');
});
