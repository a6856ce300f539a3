/** Mail from a confirmed address to its end, against a real mail server that reads what it receives strictly. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refuses, type TestClient } from '@hamlet/test/env/client';
import { until } from '@hamlet/test/env/until';
import { firstAdmin, invite, personOf } from '../testing/play/people-play.ts';
import { clientOf, testVillage, TOKENS } from '../testing/test-village.ts';
import { startMailServer, type ReceivedMail } from './testing/mail-server.ts';

const server = await startMailServer();
const MAIL = {
  HAMLET_MAIL_HOST: '127.0.0.1',
  HAMLET_MAIL_PORT: String(server.port),
  HAMLET_MAIL_TLS: 'none',
  HAMLET_MAIL_FROM: 'village@example.org',
  HAMLET_PUBLIC_URL: 'https://village.example',
};
const village = await testVillage();
const replica = await village.startReplica(MAIL);
const { peopleUrl: url } = replica;
const grace = await firstAdmin(url);
const mia = await invite(grace, url, { name: 'Mia', role: 'member' });
const db = village.openDb();

const mailsTo = (address: string): readonly ReceivedMail[] => server.mails.filter(({ to }) => to.includes(address));
const codeIn = ({ text }: ReceivedMail): string => /[A-Z2-7]{10}/.exec(text)?.[0] ?? '';
const ago = (ms: number): Date => new Date(Date.now() - ms);
const lookNow = () =>
  db
    .updateTable('notice_target')
    .set({ due_at: ago(1_000) })
    .execute();
const ageCodes = () =>
  db
    .updateTable('notice_code')
    .set({ sent_at: ago(120_000) })
    .execute();
const targetOf = (accountId: string) =>
  db.selectFrom('notice_target').selectAll().where('account_id', '=', accountId).executeTakeFirstOrThrow();

async function confirm(client: TestClient, address: string): Promise<void> {
  await client.sendMailCode({ address });
  await client.confirmMail({ code: codeIn(mailsTo(address).at(-1) as ReceivedMail) });
}

/** Waits until a look has found nothing new; looks come at least once a minute. */
async function untilLooked(): Promise<void> {
  await lookNow();
  await until('a look without news', async () => {
    const dueInMs = (await targetOf(grace.accountId)).due_at.getTime() - Date.now();
    return dueInMs > 0 && dueInMs < 61_000;
  });
}

let flags = 0;
/** Something that waits for admins alone. */
async function flagged(): Promise<void> {
  const { post } = await grace.client.createPost({ title: `Post ${(flags += 1)}`, body: 'secret words' });
  await mia.client.flagPost({ post_id: post.post_id, reason: 'spam' });
}

test('only its person confirms an address, with the code that it receives; a day has a limit of codes', async () => {
  assert.deepEqual((await grace.client.getMyNotices()).mail, {
    address: null,
    awaits_code: null,
    wants: 'off',
    refused: false,
    sent_at: null,
  });
  for (const address of [
    'x',
    'a@b.example, c@d.example',
    'a@b.example\r\nBcc: c@d.example',
    `${'a'.repeat(250)}@b.example`,
  ])
    await refuses(grace.client.sendMailCode({ address }), 'validation_failed');
  await refuses(grace.client.changeMyMail({ wants: 'morning' }), 'no_mail_address');
  await grace.client.sendMailCode({ address: 'grace@example.org' });
  const [mail] = mailsTo('grace@example.org');
  assert.ok(mail !== undefined);
  assert.deepEqual(
    [mail.from, mail.headers.get('to'), mail.headers.has('list-unsubscribe')],
    ['village@example.org', 'grace@example.org', false],
  );
  assert.equal((await grace.client.getMyNotices()).mail?.awaits_code, 'grace@example.org');
  await refuses(mia.client.confirmMail({ code: codeIn(mail) }), 'mail_code_wrong', 'the code of another person');
  await refuses(grace.client.confirmMail({ code: 'AAAAAAAAAA' }), 'mail_code_wrong');
  await grace.client.confirmMail({ code: codeIn(mail) });
  await refuses(grace.client.confirmMail({ code: codeIn(mail) }), 'mail_code_wrong', 'a code works once');
  await refuses(grace.client.sendMailCode({ address: 'g@example.org' }), 'too_many_codes');
  for (let sent = 1; sent < 5; sent += 1) {
    await ageCodes();
    await grace.client.sendMailCode({ address: 'g@example.org' });
  }
  await ageCodes();
  await refuses(grace.client.sendMailCode({ address: 'g@example.org' }), 'too_many_codes', 'five in a day');
  assert.equal((await grace.client.getMyNotices()).mail?.address, 'grace@example.org');
  await refuses(clientOf(url, TOKENS.admin).getMyNotices(), 'session_needed');
});

