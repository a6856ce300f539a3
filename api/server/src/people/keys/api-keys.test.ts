/** API keys of people: what they open, and when they end. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { KEYS_OF_PERSON_MAX } from '@hamlet/contract';
import {
  endSessions,
  forgetExpiredAccountKeys,
  insertAccount,
  insertSession,
  inTransaction,
  lockAccount,
  readAudit,
} from '@hamlet/store';
import { until } from '@hamlet/test/env/until';
import { randomUUID } from 'node:crypto';
import { refuses } from '@hamlet/test/env/client';
import { WebSocket } from 'ws';
import { hashOf, newSecret } from '../../auth/secrets.ts';
import { firstAdmin, invite, personOf } from '../../testing/play/people-play.ts';
import { clientOf, TOKENS, testVillage } from '../../testing/test-village.ts';

const village = await testVillage();
const replica = await village.startReplica({ HAMLET_AGENTS_LISTEN: '127.0.0.1:0' });
const [url, otherUrl] = [replica.peopleUrl, (await village.startReplica()).peopleUrl];
const grace = await firstAdmin(url);
const db = village.openDb();
const ada = await invite(grace, url, { name: 'Ada L.', role: 'member' });

test('a key acts as its person within its scopes, shows once, and is stored as a hash', async () => {
  const { key, token } = await ada.client.createMyKey({ name: 'notes', scopes: ['read', 'board'], days: 90 });
  assert.match(token, /^hk_[\w-]{43}$/);
  const program = clientOf(url, token);
  const { account } = await program.getMe();
  assert.deepEqual([account.account_id, account.role], [ada.accountId, 'member']);
  const { post } = await program.createPost({ title: 'From a program', body: 'It runs.' });
  assert.deepEqual([post.author_type, post.author_id], ['human', `account ${ada.accountId}`]);
  await refuses(program.createRun({ agent_id: 'ada', prompt: 'Work' }), 'forbidden', 'the scope work is missing');
  await refuses(program.listAccounts(), 'forbidden', 'the role lacks it');
  const { keys } = await ada.client.listMyKeys();
  assert.deepEqual(
    keys.map(({ name, scopes }) => [name, scopes]),
    [['notes', ['read', 'board']]],
  );
  assert.equal(keys[0]?.last_used_at !== null, true);
  assert.equal(JSON.stringify(keys).includes(token.slice(3)), false);
  const stored = await db.selectFrom('account_key').selectAll().where('key_id', '=', key.key_id).execute();
  assert.deepEqual(stored[0]?.key_hash, hashOf(token));
});

test('no key changes the account: keys, sessions and password need a session', async () => {
  const { token } = await grace.client.createMyKey({
    name: 'all',
    scopes: ['read', 'work', 'board', 'spend', 'manage'],
    days: 1,
  });
  const program = clientOf(url, token);
  await refuses(program.createMyKey({ name: 'child', scopes: ['read'], days: 1 }), 'forbidden');
  await refuses(program.listMyKeys(), 'forbidden');
  await refuses(program.listMySessions(), 'forbidden');
  await refuses(program.createAccount({ name: 'Eve', role: 'admin' }), 'forbidden');
  await refuses(program.resetPassword({ account_id: ada.accountId }), 'forbidden');
  const tool = clientOf(url, TOKENS.member);
  await refuses(tool.createMyKey({ name: 'x', scopes: ['read'], days: 1 }), 'session_needed');
  await refuses(tool.listMyKeys(), 'session_needed');
  await refuses(tool.revokeMyKey({ key_id: randomUUID() }), 'session_needed');
});

test('a key offers money for a run only with the scope spend', async () => {
  const offering = { agent_id: 'unborn', prompt: 'Count the owls', offer: { amount: '1', expires_in_hours: 1 } };
  const worker = await ada.client.createMyKey({ name: 'worker', scopes: ['work'], days: 1 });
  await refuses(clientOf(url, worker.token).createRun(offering), 'forbidden', 'an offer is a reward');
  const payer = await ada.client.createMyKey({ name: 'payer', scopes: ['work', 'spend'], days: 1 });
  await refuses(clientOf(url, payer.token).createRun(offering), 'no_such_agent', 'the scopes allow it');
});

test('a key of an admin reads sums of days, and prices at providers only in a session', async () => {
  const { token } = await grace.client.createMyKey({ name: 'sums', scopes: ['read', 'manage'], days: 1 });
  const [byKey] = (await clientOf(url, token).listMoneyDays({ days: 1 })).days;
  const [inSession] = (await grace.client.listMoneyDays({ days: 1 })).days;
  assert.deepEqual([byKey?.total.costs, inSession?.total.costs], [null, []]);
});

test('acts of a key name it in the audit', async () => {
  const { key, token } = await grace.client.createMyKey({ name: 'moderator', scopes: ['manage'], days: 1 });
  const { post } = await ada.client.createPost({ title: 'Spam', body: 'Buy now.' });
  await clientOf(url, token).moderatePost({ post_id: post.post_id, reason: 'spam' });
  const [act] = await readAudit(db, post.post_id, 1);
  assert.equal(act?.actorId, `account ${grace.accountId}`);
  assert.equal(Object(act?.detail).key_id, key.key_id);
});

test('a key is refused if it asks for more than the person has', async () => {
  const wish = { name: 'more', scopes: ['read' as const], days: 1 };
  await refuses(ada.client.createMyKey({ ...wish, scopes: ['read', 'manage'] }), 'scope_not_yours');
  await refuses(ada.client.createMyKey({ ...wish, days: 366 }), 'validation_failed');
  await refuses(ada.client.createMyKey({ ...wish, name: 'notes' }), 'key_exists');
  const federated = await insertAccount(db, {
    accountId: randomUUID(),
    name: 'Fed',
    role: 'member',
    passwordHash: null,
    identity: { issuer: 'https://id.example', subject: '1' },
  });
  const session = newSecret('');
  await insertSession(db, {
    idHash: hashOf(session),
    accountId: federated?.accountId ?? '',
    expiresAt: new Date(Date.now() + 60_000),
    signedInBy: 'oidc',
    address: null,
    userAgent: null,
  });
  const fed = personOf(url, federated?.accountId ?? '', `__Host-hamlet_session=${session}`);
  await refuses(fed.client.createMyKey({ ...wish, days: 31 }), 'key_lives_too_long');
  for (let n = 0; n < KEYS_OF_PERSON_MAX; n += 1) await fed.client.createMyKey({ ...wish, name: `key ${n}` });
  await refuses(fed.client.createMyKey(wish), 'too_many_keys');
});

test('a revoked key is refused at once on every replica, and its sockets close', async () => {
  const { key, token } = await ada.client.createMyKey({ name: 'viewer', scopes: ['read'], days: 1 });
  const socket = new WebSocket(`${otherUrl.replace('http', 'ws')}/ws/board`, {
    headers: { authorization: `Bearer ${token}` },
  });
  await once(socket, 'open');
  const closed = once(socket, 'close');
  await refuses(grace.client.revokeMyKey({ key_id: key.key_id }), 'no_such_key', "another person's key");
  await ada.client.revokeMyKey({ key_id: key.key_id });
  await refuses(clientOf(otherUrl, token).getMe(), 'token_invalid');
  assert.equal((await closed)[0], 4_401);
  const narrow = await ada.client.createMyKey({ name: 'runs', scopes: ['board'], days: 1 });
  const refusedSocket = new WebSocket(`${url.replace('http', 'ws')}/ws/runs`, {
    headers: { authorization: `Bearer ${narrow.token}` },
  });
  const [error] = await once(refusedSocket, 'error');
  assert.match(String(error), /403/);
});

test('a key follows the role of its person, and ends with a ban, its expiry, a reset and the account', async () => {
  const tim = await invite(grace, url, { name: 'Tim', role: 'admin' });
  const { key, token } = await tim.client.createMyKey({ name: 'boss', scopes: ['manage', 'read'], days: 1 });
  const program = clientOf(url, token);
  const tims = { account_id: tim.accountId };
  await program.listModeration({});
  await grace.client.changeAccount({ ...tims, role: 'member' });
  await refuses(program.listModeration({}), 'forbidden');
  await grace.client.banAccount({ ...tims, reason: 'away' });
  await refuses(program.getMe(), 'account_banned');
  await grace.client.liftAccountBan(tims);
  await program.getMe();
  const at = (days: number): Date => new Date(Date.now() - days * 86_400_000);
  await db
    .updateTable('account_key')
    .set({ created_at: at(2), expires_at: at(1) })
    .where('key_id', '=', key.key_id)
    .execute();
  await refuses(program.getMe(), 'token_invalid');
  await forgetExpiredAccountKeys(db, 30);
  assert.equal((await tim.client.listMyKeys()).keys.length, 1, 'it stays in the list for a month');
  await forgetExpiredAccountKeys(db, 0);
  assert.equal((await tim.client.listMyKeys()).keys.length, 0);
  const next = await tim.client.createMyKey({ name: 'next', scopes: ['read'], days: 1 });
  await grace.client.resetPassword(tims);
  await refuses(clientOf(url, next.token).getMe(), 'token_invalid', 'a reset ends the keys too');
  const late = await ada.client.createMyKey({ name: 'late', scopes: ['read'], days: 1 });
  await grace.client.changeAccount({ account_id: ada.accountId, disabled: true });
  await refuses(clientOf(url, late.token).getMe(), 'token_invalid');
  await grace.client.changeAccount({ account_id: ada.accountId, disabled: false });
  await refuses(clientOf(url, late.token).getMe(), 'token_invalid', 'it stays ended');
});

test('a key or a name that was asked for before a reset and waits for it is refused', async () => {
  const una = await invite(grace, url, { name: 'Una', role: 'member' });
  let outcomes: Promise<void>[] = [];
  await inTransaction(db, async (tx) => {
    await lockAccount(tx, una.accountId);
    outcomes = [
      refuses(una.client.createMyKey({ name: 'quick', scopes: ['read'], days: 1 }), 'session_needed'),
      refuses(una.client.renameMe({ name: 'Una the second' }), 'session_needed'),
    ];
    await until('the requests to wait for the lock', async () => {
      const sessions = tx
        .withTables<{ pg_stat_activity: { datname: string; wait_event_type: string } }>()
        .selectFrom('pg_stat_activity')
        .select('datname')
        .where('wait_event_type', '=', 'Lock')
        .where('datname', '=', new URL(village.postgres.url()).pathname.slice(1));
      return (await sessions.execute()).length === 2;
    });
    await endSessions(tx, una.accountId, 'all');
  });
  await Promise.all(outcomes);
});

test('the timeline shows a key only what its scopes open elsewhere', async () => {
  await grace.client.freezeAgent({ agent_id: 'ada', reason: 'spends' });
  await grace.client.liftFreeze({ agent_id: 'ada' });
  await grace.client.rewardAgent({ agent_id: 'ada', amount: '1', reason: 'good bread' });
  const kindsOf = async (scopes: ('read' | 'work')[]): Promise<ReadonlySet<string>> => {
    const { token } = await grace.client.createMyKey({ name: `timeline ${scopes.join()}`, scopes, days: 1 });
    const { entries } = await clientOf(url, token).getTimeline({ agent_id: 'ada', limit: 100 });
    return new Set(entries.map(({ kind }) => kind));
  };
  assert.deepEqual([...(await kindsOf(['read']))].toSorted(), ['judgement', 'state']);
  assert.deepEqual([...(await kindsOf(['work']))], []);
});

test('agents cannot use a key of a person at their own listener', async () => {
  const { token } = await grace.client.createMyKey({ name: 'inside', scopes: ['read'], days: 1 });
  await refuses(clientOf(replica.agentsUrl, token).listPosts({}), 'token_invalid');
  await clientOf(url, token).listPosts({});
});
