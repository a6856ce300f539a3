/** Accounts, sessions, and the rules for browsers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { API_PREFIX, logIn } from '@hamlet/contract';
import { readAudit } from '@hamlet/store';
import { openSuperuser } from '@hamlet/test/env/superuser';
import { codeOf, testClient, dataOf, refuses } from '@hamlet/test/env/client';
import { pluck } from '@hamlet/test/env/pluck';
import { cookieOf, invite, PASSWORD, personOf, signIn, type SignedInPerson } from '../testing/play/people-play.ts';
import { BOOTSTRAP_CODE, clientOf, eventually, TOKENS, testVillage } from '../testing/test-village.ts';

let grace: SignedInPerson;
const DAY_MS = 24 * 3_600_000;

const village = await testVillage();
const url = (await village.startReplica()).peopleUrl;
const db = village.openDb();

test('the one-time code creates the first admin once, and signs them in with a cookie bound to this host', async () => {
  const anyone = clientOf(url);
  assert.deepEqual(await anyone.getLoginOptions(), {
    bootstrap: true,
    private_connection: true,
    oidc: null,
    brand: { name: 'Hamlet', color: '#17704e' },
  });
  await refuses(anyone.bootstrapAccount({ code: 'wrong', name: 'Grace', password: PASSWORD }), 'bootstrap_code_wrong');
  const made = await anyone.raw.bootstrapAccount({ code: BOOTSTRAP_CODE, name: 'Grace', password: PASSWORD });
  assert.equal(dataOf(made).account.role, 'admin');
  assert.equal(made.response.status, 201);
  const [cookie] = made.response.headers.getSetCookie();
  assert.match(cookie ?? '', /^__Host-hamlet_session=[\w-]{43}; Path=\/; Max-Age=\d+; Secure; HttpOnly; SameSite=Lax$/);
  const me = testClient({ baseUrl: url, cookie: cookieOf(made.response) });
  assert.equal((await me.getMe()).account.name, 'Grace');
  await refuses(anyone.bootstrapAccount({ code: BOOTSTRAP_CODE, name: 'Eve', password: PASSWORD }), 'bootstrap_closed');
  assert.equal((await anyone.getLoginOptions()).bootstrap, false);
  grace = personOf(url, dataOf(made).account.account_id, cookieOf(made.response));
});

test('signing in takes name and password; signing out ends that session at once', async () => {
  const anyone = clientOf(url);
  await refuses(anyone.logIn({ name: 'Grace', password: 'wrong password' }), 'credentials_wrong');
  await refuses(anyone.logIn({ name: 'Nobody', password: PASSWORD }), 'credentials_wrong');
  const signedIn = await anyone.raw.logIn({ name: 'grace', password: PASSWORD });
  dataOf(signedIn);
  const me = testClient({ baseUrl: url, cookie: cookieOf(signedIn.response) });
  await me.getMe();
  assert.match((await me.raw.logOut()).response.headers.getSetCookie()[0] ?? '', /Max-Age=0/);
  await refuses(me.getMe(), 'unauthenticated');
});

test('a page of another origin cannot use a session', async () => {
  const cookie = cookieOf((await clientOf(url).raw.logIn({ name: 'Grace', password: PASSWORD })).response);
  const from = (headers: Record<string, string>): Promise<Response> =>
    fetch(`${url}/api/v1/agents/ada/awakening`, {
      method: 'POST',
      headers: { cookie, 'idempotency-key': crypto.randomUUID(), ...headers },
    });
  for (const headers of [{ origin: 'https://evil.example' }, { origin: 'null' }, { 'sec-fetch-site': 'cross-site' }]) {
    const response = await from(headers);
    assert.equal(((await response.json()) as { code: string }).code, 'origin_not_allowed', JSON.stringify(headers));
  }
  assert.equal((await from({ origin: url })).status, 200);
  assert.equal((await from({ 'sec-fetch-site': 'same-origin' })).status, 200);
});

test('sign-in over plain http from another host is refused', async () => {
  const response = await fetch(`${url}/api/v1/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-host': 'village.example' },
    body: JSON.stringify({ name: 'Grace', password: PASSWORD }),
  });
  assert.equal(response.status, 200, 'a loopback connection counts as private regardless of its headers');
  const { status, code } = await loginAtHost('village.example');
  assert.deepEqual({ status, code }, { status: 403, code: 'tls_required' });
});

/** Uses no fetch, because fetch sets Host itself. */
async function loginAtHost(host: string): Promise<{ status: number; code: string }> {
  const { request } = await import('node:http');
  const body = JSON.stringify({ name: 'Grace', password: PASSWORD });
  return new Promise((resolve, reject) => {
    const sent = request(
      `${url}/api/v1/login`,
      { method: 'POST', headers: { host, 'content-type': 'application/json' } },
      (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, code: (JSON.parse(text) as { code: string }).code }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

test("people's API keys have an identity too", async () => {
  for (const role of ['admin', 'member'] as const)
    assert.equal((await clientOf(url, TOKENS[role]).getMe()).account.role, role);
});

/** A write as a foreign page would send it: with the session, but without the header of our own client. */
function bareWrite(path: string, person: SignedInPerson, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${url}/api/v1${path}`, { method: 'POST', headers: { cookie: person.cookie, origin: url, ...headers } });
}

test('a write with a session needs a header that no form can send', async () => {
  const person = await signIn(url, 'Grace');
  const refused = await bareWrite('/logout', person);
  assert.deepEqual([refused.status, ((await refused.json()) as { code: string }).code], [403, 'custom_header_missing']);
  await person.client.getMe();
  assert.equal(
    (await bareWrite('/agents/ada/awakening', person, { 'idempotency-key': crypto.randomUUID() })).status,
    200,
    'an Idempotency-Key is such a header',
  );
  assert.equal((await bareWrite('/logout', person, { 'x-hamlet-request': '1' })).status, 200);
});

test('signing in rotates the session: the earlier one is invalid', async () => {
  const before = await signIn(url, 'Grace');
  const again = await before.client.raw.logIn({ name: 'Grace', password: PASSWORD });
  const after = personOf(url, before.accountId, cookieOf(again.response));
  assert.notEqual(after.cookie, before.cookie);
  await refuses(before.client.getMe(), 'unauthenticated');
  await after.client.getMe();
});

test('an invitation sets a password once; its code is void afterwards', async () => {
  const { invitation } = await grace.client.createAccount({ name: 'Ada L.', role: 'member' });
  assert.match(invitation?.code ?? '', /^hic_[\w-]{43}$/);
  const anyone = clientOf(url);
  await refuses(
    anyone.logIn({ name: 'Ada L.', password: PASSWORD }),
    'credentials_wrong',
    'an account without a password cannot sign in',
  );
  await refuses(anyone.redeemCode({ code: 'hic_wrong', password: PASSWORD }), 'code_invalid');
  const redeemed = await anyone.redeemCode({ code: invitation?.code ?? '', password: PASSWORD });
  assert.equal(redeemed.account.role, 'member');
  await refuses(anyone.redeemCode({ code: invitation?.code ?? '', password: PASSWORD }), 'code_invalid');
  await signIn(url, 'Ada L.');
  const { invitation: late } = await grace.client.createAccount({ name: 'Late', role: 'member' });
  await db
    .updateTable('account_code')
    .set({ expires_at: new Date(Date.now() - 1_000) })
    .execute();
  await refuses(anyone.redeemCode({ code: late?.code ?? '', password: PASSWORD }), 'code_invalid', 'an expired code');
});

test("changing a password ends the person's other sessions; this one continues under a new id", async () => {
  const first = await invite(grace, url, { name: 'Petra', role: 'member' });
  const second = await signIn(url, 'Petra');
  await refuses(
    second.client.changePassword({ current_password: 'not my password', new_password: 'another horse battery' }),
    'credentials_wrong',
  );
  const changed = await second.client.raw.changePassword({
    current_password: PASSWORD,
    new_password: 'another horse battery',
  });
  dataOf(changed);
  await refuses(first.client.getMe(), 'unauthenticated');
  await refuses(second.client.getMe(), 'unauthenticated');
  await personOf(url, second.accountId, cookieOf(changed.response)).client.getMe();
  await refuses(clientOf(url).logIn({ name: 'Petra', password: PASSWORD }), 'credentials_wrong');
  await signIn(url, 'Petra', 'another horse battery');
  await refuses(
    clientOf(url, TOKENS.member).changePassword({ current_password: PASSWORD, new_password: PASSWORD }),
    'session_needed',
    'a key has no password',
  );
});

test('a person changes their name, signs in with it, and takes no name of another', async () => {
  const ruth = await invite(grace, url, { name: 'Ruth', role: 'member' });
  await invite(grace, url, { name: 'Taken', role: 'member' });
  const { account } = await ruth.client.renameMe({ name: 'Ruth B.' });
  assert.deepEqual([account.account_id, account.name], [ruth.accountId, 'Ruth B.']);
  assert.equal((await ruth.client.getMe()).account.name, 'Ruth B.');
  await refuses(ruth.client.renameMe({ name: 'TAKEN' }), 'account_exists');
  for (const name of ['a\nb', ' Taken', 'Taken ', 'Ta  ken', 'Taken\u3164'])
    await refuses(ruth.client.renameMe({ name }), 'validation_failed');
  await ruth.client.renameMe({ name: 'ruth b.' });
  assert.equal((await signIn(url, 'Ruth B.')).accountId, ruth.accountId);
  await refuses(clientOf(url).logIn({ name: 'Ruth', password: PASSWORD }), 'credentials_wrong');
  await refuses(clientOf(url, TOKENS.member).renameMe({ name: 'Tool' }), 'session_needed', 'a key has no account');
  const acts = await readAudit(db, `account ${ruth.accountId}`, 10);
  assert.deepEqual(
    acts.filter(({ action }) => action === 'account.rename').map(({ detail }) => detail),
    [
      { from: 'Ruth B.', to: 'ruth b.' },
      { from: 'Ruth', to: 'Ruth B.' },
    ],
  );
});

test('sessions are listed with their address of origin, and ended one by one or all but this one', async () => {
  const [first, second, third] = [
    await invite(grace, url, { name: 'Sol', role: 'member' }),
    await signIn(url, 'Sol'),
    await signIn(url, 'Sol'),
  ];
  const { sessions } = await third.client.listMySessions();
  assert.deepEqual(pluck(sessions, 'signed_in_by', 'address', 'current'), [
    ['password', '127.0.0.1', true],
    ['password', '127.0.0.1', false],
    ['code', '127.0.0.1', false],
  ]);
  assert.deepEqual(await third.client.endMySession({ session_id: sessions[1]?.session_id ?? '' }), { ended: 1 });
  await refuses(second.client.getMe(), 'unauthenticated');
  await first.client.getMe();
  const foreign = (await grace.client.listMySessions()).sessions[0]?.session_id ?? '';
  await refuses(
    third.client.endMySession({ session_id: foreign }),
    'no_such_session',
    "another person's session cannot be ended",
  );
  assert.deepEqual(await third.client.endMyOtherSessions(), { ended: 1 });
  await refuses(first.client.getMe(), 'unauthenticated');
  await third.client.getMe();
});

test('a session ends after a day without use, and after a week in any case', async () => {
  const { created_at, expires_at } = await db
    .selectFrom('account_session')
    .select(['created_at', 'expires_at'])
    .orderBy('created_at', 'desc')
    .executeTakeFirstOrThrow();
  assert.equal(Math.round((expires_at.getTime() - created_at.getTime()) / DAY_MS), 7);
  const ago = (ms: number): Date => new Date(Date.now() - ms);
  for (const [name, aged] of [
    ['Idle', { seen_at: ago(DAY_MS + 1_000) }],
    ['Over', { expires_at: ago(1_000) }],
  ] as const) {
    const person = await invite(grace, url, { name, role: 'member' });
    await person.client.getMe();
    await db.updateTable('account_session').set(aged).where('account_id', '=', person.accountId).execute();
    await refuses(person.client.getMe(), 'unauthenticated', name);
  }
});

test('one of two concurrent password changes with the same old password succeeds', async () => {
  const twice = await invite(grace, url, { name: 'Twice', role: 'member' });
  const outcomes = await Promise.all(
    ['the first new one', 'the second new one'].map((wanted) =>
      twice.client.raw.changePassword({ current_password: PASSWORD, new_password: wanted }),
    ),
  );
  assert.equal(outcomes.filter(({ ok }) => ok).length, 1);
});

test('the database contains no session id, code or password in plain text', async () => {
  const secret = (await signIn(url, 'Grace')).cookie.split('=')[1] ?? '';
  for (const table of ['account', 'account_session', 'account_code', 'audit', 'idempotency_key'] as const) {
    const rows = JSON.stringify(await db.selectFrom(table).selectAll().execute());
    assert.ok(!rows.includes(secret) && !rows.includes(PASSWORD), table);
  }
});

test('a caller who guesses passwords is slowed down; other callers are not', async () => {
  await invite(grace, url, { name: 'Target', role: 'member' });
  const guess = (): Promise<string | null> =>
    codeOf(clientOf(url).logIn({ name: 'Target', password: 'is it this one' }));
  for (let tries = 0; tries < 10; tries += 1) assert.equal(await guess(), 'credentials_wrong');
  assert.equal(await guess(), 'rate_limited');
  await refuses(
    clientOf(url).logIn({ name: 'Target', password: PASSWORD }),
    'rate_limited',
    'the right password gets the same refusal',
  );
  await signIn(url, 'Grace');
});

test('a caller who guesses many names from one address is slowed down; others behind the same proxy are not', async () => {
  const replica = await village.startReplica();
  const from = async (address: string, name: string, password: string): Promise<string | null> => {
    const response = await fetch(`${replica.peopleUrl}${API_PREFIX}${logIn.path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address, 'x-forwarded-proto': 'https' },
      body: JSON.stringify({ name, password }),
    });
    return response.ok ? null : ((await response.json()) as { code: string }).code;
  };
  const codes: (string | null)[] = [];
  for (let guess = 0; guess < 60 && codes.at(-1) !== 'rate_limited'; guess += 1)
    codes.push(await from('203.0.113.7', `nobody ${guess}`, 'is it this one'));
  assert.equal(codes.at(-1), 'rate_limited', 'different names from one address count together');
  assert.ok(
    codes.length > 20 && codes.slice(0, -1).every((code) => code === 'credentials_wrong'),
    `${codes.length} guesses`,
  );
  assert.equal(await from('203.0.113.7', 'Grace', PASSWORD), 'rate_limited', 'the address is limited for any name');
  assert.equal(await from('198.51.100.9', 'Grace', PASSWORD), null, 'another address behind the same proxy');
  await replica.stop();
});