test('needs are mailed once to those who may settle them, and without texts', async () => {
  await confirm(mia.client, 'mia@example.org');
  await flagged();
  await lookNow();
  const digests = () => mailsTo('grace@example.org').slice(1);
  await until('an email', () => digests().length === 1);
  const [mail] = digests();
  assert.equal(mail?.headers.get('subject'), 'Hamlet: 1 thing needs you');
  assert.equal(mail?.headers.get('auto-submitted'), 'auto-generated');
  assert.match(
    mail?.text ?? '',
    /- A flagged text waits for a decision\r\n {2}https:\/\/village\.example\/\?view=moderation/,
  );
  assert.doesNotMatch(mail?.text ?? '', /secret words/);
  await untilLooked();
  assert.deepEqual([digests().length, mailsTo('mia@example.org').length], [1, 1], 'a member may not settle it');
});

test('one request ends the emails (leaveMail), and a filter that follows its link (openLeaveMail) does not', async () => {
  const leave = /<(.*)>/.exec(mailsTo('grace@example.org')[1]?.headers.get('list-unsubscribe') ?? '')?.[1] ?? '';
  assert.equal(mailsTo('grace@example.org')[1]?.headers.get('list-unsubscribe-post'), 'List-Unsubscribe=One-Click');
  const here = leave.replace('https://village.example', url);
  const followed = await fetch(here, { redirect: 'manual' });
  assert.deepEqual([followed.status, followed.headers.get('location')], [303, '/?view=connections']);
  assert.equal((await grace.client.getMyNotices()).mail?.wants, 'needs');
  const form = { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) };
  assert.equal((await fetch(here, form)).status, 200);
  assert.equal(
    (await fetch(here.replace(/token=.*/, `token=${'x'.repeat(40)}`), form)).status,
    200,
    'it says nothing about a token',
  );
  assert.equal((await grace.client.getMyNotices()).mail?.wants, 'off');
  const left = async () => (await grace.client.listAudit({ actor: 'mail' })).records.length;
  assert.equal(await left(), 1);
  assert.equal((await fetch(here, form)).status, 200);
  assert.equal(await left(), 1, 'a stranger with the token cannot fill the audit');
  await flagged();
  for (const [wants, leastMs] of [
    ['needs', 800_000],
    ['morning', 0],
  ] as const) {
    await grace.client.changeMyMail({ wants });
    const dueMs = (await targetOf(grace.accountId)).due_at.getTime();
    assert.ok(dueMs - Date.now() > leastMs, `${wants}: a choice brings no email sooner than the last one allows`);
  }
  await lookNow();
  await until('a digest with everything that waits', () => mailsTo('grace@example.org').length === 3);
  const dueInMs = (await targetOf(grace.accountId)).due_at.getTime() - Date.now();
  assert.ok(dueInMs > 60_000 && dueInMs <= 25 * 3_600_000, `${dueInMs}`);
});

test('a server that does not answer loses no email, is shown to admins, and an address that it refuses gets no more', async () => {
  server.state.down = true;
  const before = server.mails.length;
  await grace.client.changeMyMail({ wants: 'needs' });
  await lookNow();
  await until('a failure', async () => (await targetOf(grace.accountId)).failures === 1);
  const failed = await targetOf(grace.accountId);
  assert.deepEqual([failed.noted, failed.failure, server.mails.length], [[], 'EENVELOPE 451', before]);
  assert.ok(failed.due_at > new Date(), 'it waits before the next attempt');
  await ageCodes();
  await refuses(mia.client.sendMailCode({ address: 'mia@refused.example' }), 'mail_not_sent');
  await db.updateTable('notice_target').set({ failures: 3 }).where('account_id', '=', grace.accountId).execute();
  const [shown] = (await grace.client.listMyNeeds()).needs.filter(({ kind }) => kind === 'mail');
  assert.equal(shown?.line, 'The mail server does not accept email (EENVELOPE 451)');
  assert.deepEqual((await mia.client.listMyNeeds()).needs, []);
  server.state.down = false;
  await replica.stop();
  const { peopleUrl: next } = await village.startReplica(MAIL);
  const again = personOf(next, grace.accountId, grace.cookie).client;
  await lookNow();
  await until('the mail after the outage and a restart', () => server.mails.length === before + 1);
  await until('no failure', async () => (await targetOf(grace.accountId)).failures === 0);
  assert.deepEqual(
    (await again.listMyNeeds()).needs.filter(({ kind }) => kind === 'mail'),
    [],
  );
  await untilLooked();
  assert.equal(server.mails.length, before + 1, 'no restart sends it again');

  const toNowhere = { address: 'grace@refused.example', noted: [], due_at: ago(1_000) };
  await db.updateTable('notice_target').set(toNowhere).where('account_id', '=', grace.accountId).execute();
  await until('the end of an address', async () => (await again.getMyNotices()).mail?.refused === true);
  assert.equal((await again.getMyNotices()).mail?.wants, 'off');
  await again.forgetMyMail();
  assert.equal((await again.getMyNotices()).mail?.address, null);

  const without = personOf((await village.startReplica()).peopleUrl, grace.accountId, grace.cookie).client;
  assert.equal((await without.getMyNotices()).mail, null);
  await refuses(without.sendMailCode({ address: 'grace@example.org' }), 'mail_off');
});
