/** Notices for browsers from their subscription to its end, through a push service that checks each request strictly. */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { inTransaction, putBrowser } from '@hamlet/store';
import { testFolder } from '@hamlet/test/env/at-end';
import { refuses, type TestClient } from '@hamlet/test/env/client';
import { until } from '@hamlet/test/env/until';
import { firstAdmin, invite, personOf } from '../../testing/play/people-play.ts';
import { testVillage } from '../../testing/test-village.ts';
import { PUSH_HOST, startPushService, type TestBrowser } from './testing/push-service.ts';

const keyFile = join(testFolder('push'), 'key.pem');
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
writeFileSync(keyFile, privateKey.export({ type: 'sec1', format: 'pem' }));
const service = await startPushService();
const PUSH = {
  HAMLET_PUSH_KEY_FILE: keyFile,
  HAMLET_PUSH_HOSTS: `${PUSH_HOST},inside.home`,
  HAMLET_PUBLIC_URL: 'https://village.example',
};
const village = await testVillage();
const { peopleUrl: url } = await village.startReplica(PUSH, { outwardRoute: service.route });
const grace = await firstAdmin(url);
const mia = await invite(grace, url, { name: 'Mia', role: 'member' });
const db = village.openDb();

const lookNow = () =>
  db
    .updateTable('notice_target')
    .set({ due_at: new Date(Date.now() - 1_000) })
    .execute();
const rowOf = ({ subscription: { endpoint } }: TestBrowser) =>
  db.selectFrom('notice_target').selectAll().where('address', '=', endpoint).executeTakeFirst();
const add = (client: TestClient, { subscription }: TestBrowser, name = 'Firefox on Linux') =>
  client.addMyBrowser({ name, ...subscription });
const browsersOf = async (client: TestClient) => (await client.getMyNotices()).push?.browsers ?? [];

async function untilLooked(browser: TestBrowser): Promise<void> {
  await lookNow();
  await until('a look without news', async () => {
    const dueInMs = ((await rowOf(browser))?.due_at.getTime() ?? 0) - Date.now();
    return dueInMs > 0 && dueInMs < 61_000;
  });
}

let flags = 0;
/** Something that waits for admins alone. */
async function flagged(): Promise<void> {
  const { post } = await grace.client.createPost({ title: `Post ${(flags += 1)}`, body: 'secret words' });
  await mia.client.flagPost({ post_id: post.post_id, reason: 'spam' });
}

service.state.publicKey = (await grace.client.getMyNotices()).push?.public_key ?? '';
const [laptop, phone, member] = [service.browser(), service.browser(), service.browser()];

test('only a browser of a known push service is added, with keys that work, and eight of a person', async () => {
  const { subscription } = laptop;
  for (const endpoint of [
    'https://evil.example/send/x',
    'https://fcm.googleapis.com.evil.example/send/x',
    'https://xfcm.googleapis.com/send/x',
    'https://user@fcm.googleapis.com/send/x',
    'https://fcm.googleapis.com:8443/send/x',
    'https://127.0.0.1/send/x',
    'https://[::1]/send/x',
    'https://push.apple.com/x',
  ])
    await refuses(grace.client.addMyBrowser({ name: 'x', ...subscription, endpoint }), 'browser_refused', endpoint);
  for (const endpoint of [
    'http://fcm.googleapis.com/x',
    'file:///etc/passwd',
    `https://${PUSH_HOST}/${'x'.repeat(1_024)}`,
  ])
    await refuses(grace.client.addMyBrowser({ name: 'x', ...subscription, endpoint }), 'validation_failed', endpoint);
  const wrong = { ...subscription, p256dh: 'A'.repeat(87) };
  await refuses(grace.client.addMyBrowser({ name: 'x', ...wrong }), 'browser_refused', 'not a point of the curve');
  for (const endpoint of [
    'https://fcm.googleapis.com/fcm/send/a',
    'https://updates.push.services.mozilla.com/wpush/v2/a',
    'https://web.push.apple.com/a',
    'https://wns2-by3p.notify.windows.com/w/?token=a',
  ])
    await mia.client.addMyBrowser({ name: 'x', ...subscription, endpoint });
  for (const _ of Array(4)) await add(mia.client, service.browser());
  await refuses(add(mia.client, member), 'too_many_browsers');
  for (const { browser_id } of await browsersOf(mia.client)) await mia.client.forgetMyBrowser({ browser_id });
  assert.deepEqual(service.received, []);
});

test('needs are shown at once in each browser of those who may settle them, as number and kinds, and only once', async () => {
  await flagged();
  for (const [client, browser] of [
    [grace.client, laptop],
    [grace.client, phone],
    [mia.client, member],
  ] as const)
    await add(client, browser);
  await until('both browsers', () => service.received.length === 2);
  const shown = { title: 'Hamlet: 1 thing needs you', body: '1 flagged text' };
  assert.deepEqual([service.shownBy(laptop), service.shownBy(phone)], [[shown], [shown]]);
  await untilLooked(laptop);
  await add(grace.client, laptop, 'Firefox at home');
  await untilLooked(laptop);
  assert.equal(service.received.length, 2, 'a browser that is added again gets no notice sooner, and a member none');
  assert.deepEqual(
    (await browsersOf(grace.client)).map(({ name, wants, failure }) => [name, wants, failure]),
    [
      ['Firefox at home', 'needs', null],
      ['Firefox on Linux', 'needs', null],
    ],
  );
});

