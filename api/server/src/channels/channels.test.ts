/** People talk with an agent through Telegram's stand-in: links, messages, answers, permissions, restarts and refusals. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  findLinkedPerson,
  inTransaction,
  insertAccount,
  linkIdentity,
  readAudit,
  readChannelRuns,
} from '@hamlet/store';
import { randomUUID } from 'node:crypto';
import { dataOf, refuses } from '@hamlet/test/env/client';
import { untilEnd } from '@hamlet/test/env/at-end';
import { until } from '@hamlet/test/env/until';
import { ASKING_RULES, outlast, PermissionPlay } from '../permissions/testing/permission-play.ts';
import { firstAdmin, invite } from '../testing/play/people-play.ts';
import { SessionPlay } from '../testing/play/session-play.ts';
import { clientOf, testVillage, TOKENS } from '../testing/test-village.ts';
import { channelTokensOf } from './channel-tokens.ts';
import { BotApiServer, type SentMessage } from './testing/bot-api-server.ts';

const TOKEN = '4711:test-token-of-ada';
const telegram = untilEnd(new BotApiServer(TOKEN));
const telegramUrl = await telegram.start();
const village = await testVillage();
await village.writeSample(
  'good-agent-ada.yaml',
  (text) => `${text.trimEnd()}\n  channels: { telegram: { secretName: ada-telegram } }\n`,
);
const startReplica = () =>
  village.startReplica(
    { HAMLET_TELEGRAM_URL: telegramUrl, HAMLET_TOOL_RULES: ASKING_RULES },
    { agents: { channelTokens: { read: async (name) => (name === 'ada-telegram' ? [TOKEN] : null) } } },
  );
const replica = await startReplica();
const url = replica.peopleUrl;
const talk = new SessionPlay(url);
await talk.play.everybody();
const grace = await firstAdmin(url);
const zoe = await invite(grace, url, { name: 'Zoe', role: 'member' });
const ZOE = 1001;

/** Waits for the next message to a chat, and takes it. */
async function received(chatId = ZOE): Promise<SentMessage> {
  return until('a message', () => {
    const at = telegram.sent.findIndex((message) => message.chatId === chatId);
    return at === -1 ? null : telegram.sent.splice(at, 1)[0];
  });
}

/** Waits for the question whether to link a chat, and presses a button under it. */
async function answersLink(chatId: number, answer: 'Link' | 'Cancel' = 'Link'): Promise<SentMessage> {
  const asked = await received(chatId);
  telegram.press(chatId, asked.buttons.find(({ text }) => text === answer)?.data ?? '');
  return asked;
}

const processed = (): Promise<boolean> => until('the updates to be processed', () => telegram.isEmpty);

test('a stranger is refused, three times a minute; a code links once', async () => {
  for (let n = 0; n < 5; n += 1) telegram.write(666, 'Hello?');
  for (let n = 0; n < 3; n += 1) assert.match((await received(666)).text, /not linked/);
  const { code, expires_at } = await zoe.client.createChannelCode();
  assert.match(code, /^[A-Z2-7]{10}$/);
  assert.ok(Date.parse(expires_at) - Date.now() <= 600_000);
  telegram.write(1002, 'AAAAAAAAAA');
  assert.match((await received(1002)).text, /unknown, used or expired/);
  telegram.write(1007, `/start ${code}`);
  const asked = await answersLink(1007, 'Cancel');
  assert.match(asked.text, /^This code belongs to the account Zoe of the village\. Is it yours\?/);
  await until('the notice', () => telegram.notices.includes('This chat is not linked.'));
  await until('the buttons to go', () => telegram.unbuttoned.includes(asked.messageId));
  assert.deepEqual((await zoe.client.listMyChannels()).links, [], 'a stranger with the code of another is not linked');
  telegram.write(ZOE, `/start ${code.toLowerCase()}`);
  const { buttons } = await answersLink(ZOE);
  assert.match((await received()).text, /^Linked to the account Zoe/);
  telegram.press(ZOE, buttons.find(({ text }) => text === 'Cancel')?.data ?? '');
  await until('the notice', () => telegram.notices.includes('This chat stays linked to the account Zoe.'));
  telegram.write(1002, code);
  assert.match((await received(1002)).text, /unknown, used or expired/, 'it works once');
  assert.deepEqual(telegram.sent, [], 'two of the five messages got no reply');
  const { links, agents } = await zoe.client.listMyChannels();
  assert.deepEqual(
    [links.map(({ name, channel }) => [name, channel]), agents],
    [[['Person 1001', 'telegram']], [{ agent_id: 'ada', channel: 'telegram', bot_page: 'https://t.me/ada_bot' }]],
  );
  const [act] = await readAudit(village.openDb(), `account ${zoe.accountId}`, 1);
  assert.equal(act?.action, 'channel.link');
});

