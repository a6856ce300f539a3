/** Admins' acts on people's accounts, on two replicas: a caller whom one replica refuses must be refused by the other too. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { API_PREFIX, createAccount } from '@hamlet/contract';
import { readAudit } from '@hamlet/store';
import { WebSocket } from 'ws';
import { codeOf, refuses } from '@hamlet/test/env/client';
import { firstAdmin, invite, PASSWORD, personOf, signIn, type SignedInPerson } from '../testing/play/people-play.ts';
import { clientOf, eventually, TOKENS, testVillage } from '../testing/test-village.ts';

const village = await testVillage();
const [url, otherUrl] = [(await village.startReplica()).peopleUrl, (await village.startReplica()).peopleUrl];
const grace = await firstAdmin(url);
const db = village.openDb();

const of = (person: { readonly accountId: string }) => ({ account_id: person.accountId });

async function actionsOn(person: { readonly accountId: string }): Promise<readonly string[]> {
  return (await readAudit(db, `account ${person.accountId}`, 50)).map(({ action }) => action).toReversed();
}

/** A person's viewer socket on a replica, and the code with which it closes. */
async function openSocket(base: string, person: SignedInPerson): Promise<{ readonly closed: Promise<number> }> {
  const socket = new WebSocket(`${base.replace('http', 'ws')}/ws/world?format=json`, {
    headers: { cookie: person.cookie, origin: base },
  });
  const closed = once(socket, 'close').then(([code]) => Number(code));
  await once(socket, 'open');
  return { closed };
}