test('a browser that changes hands shows nothing of its last person, and a person changes only their own browsers', async () => {
  const [{ browser_id = '' } = {}] = await browsersOf(grace.client);
  await refuses(mia.client.changeMyBrowser({ browser_id, wants: 'off' }), 'no_such_browser');
  await refuses(mia.client.forgetMyBrowser({ browser_id }), 'no_such_browser');
  await add(mia.client, laptop);
  assert.equal((await browsersOf(grace.client)).length, 1);
  assert.equal((await browsersOf(mia.client)).length, 2);
});

test('each morning a browser shows everything that waits; one that is switched off shows nothing', async () => {
  await flagged();
  const [{ browser_id = '' } = {}] = await browsersOf(grace.client);
  await grace.client.changeMyBrowser({ browser_id, wants: 'off' });
  await lookNow();
  await untilLooked(member);
  assert.equal(service.shownBy(phone).length, 1);
  await grace.client.changeMyBrowser({ browser_id, wants: 'morning' });
  const dueInMs = ((await rowOf(phone))?.due_at.getTime() ?? 0) - Date.now();
  assert.ok(dueInMs > 0 && dueInMs <= 25 * 3_600_000, `${dueInMs}`);
  await lookNow();
  await until('a digest', () => service.shownBy(phone).length === 2);
  assert.deepEqual(service.shownBy(phone)[1], { title: 'Hamlet: 2 things need you', body: '2 flagged texts' });
  await grace.client.changeMyBrowser({ browser_id, wants: 'needs' });
});

test('a service that is busy or fails is asked later and loses no notice', async () => {
  Object.assign(service.state, { status: 429, retryAfter: '7200' });
  await flagged();
  const shown = service.received.length;
  const failures = async () => (await rowOf(phone))?.failures;
  await lookNow();
  await until('a failure', async () => (await failures()) === 1);
  const busy = await rowOf(phone);
  assert.equal(busy?.failure, 'HTTP 429');
  assert.ok((busy?.due_at.getTime() ?? 0) - Date.now() > 7_000_000, 'it waits as long as the service asks');
  Object.assign(service.state, { status: 413, retryAfter: '' });
  await lookNow();
  await until('another failure', async () => (await failures()) === 2);
  await db
    .updateTable('notice_target')
    .set({ failures: 3 })
    .where('address', '=', phone.subscription.endpoint)
    .execute();
  const needs = (await grace.client.listMyNeeds()).needs.filter(({ kind }) => kind === 'mail');
  assert.deepEqual(
    needs.map(({ id, line }) => [id, line]),
    [['push', 'A push service does not accept notices (HTTP 413)']],
  );
  service.state.status = 201;
  await lookNow();
  await until('the notice', async () => (await failures()) === 0);
  assert.equal(service.received.length, shown + 3, 'three attempts');
  await untilLooked(phone);
  assert.equal(service.received.length, shown + 3, 'nothing is sent twice');
});

test('a browser that is gone is removed, and no notice goes to an address inside', async () => {
  const inside = service.browser('inside.home');
  await add(grace.client, inside);
  await until('a refusal', async () => (await rowOf(inside))?.failure === 'NO_ANSWER');
  assert.deepEqual(service.shownBy(inside), []);
  service.forget(phone);
  await db.updateTable('notice_target').set({ noted: [] }).execute();
  await lookNow();
  await until('the end of the browser', async () => (await rowOf(phone)) === undefined);
  assert.deepEqual(service.faults, []);

  const without = personOf((await village.startReplica()).peopleUrl, grace.accountId, grace.cookie).client;
  assert.equal((await without.getMyNotices()).push, null);
  await refuses(add(without, laptop), 'push_off');
});

test('a browser that two people add at once belongs to the last of them', async () => {
  const shared = service.browser();
  const inserted = Promise.withResolvers<void>();
  const mayEnd = Promise.withResolvers<void>();
  const first = inTransaction(db, async (tx) => {
    await putBrowser(tx, { accountId: grace.accountId, name: 'x', ...shared.subscription });
    inserted.resolve();
    await mayEnd.promise;
  });
  await inserted.promise;
  const second = add(mia.client, shared);
  const waiting = db
    .withTables<{ pg_stat_activity: { query: string; wait_event_type: string } }>()
    .selectFrom('pg_stat_activity')
    .select('query')
    .where('wait_event_type', '=', 'Lock')
    .where('query', 'like', '%insert into notice_target%');
  await until('the second person to wait', async () => (await waiting.execute()).length > 0);
  mayEnd.resolve();
  await Promise.all([first, second]);
  assert.equal((await rowOf(shared))?.account_id, mia.accountId);
});