test('a message becomes one of the session of its person, and the answer comes back with formatting, in parts', async () => {
  telegram.write(ZOE, 'What does Bob want?');
  await until('the run', async () => (await talk.next('ada')) !== null);
  const long = `**He** wants <bread>.\n${'A long explanation in many words. '.repeat(200)}`;
  const runId = await talk.answerNext('ada', long);
  const first = await received();
  assert.match(first.html ?? '', /^<b>He<\/b> wants &lt;bread&gt;\./);
  const second = await received();
  assert.ok(first.text.length > 3_000 && second.text.length > 1_000);
  assert.equal(telegram.sent.length, 0);
  const { run } = await grace.client.getRun({ run_id: runId });
  assert.equal(run.created_by.id, `account ${zoe.accountId}`);
  const { sessions } = await zoe.client.listAgentSessions({ agent_id: 'ada' });
  telegram.write(ZOE, 'And Cleo?');
  await until('the run', async () => (await talk.next('ada')) !== null);
  await talk.answerNext('ada', 'Nothing.');
  assert.equal((await received()).text, 'Nothing.');
  assert.equal((await zoe.client.listAgentSessions({ agent_id: 'ada' })).sessions.length, sessions.length);
  telegram.write(ZOE, '/new');
  assert.match((await received()).text, /another conversation/);
  telegram.write(ZOE, 'Hello again');
  await until('the run', async () => (await talk.next('ada')) !== null);
  await talk.answerNext('ada', 'Hello.');
  await received();
  assert.equal((await zoe.client.listAgentSessions({ agent_id: 'ada' })).sessions.length, sessions.length + 1);
});

test('a request for a permission has buttons; one press answers it, as its person, and the next is refused', async () => {
  const permits = new PermissionPlay(url);
  telegram.write(ZOE, 'Post it on the board.');
  const run = await until('the run', () => talk.next('ada'));
  const working = await permits.start('ada', run);
  const call = { tool: 'post_to_board', callId: '1.0', args: { title: 'Bread', body: 'Who bakes?' } } as const;
  const { permission } = dataOf(await permits.ask(working, call));
  const asked = await received();
  assert.match(asked.text, /^May I call post_to_board\? People see it/);
  assert.deepEqual(
    asked.buttons.map(({ text }) => text),
    ['Allow', 'Deny'],
  );
  telegram.press(666, asked.buttons[0]?.data ?? '');
  await processed();
  telegram.press(ZOE, asked.buttons[0]?.data ?? '');
  await until('the notice', () => telegram.notices.includes('Noted: allow.'));
  const { permissions } = await grace.client.listPermissions({ run_id: working.runId });
  const answered = permissions.find(({ permission_id: id }) => id === permission.permission_id);
  assert.deepEqual([answered?.state, answered?.answered_by?.id], ['allowed', `account ${zoe.accountId}`]);
  telegram.press(ZOE, asked.buttons[1]?.data ?? '');
  await processed();
  assert.equal(telegram.notices.filter((text) => text.startsWith('Noted')).length, 1, telegram.notices.join(' | '));
  dataOf(await permits.end(working));
  assert.match((await received()).text, /could not finish this/);
});

test('/pay holds money for a task, whose result is paid only in the village', async () => {
  telegram.write(ZOE, '/pay 99 Count the loaves.');
  assert.match((await received()).text, /allowance/i);
  telegram.write(ZOE, '/pay 2,5 Count the loaves.');
  assert.match((await received()).text, /^2\.5 ai\$ are held for this/);
  const run = await until('the run', () => talk.next('ada'));
  const { offer } = await zoe.client.getRun({ run_id: run.run_id });
  assert.deepEqual([offer?.amount, offer?.state], ['2.5', 'open']);
  await talk.answerNext('ada', 'Seven.');
  assert.equal((await received()).text, 'Answered.', 'the report of a run without a conversation');
  const paid = await zoe.client.acceptOffer({ run_id: run.run_id });
  assert.equal(paid.offer.state, 'paid');
});

