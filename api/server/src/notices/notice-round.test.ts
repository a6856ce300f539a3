/** Changes of a person while the emails of others are under way. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claimDueTargets, inTransaction, leaveMail, noteNotice, setNoticeWants } from '@hamlet/store';
import { firstAdmin, invite } from '../testing/play/people-play.ts';
import { testVillage } from '../testing/test-village.ts';
import { noticeRound } from './notice-round.ts';
import { NoticeRefusal } from './notice-refusal.ts';
import { mailWay } from './notice-ways.ts';
import type { Mailer } from './smtp-mailer.ts';

const village = await testVillage();
const { peopleUrl: url } = await village.startReplica();
const grace = await firstAdmin(url);
const db = village.openDb();
const admins = [grace];
for (const name of ['Ann', 'Ben', 'Cem', 'Dag', 'Eva']) admins.push(await invite(grace, url, { name, role: 'admin' }));
const mia = await invite(grace, url, { name: 'Mia', role: 'member' });
const { post } = await grace.client.createPost({ title: 'Post', body: 'Words' });
await mia.client.flagPost({ post_id: post.post_id, reason: 'spam' });

const addressOf = (at: number): string => `p${at}@example.org`;
const tokenOf = (at: number): string => String(at).repeat(32);
const rows = admins.map(({ accountId }, at) => ({
  account_id: accountId,
  way: 'mail' as const,
  address: addressOf(at),
  name: 'mail',
  wants: 'needs' as const,
  leave_token: tokenOf(at),
  due_at: new Date(Date.now() - 60_000 + at),
}));

const source = { list: () => [], get: () => null, entitlements: () => [] } as never;
const roundWith = (mailer: Mailer) =>
  noticeRound({
    db,
    source,
    economy: { timeZone: 'UTC' },
    ways: { mail: mailWay({ source, mailer, origin: 'https://village.example' }) },
    log: () => undefined,
    nowMs: () => Date.now(),
    stopping: new AbortController().signal,
  });

test('a person who ends their emails while those of others are sent gets none', async () => {
  await db.insertInto('notice_target').values(rows).execute();
  const sent: string[] = [];
  const last = rows.length - 1;
  const round = roundWith(async ({ to }) => {
    sent.push(to);
    await inTransaction(db, (tx) => leaveMail(tx, tokenOf(last)));
  });
  await round();
  assert.deepEqual(
    sent.toSorted(),
    rows.slice(0, last).map(({ address }) => address),
  );
});

test('a choice that comes between a look and its note stays', async () => {
  await db
    .updateTable('notice_target')
    .set({ due_at: new Date(0), wants: 'morning' })
    .execute();
  const [target] = await claimDueTargets(db, { ways: ['mail'], limit: 1, leaseS: 300 });
  assert.ok(target !== undefined);
  const { accountId } = target;
  await inTransaction(db, (tx) =>
    setNoticeWants(tx, { accountId, browserId: null, wants: 'off', dueInS: 0, restS: 0 }),
  );
  assert.equal(await noteNotice(db, target, { noted: [], dueInS: 60, sent: true }), false);
});

test('an address that defers every email holds up no other and is not tried sooner by a new choice; a dead server rests', async () => {
  for (const isOfRecipient of [true, false]) {
    await db
      .updateTable('notice_target')
      .set({ wants: 'needs', noted: [], sent_at: null, due_at: new Date(0) })
      .execute();
    const tried: string[] = [];
    const round = roundWith(({ to }) => {
      tried.push(to);
      const refusal = new NoticeRefusal('EENVELOPE 450', { isOfAddress: false, isOfRecipient }, null);
      return tried.length === 1 ? Promise.reject(refusal) : Promise.resolve();
    });
    await round();
    assert.equal(tried.length, isOfRecipient ? rows.length : 4);
    if (!isOfRecipient) continue;
    const failing = db.selectFrom('notice_target').select(['account_id', 'due_at']).where('failures', '>', 0);
    const { account_id: accountId, due_at: dueAt } = await failing.executeTakeFirstOrThrow();
    await inTransaction(db, (tx) =>
      setNoticeWants(tx, { accountId, browserId: null, wants: 'needs', dueInS: 0, restS: 0 }),
    );
    assert.deepEqual((await failing.executeTakeFirstOrThrow()).due_at, dueAt);
  }
});

test('two replicas that look at the same time send each notice once', async () => {
  await db
    .updateTable('notice_target')
    .set({ wants: 'needs', noted: [], sent_at: null, due_at: new Date(0) })
    .execute();
  const sent: string[] = [];
  const [one, other] = [1, 2].map(() => roundWith(async ({ to }) => void sent.push(to)));
  await Promise.all([one?.(), other?.()]);
  assert.deepEqual(
    sent.toSorted(),
    rows.map(({ address }) => address),
  );
});