test('concurrent guesses count as well', async () => {
  await invite(grace, url, { name: 'Crowded', role: 'member' });
  const guesses = await Promise.all(
    Array.from({ length: 30 }, () => codeOf(clientOf(url).logIn({ name: 'Crowded', password: 'is it this one' }))),
  );
  assert.equal(guesses.filter((code) => code === 'credentials_wrong').length, 10);
  assert.equal(guesses.filter((code) => code === 'rate_limited').length, 20);
});

test('guesses of one-time codes are slowed down like guesses of passwords, even after the first account exists', async () => {
  const other = await village.startReplica();
  const redeem = (): Promise<string | null> =>
    codeOf(clientOf(other.peopleUrl).redeemCode({ code: 'no such code', password: PASSWORD }));
  const close = (): Promise<string | null> =>
    codeOf(clientOf(other.peopleUrl).bootstrapAccount({ code: BOOTSTRAP_CODE, name: 'Late', password: PASSWORD }));
  for (const [ask, code] of [
    [redeem, 'code_invalid'],
    [close, 'bootstrap_closed'],
  ] as const) {
    for (let tries = 0; tries < 10; tries += 1) assert.equal(await ask(), code);
    assert.equal(await ask(), 'rate_limited');
  }
  await other.stop();
});

test('a sign-in with the old password fails if the password is reset meanwhile', async () => {
  const person = await invite(grace, url, { name: 'Reset', role: 'member' });
  const superuser = openSuperuser(village.postgres);
  const signingIn = await db.transaction().execute(async (tx) => {
    await tx
      .updateTable('account')
      .set({ password_hash: 'another' })
      .where('account_id', '=', person.accountId)
      .execute();
    const code = codeOf(clientOf(url).logIn({ name: 'Reset', password: PASSWORD }));
    // Once the sign-in waits for the row, it has already checked the old password.
    await eventually(
      'a sign-in that waits for the account',
      async () =>
        (
          await superuser.run(
            `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
          )
        ).length > 0,
    );
    return { code };
  });
  assert.equal(await signingIn.code, 'credentials_wrong');
  await superuser.close();
});