test('groups, bots and unreadable updates are ignored; a ban and the end of the link apply at once', async () => {
  telegram.write(ZOE, 'In a group', { id: -5, type: 'group' });
  telegram.writeStrange();
  telegram.press(ZOE, 'p:nonsense');
  await processed();
  assert.equal(await talk.next('ada'), null);
  assert.equal(telegram.sent.length, 0);
  await grace.client.banAccount({ account_id: zoe.accountId, reason: 'away' });
  telegram.write(ZOE, 'Hello?');
  assert.match((await received()).text, /away/);
  await grace.client.liftAccountBan({ account_id: zoe.accountId });
  const tool = clientOf(url, TOKENS.member);
  await refuses(tool.createChannelCode(), 'session_needed');
  await refuses(tool.listMyChannels(), 'session_needed');
  const [link] = (await zoe.client.listMyChannels()).links;
  const of = { identity_id: link?.identity_id ?? '' };
  await refuses(tool.unlinkMyChannel(of), 'session_needed');
  await refuses(grace.client.unlinkMyChannel(of), 'no_such_channel', "another person's link");
  await zoe.client.unlinkMyChannel(of);
  telegram.write(ZOE, 'Hello?');
  assert.match((await received()).text, /not linked/);
  const { code } = await zoe.client.createChannelCode();
  telegram.write(ZOE, code);
  await answersLink(ZOE);
  assert.match((await received()).text, /^Linked/);
});

test('the arguments of a request are cut between two characters, so that Telegram takes them', async () => {
  const permits = new PermissionPlay(url);
  for (const title of ['Bread', 'Breads']) {
    telegram.write(ZOE, 'Post faces.');
    const working = await permits.start('ada', await until('the run', () => talk.next('ada')));
    const args = { title, body: '😀'.repeat(2_000) };
    dataOf(await permits.ask(working, { tool: 'post_to_board', callId: '1.0', args }));
    const { text, buttons } = await received();
    assert.match(text, /^May I call post_to_board/);
    assert.deepEqual(
      buttons.map(({ text: word }) => word),
      ['Deny'],
      'only the village shows all of it',
    );
    dataOf(await permits.end(working));
    await received();
  }
});

test('a word of ten letters is a message of a linked person; a code of another account does not take their chat', async () => {
  const nia = await invite(grace, url, { name: 'Nia', role: 'member' });
  const NIA = 1003;
  const { code } = await nia.client.createChannelCode();
  telegram.write(NIA, code);
  await answersLink(NIA);
  assert.match((await received(NIA)).text, /^Linked to the account Nia/);
  telegram.write(NIA, 'Understood');
  await until('the run', async () => (await talk.next('ada')) !== null);
  await talk.answerNext('ada', 'Good.');
  assert.equal((await received(NIA)).text, 'Good.');
  telegram.write(NIA, `/start ${(await grace.client.createChannelCode()).code}`);
  assert.match((await received(NIA)).text, /linked to another account/);
  assert.deepEqual(
    [(await nia.client.listMyChannels()).links.length, (await grace.client.listMyChannels()).links],
    [1, []],
  );
});

test('a message that the village cannot store holds up no other', async () => {
  const { code } = await grace.client.createChannelCode();
  telegram.write(1005, code, { name: 'A\u0000' });
  const { data } = (await received(1005)).buttons[0] ?? assert.fail('no button');
  telegram.press(1005, data, { name: 'A\u0000' });
  telegram.write(ZOE, '/help');
  assert.match((await received()).text, /^Write to me/);
  await until('the notice', () => telegram.notices.some((text) => text.includes('NUL')));
});