test('accounts are created and listed by name in pages; names that differ only in case collide', async () => {
  const made = await grace.client.createAccount({ name: 'Bela', role: 'member' });
  assert.match(made.invitation?.code ?? '', /^hic_/);
  const chosen = await fetch(`${url}${API_PREFIX}${createAccount.path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKENS.admin}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Eve', role: 'admin', password: PASSWORD }),
  });
  assert.equal(chosen.status, 400, 'an admin cannot set the password of another person');
  assert.deepEqual(
    { ...made.account, account_id: '', created_at: '' },
    {
      account_id: '',
      name: 'Bela',
      role: 'member',
      created_at: '',
      signs_in_by: 'password',
      pending: true,
      disabled_at: null,
      ban: null,
      last_seen_at: null,
      sessions: 0,
      keys: 0,
      messengers: 0,
    },
  );
  await refuses(grace.client.createAccount({ name: 'BELA', role: 'member' }), 'account_exists');
  assert.equal((await grace.client.createAccount({ name: 'Aron', role: 'admin' })).account.pending, true);
  const names: string[] = [];
  for (let cursor: string | undefined, more = true; more;) {
    const page = await grace.client.listAccounts({ limit: 1, ...(cursor === undefined ? {} : { cursor }) });
    names.push(...page.accounts.map(({ name }) => name));
    [cursor, more] = [page.next_cursor ?? undefined, page.next_cursor !== null];
  }
  assert.deepEqual(names, ['Aron', 'Bela', 'Grace']);
  await refuses(grace.client.listAccounts({ cursor: 'nonsense' }), 'cursor_invalid');
  await refuses(grace.client.getAccount({ account_id: crypto.randomUUID() }), 'no_such_account');
  const { account_id } = made.account;
  assert.deepEqual(await grace.client.getAccountName({ account_id }), { name: 'Bela' });
  await refuses(grace.client.getAccountName({ account_id: crypto.randomUUID() }), 'no_such_account');
});

test('a new role applies from the next request on, on every replica', async () => {
  const person = await invite(grace, url, { name: 'Rolf', role: 'member' });
  const there = personOf(otherUrl, person.accountId, person.cookie).client;
  await refuses(there.listAccounts(), 'forbidden');
  assert.equal((await grace.client.changeAccount({ ...of(person), role: 'admin' })).account.role, 'admin');
  await there.listAccounts();
  await grace.client.changeAccount({ ...of(person), role: 'member' });
  await refuses(there.listAccounts(), 'forbidden');
  assert.deepEqual(await actionsOn(person), ['account.create', 'session.open', 'account.role', 'account.role']);
});

test('a disabled account loses its sessions and cannot sign in until it is enabled', async () => {
  const person = await invite(grace, url, { name: 'Dina', role: 'member' });
  const socket = await openSocket(otherUrl, person);
  const { account } = await grace.client.changeAccount({ ...of(person), disabled: true });
  assert.notEqual(account.disabled_at, null);
  await refuses(person.client.getMe(), 'unauthenticated');
  assert.equal(await socket.closed, 4401);
  await refuses(clientOf(url).logIn({ name: 'Dina', password: PASSWORD }), 'account_disabled');
  await refuses(
    clientOf(url).logIn({ name: 'Dina', password: 'not her password' }),
    'credentials_wrong',
    'a caller with a wrong password cannot find out that the account is disabled',
  );
  await grace.client.changeAccount({ ...of(person), disabled: false });
  await signIn(url, 'Dina');
});

test('a reset removes the password and ends the sessions; its code sets a new password', async () => {
  const person = await invite(grace, url, { name: 'Resi', role: 'member' });
  const { reset } = await grace.client.resetPassword(of(person));
  await refuses(person.client.getMe(), 'unauthenticated');
  await refuses(clientOf(url).logIn({ name: 'Resi', password: PASSWORD }), 'credentials_wrong');
  await clientOf(url).redeemCode({ code: reset.code, password: 'a better password' });
  await signIn(url, 'Resi', 'a better password');
});

test('an admin sees and ends the sessions of an account, together with their sockets', async () => {
  const person = await invite(grace, url, { name: 'Sina', role: 'member' });
  const socket = await openSocket(otherUrl, person);
  assert.equal((await grace.client.listAccountSessions(of(person))).sessions.length, 1);
  assert.deepEqual(await grace.client.endAccountSessions(of(person)), { ended: 1 });
  assert.equal(await socket.closed, 4401);
  await refuses(person.client.getMe(), 'unauthenticated');
});

test('a ban refuses the account at once on every replica, with reason and end; it expires or is lifted', async () => {
  const person = await invite(grace, url, { name: 'Bodo', role: 'member' });
  const there = personOf(otherUrl, person.accountId, person.cookie);
  const sockets = await Promise.all([openSocket(url, person), openSocket(otherUrl, there)]);
  await refuses(
    grace.client.banAccount({
      ...of(person),
      reason: 'late',
      expires_at: new Date(Date.now() - 1_000).toISOString(),
    }),
    'expiry_in_the_past',
  );
  const { account } = await grace.client.banAccount({ ...of(person), reason: 'insults agents' });
  assert.equal(account.ban?.reason, 'insults agents');
  for (const { client } of [person, there]) {
    const refusal = await client.raw.getWorld();
    assert.deepEqual(refusal.ok ? null : [refusal.problem.code, refusal.problem.detail, refusal.problem.status], [
      'account_banned',
      'insults agents (until it is lifted)',
      403,
    ]);
  }
  assert.deepEqual(await Promise.all(sockets.map(({ closed }) => closed)), [4401, 4401]);
  const refused = new WebSocket(`${url.replace('http', 'ws')}/ws/world`, {
    headers: { cookie: person.cookie, origin: url },
  });
  const [, answer] = (await once(refused, 'unexpected-response')) as [unknown, { statusCode: number }];
  assert.equal(answer.statusCode, 403);
  await refuses(clientOf(url).logIn({ name: 'Bodo', password: PASSWORD }), 'account_banned');
  await grace.client.liftAccountBan({ ...of(person), reason: 'said sorry' });
  await there.client.getWorld();
  await grace.client.banAccount({
    ...of(person),
    reason: 'again',
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
  });
  await refuses(there.client.getWorld(), 'account_banned');
  // Moves the ban's end to the past, as if its hour had passed.
  await db
    .updateTable('account_ban')
    .set({ expires_at: new Date() })
    .where('account_id', '=', person.accountId)
    .where('lifted_at', 'is', null)
    .execute();
  await eventually('the end of the ban', async () => (await codeOf(there.client.getWorld())) === null);
  await eventually(
    'the audit row of its end',
    async () => (await actionsOn(person)).filter((action) => action === 'account.unban').length === 2,
  );
  assert.deepEqual(
    (await actionsOn(person)).filter((action) => action.startsWith('account.')),
    ['account.create', 'account.ban', 'account.unban', 'account.ban', 'account.unban'],
  );
  const rows = await db.selectFrom('account_ban').selectAll().where('account_id', '=', person.accountId).execute();
  assert.equal(rows.length, 2, 'one row for each ban');
});

test('the last admin cannot be removed', async () => {
  const admins = (await grace.client.listAccounts()).accounts.filter(
    ({ role, name }) => role === 'admin' && name !== 'Grace',
  );
  for (const { account_id } of admins) await grace.client.changeAccount({ account_id, disabled: true });
  await refuses(grace.client.changeAccount({ ...of(grace), role: 'member' }), 'last_admin');
  await refuses(grace.client.changeAccount({ ...of(grace), disabled: true }), 'last_admin');
  await refuses(grace.client.banAccount({ ...of(grace), reason: 'myself' }), 'last_admin');
});

test('one of two admins who disable each other at once stays', async () => {
  for (let round = 0; round < 5; round += 1) {
    const left = await invite(grace, url, { name: `Left ${round}`, role: 'admin' });
    const right = await invite(grace, url, { name: `Right ${round}`, role: 'admin' });
    await db
      .updateTable('account')
      .set({ disabled_at: new Date() })
      .where('account_id', 'not in', [left.accountId, right.accountId])
      .execute();
    const codes = await Promise.all([
      codeOf(left.client.changeAccount({ ...of(right), disabled: true })),
      codeOf(personOf(otherUrl, right.accountId, right.cookie).client.changeAccount({ ...of(left), disabled: true })),
    ]);
    assert.equal(codes.filter((code) => code === null).length, 1, codes.join());
    await db.updateTable('account').set({ disabled_at: null }).where('account_id', '=', grace.accountId).execute();
  }
});
