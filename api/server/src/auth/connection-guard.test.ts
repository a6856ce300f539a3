/** Open connections close once the API would refuse their actor, notified by a real Postgres. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { announceAccount, openDatabase } from '@hamlet/store';
import { migratedPostgres } from '@hamlet/test/env/postgres';
import { until } from '@hamlet/test/env/until';
import { untilEnd } from '@hamlet/test/env/at-end';
import type { Actor } from '../http/actor.ts';
import type { Refused } from '../http/outcome.ts';
import { startConnectionGuard, type ConnectionGuard } from './connection-guard.ts';
import { openNotifications } from '../service/notifications.ts';

const AGENT: Actor = {
  role: 'agent',
  id: 'agent ada',
  agentId: 'ada',
  uid: 'uid',
  podUid: null,
  cycle: 0,
  stale: false,
};
const MEMBER: Actor = { role: 'member', id: 'account 1', accountId: '1', name: 'Grace' };
const KEY: Actor = { role: 'member', id: 'key member', accountId: null, name: 'member' };
const VISITOR: Actor = { role: 'visitor', id: 'visitor 192.0.2.7' };
const NEVER_MS = 1_000_000_000;
const BANNED: Refused = { ok: false, reason: 'account_banned' };

let announceStanding: (agentIds: readonly string[]) => void = () => undefined;

const postgres = untilEnd(await migratedPostgres());
const db = untilEnd(openDatabase({ url: postgres.url(), poolSize: 1, onError: () => undefined }));
const onStanding = (listener: typeof announceStanding): void => {
  announceStanding = listener;
};
const notifications = untilEnd(openNotifications(postgres.appUrl, () => undefined));
const guard = untilEnd(startConnectionGuard({ notifications, log: () => undefined, onStanding, everyMs: NEVER_MS }));
// A guard checks every account when it begins to listen, because it may have missed a change.
const first = watched(guard, MEMBER);
await until('the guard listens', async () => first.looks > 0);
first.unwatch();

interface Watched {
  looks: number;
  /** The actor now, or the refusal or error of the check. */
  now: Actor | Refused | Error;
  readonly closedBy: string[];
  readonly unwatch: () => void;
}

function watched(by: ConnectionGuard, actor: Actor): Watched {
  const connection: Omit<Watched, 'unwatch'> = { looks: 0, now: actor, closedBy: [] };
  const unwatch = by.watch({
    actor,
    recheck: async () => {
      connection.looks += 1;
      if (connection.now instanceof Error) throw connection.now;
      return connection.now;
    },
    close: ({ reason }) => void connection.closedBy.push(reason),
  });
  return Object.assign(connection, { unwatch });
}

const closed = (connection: Watched): Promise<boolean> =>
  until('the connection is closed', async () => connection.closedBy.length > 0);

/**
 * Bans all watched actors, announces a change, and returns those whose connections were closed once `last` is closed.
 */
async function closedOf(
  all: Readonly<Record<string, Watched>>,
  announce: () => void | Promise<void>,
  last: string,
): Promise<readonly string[]> {
  for (const connection of Object.values(all)) connection.now = BANNED;
  await announce();
  await until(`${last} is closed`, async () => (all[last]?.closedBy.length ?? 0) > 0);
  for (const connection of Object.values(all)) connection.unwatch();
  return Object.keys(all).filter((name) => (all[name]?.looks ?? 0) > 0);
}

test("a change of an account closes that account's connections and no others", async () => {
  const all = {
    key: watched(guard, KEY),
    visitor: watched(guard, VISITOR),
    agent: watched(guard, AGENT),
    other: watched(guard, { ...MEMBER, accountId: '2' }),
    member: watched(guard, MEMBER),
  };
  assert.deepEqual(await closedOf(all, () => announceAccount(db, '1'), 'member'), ['member']);
  assert.deepEqual(all.member.closedBy, ['account_banned']);
});

test('a measure against agents closes their connections and no others', async () => {
  const all = {
    member: watched(guard, MEMBER),
    visitor: watched(guard, VISITOR),
    bob: watched(guard, { ...AGENT, id: 'agent bob', agentId: 'bob' }),
    ada: watched(guard, AGENT),
  };
  assert.deepEqual(await closedOf(all, () => announceStanding(['ada', 'cleo']), 'ada'), ['ada']);
});

test('a guard that listens again checks every account, because it may have missed a change', async () => {
  const elsewhere = openNotifications(postgres.appUrl, () => undefined);
  const another = startConnectionGuard({
    notifications: elsewhere,
    log: () => undefined,
    onStanding: () => undefined,
    everyMs: NEVER_MS,
  });
  const all = {
    key: watched(another, KEY),
    visitor: watched(another, VISITOR),
    first: watched(another, { ...MEMBER, accountId: '2' }),
    second: watched(another, MEMBER),
  };
  assert.deepEqual(await closedOf(all, () => undefined, 'second'), ['first', 'second']);
  another.stop();
  await elsewhere.close();
});

test('all connections except those of visitors are checked periodically, with or without a notification', async () => {
  const elsewhere = openNotifications(postgres.appUrl, () => undefined);
  const another = startConnectionGuard({
    notifications: elsewhere,
    log: () => undefined,
    onStanding: () => undefined,
    everyMs: 10,
  });
  const all = {
    visitor: watched(another, VISITOR),
    agent: watched(another, AGENT),
    member: watched(another, MEMBER),
    key: watched(another, KEY),
  };
  await until('each was checked twice', async () => all.agent.looks > 1 && all.member.looks > 1 && all.key.looks > 1);
  assert.deepEqual(
    [all.visitor.looks, ...Object.values(all).flatMap(({ closedBy }) => closedBy)],
    [0],
    'an unchanged actor stays connected',
  );
  all.key.unwatch();
  const { looks } = all.key;
  const before = all.agent.looks;
  await until('the others are checked', async () => all.agent.looks > before + 1);
  assert.equal(all.key.looks, looks, 'an ended one is not checked');
  another.stop();
  await elsewhere.close();
});

test('a connection closes if its credentials now belong to another actor or role', async () => {
  for (const now of [
    { ...MEMBER, id: 'account 2' },
    { ...MEMBER, role: 'admin' },
  ] as const) {
    const refusals: Refused[] = [];
    guard.watch({ actor: MEMBER, recheck: async () => now, close: (refusal) => void refusals.push(refusal) });
    await announceAccount(db, '1');
    await until('the connection is closed', async () => refusals.length > 0);
    assert.deepEqual(refusals, [{ ok: false, reason: 'token_invalid' }]);
  }
});

test('while the check fails a connection stays open; it closes once the check works again', async () => {
  const connection = watched(guard, MEMBER);
  connection.now = new Error('the database is unreachable');
  await announceAccount(db, '1');
  await until('it is checked', async () => connection.looks > 0);
  assert.deepEqual(connection.closedBy, []);
  connection.now = BANNED;
  await announceAccount(db, '1');
  await announceAccount(db, '1');
  await closed(connection);
  const after = watched(guard, MEMBER);
  await announceAccount(db, '1');
  await until('a later one is checked', async () => after.looks > 0);
  assert.deepEqual([connection.closedBy, after.closedBy], [['account_banned'], []]);
});