test('a reset ends the links of a person and their code; with an identity provider a link ends after 30 days', async () => {
  const tim = await invite(grace, url, { name: 'Tim', role: 'member' });
  const TIM = 1004;
  telegram.write(TIM, (await tim.client.createChannelCode()).code);
  await answersLink(TIM);
  assert.match((await received(TIM)).text, /^Linked/);
  const { code } = await tim.client.createChannelCode();
  await grace.client.resetPassword({ account_id: tim.accountId });
  telegram.write(TIM, 'Hello?');
  assert.match((await received(TIM)).text, /not linked/);
  telegram.write(TIM, code);
  assert.match((await received(TIM)).text, /unknown, used or expired/);

  const db = village.openDb();
  const identity = { issuer: 'https://id.example', subject: '1' };
  const fed = { accountId: randomUUID(), name: 'Fed', role: 'member', passwordHash: null, identity } as const;
  await insertAccount(db, fed);
  const sender = { channel: 'telegram', externalId: '1006', name: 'Fed' } as const;
  const link = () => inTransaction(db, (tx) => linkIdentity(tx, sender, fed.accountId));
  await link();
  assert.notEqual(await findLinkedPerson(db, sender), null);
  const old = new Date(Date.now() - 31 * 86_400_000);
  await db.updateTable('channel_identity').set({ linked_at: old }).where('external_id', '=', '1006').execute();
  assert.equal(await findLinkedPerson(db, sender), null);
  await link();
  assert.notEqual(await findLinkedPerson(db, sender), null, 'a new code begins again');
});

test('a run whose request expired takes no place among deliveries; an answer of spaces becomes words', async () => {
  const permits = new PermissionPlay(url);
  const db = village.openDb();
  telegram.write(ZOE, 'Post it.');
  const working = await permits.start('ada', await until('the run', () => talk.next('ada')));
  const call = { tool: 'post_to_board', callId: '1.0', args: { title: 'Bread', body: 'Who bakes?' } } as const;
  const { permission } = dataOf(await permits.ask(working, call));
  await received();
  await outlast(village, permission.permission_id);
  await db.updateTable('channel_run').set({ asked: '{}' }).execute();
  assert.deepEqual(await readChannelRuns(db, { bots: [{ agentId: 'ada', channel: 'telegram' }], atMost: 1 }), []);
  dataOf(await permits.end(working));
  await received();
  telegram.write(ZOE, 'Say nothing.');
  await until('the run', async () => (await talk.next('ada')) !== null);
  await talk.answerNext('ada', ' \n ');
  assert.equal((await received()).text, 'Answered.');
});

test('a 429 delays an answer, a refused format becomes plain text, words replace a refused part, and a blocked bot ends it', async () => {
  const answerWith = async (text: string): Promise<void> => {
    telegram.write(ZOE, 'Say it.');
    await until('the run', async () => (await talk.next('ada')) !== null);
    await talk.answerNext('ada', text);
  };
  telegram.refuseNext(429, 1);
  await answerWith('Late but once.');
  assert.equal((await received()).text, 'Late but once.');
  telegram.refuseNext(400);
  await answerWith('**Plain**');
  assert.deepEqual([(await received()).text, telegram.sent.length], ['**Plain**', 0]);
  for (const code of [400, 400]) telegram.refuseNext(code);
  await answerWith('Refused');
  assert.match((await received()).text, /cannot be shown here: read it in the village/);
  for (const code of [403, 403]) telegram.refuseNext(code);
  await answerWith('Into the void');
  await until(
    'the end',
    async () => (await village.openDb().selectFrom('channel_run').selectAll().execute()).length === 0,
  );
  assert.equal(telegram.sent.length, 0);
});

test('with a second replica one polls, and a restart neither loses nor repeats a message or an answer', async () => {
  const other = await startReplica();
  telegram.write(ZOE, 'Before the restart');
  await until('the run', async () => (await talk.next('ada')) !== null);
  await replica.stop();
  telegram.write(ZOE, 'During the restart');
  const later = new SessionPlay(other.peopleUrl);
  await until('the lead', () => telegram.isEmpty);
  await later.answerNext('ada', 'First.');
  await later.answerNext('ada', 'Second.');
  assert.equal((await received()).text, 'First.');
  assert.equal((await received()).text, 'Second.');
  assert.equal(await later.next('ada'), null, 'two messages, two runs');
  assert.equal(telegram.sent.length, 0);
});

test('a token is read only from a Secret that is labelled for it', () => {
  const data = { token: Buffer.from(`${TOKEN}\n`).toString('base64') };
  const of = (labels: Record<string, string>, given = data) =>
    channelTokensOf({ metadata: { name: 'x', uid: 'u', resourceVersion: '1', labels }, data: given }, ['token']);
  assert.deepEqual(of({ 'hamlet.village/channel': 'true' }), [TOKEN]);
  assert.equal(of({ 'hamlet.village/egress': 'true' }), null);
  assert.equal(of({ 'hamlet.village/channel': 'true' }, { token: Buffer.from('a/../b').toString('base64') }), null);
});
