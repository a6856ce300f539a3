/** Accounts, sessions and the browser's rules. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bootstrapAccount, createClient, getMe, logIn, logOut, suspendAgent } from '@hamlet/contract';
import { dataOf } from '../testing/play.ts';
import { BOOTSTRAP_CODE, clientOf, startTestVillage, TOKENS } from '../testing/test-village.ts';
import type { TestVillage } from '../testing/test-village.ts';

const PASSWORD = 'correct horse battery';
let village: TestVillage;
let url = '';

before(async () => {
  village = await startTestVillage();
  url = (await village.startReplica()).peopleUrl;
});
after(() => village.remove());

async function codeOf(call: Promise<{ ok: true } | { ok: false; problem: { code: string } }>): Promise<string | null> {
  const outcome = await call;
  return outcome.ok ? null : outcome.problem.code;
}

function cookieOf(response: Response): string {
  return response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

test('the first admin comes with the code, once, and is signed in by a cookie bound to this host', async () => {
  const anyone = clientOf(url);
  assert.equal(await codeOf(anyone.call(bootstrapAccount, { body: { code: 'wrong', name: 'Grace', password: PASSWORD } })), 'bootstrap_code_wrong');
  const made = await anyone.call(bootstrapAccount, { body: { code: BOOTSTRAP_CODE, name: 'Grace', password: PASSWORD } });
  assert.equal(dataOf(made).account.role, 'admin');
  assert.equal(made.response.status, 201);
  const [cookie] = made.response.headers.getSetCookie();
  assert.match(cookie ?? '', /^__Host-hamlet_session=[\w-]{43}; Path=\/; Max-Age=\d+; Secure; HttpOnly; SameSite=Lax$/);
  const me = createClient({ baseUrl: url, cookie: cookieOf(made.response) });
  assert.equal(dataOf(await me.call(getMe, {})).account.name, 'Grace');
  assert.equal(await codeOf(anyone.call(bootstrapAccount, { body: { code: BOOTSTRAP_CODE, name: 'Eve', password: PASSWORD } })), 'bootstrap_closed');
});

test('logging in takes name and password; logging out ends that session at once', async () => {
  const anyone = clientOf(url);
  assert.equal(await codeOf(anyone.call(logIn, { body: { name: 'Grace', password: 'wrong password' } })), 'credentials_wrong');
  assert.equal(await codeOf(anyone.call(logIn, { body: { name: 'Nobody', password: PASSWORD } })), 'credentials_wrong');
  const signedIn = await anyone.call(logIn, { body: { name: 'grace', password: PASSWORD } });
  dataOf(signedIn);
  const me = createClient({ baseUrl: url, cookie: cookieOf(signedIn.response) });
  dataOf(await me.call(getMe, {}));
  const out = await me.call(logOut, {});
  assert.match(out.response.headers.getSetCookie()[0] ?? '', /Max-Age=0/);
  assert.equal(await codeOf(me.call(getMe, {})), 'unauthenticated');
});

test('a session is of no use to a page of another origin', async () => {
  const signedIn = await clientOf(url).call(logIn, { body: { name: 'Grace', password: PASSWORD } });
  const cookie = cookieOf(signedIn.response);
  const from = (headers: Record<string, string>): Promise<Response> =>
    fetch(`${url}/api/v1/agents/ada/awakening`, { method: 'POST', headers: { cookie, 'idempotency-key': crypto.randomUUID(), ...headers } });
  for (const headers of [{ origin: 'https://evil.example' }, { origin: 'null' }, { 'sec-fetch-site': 'cross-site' }]) {
    const response = await from(headers);
    assert.equal(((await response.json()) as { code: string }).code, 'origin_not_allowed', JSON.stringify(headers));
  }
  assert.equal((await from({ origin: url })).status, 200);
  assert.equal((await from({ 'sec-fetch-site': 'same-origin' })).status, 200);
});

test('over plain http on another host nobody is signed in', async () => {
  const response = await fetch(`${url}/api/v1/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-host': 'village.example' },
    body: JSON.stringify({ name: 'Grace', password: PASSWORD }),
  });
  assert.equal(response.status, 200, 'this machine is private whatever a header says');
  const { status, code } = await loginAtHost('village.example');
  assert.deepEqual({ status, code }, { status: 403, code: 'tls_required' });
});

/** fetch sets Host itself, so this one is written by hand. */
async function loginAtHost(host: string): Promise<{ status: number; code: string }> {
  const { request } = await import('node:http');
  const body = JSON.stringify({ name: 'Grace', password: PASSWORD });
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/api/v1/login`, { method: 'POST', headers: { host, 'content-type': 'application/json' } }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, code: (JSON.parse(text) as { code: string }).code }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

test('keys of people say who they are too, and a member may not do what an admin may', async () => {
  assert.equal(dataOf(await clientOf(url, TOKENS.admin).call(getMe, {})).account.role, 'admin');
  const member = clientOf(url, TOKENS.member);
  assert.equal(dataOf(await member.call(getMe, {})).account.role, 'member');
  assert.equal(await codeOf(member.call(suspendAgent, { params: { agent_id: 'ada' } })), 'forbidden');
});
