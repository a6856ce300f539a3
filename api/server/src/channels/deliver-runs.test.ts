/** The village delivers files and reports of runs to a bot. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { type CallInput, keepArtifact } from '@hamlet/contract';
import {
  inTransaction,
  insertMessage,
  keepChannelPlace,
  linkIdentity,
  noteChannelRun,
  readChannelPlace,
  readChannelRuns,
  replaceReport,
} from '@hamlet/store';
import { dataOf } from '@hamlet/test/env/client';
import { openSuperuser } from '@hamlet/test/env/superuser';
import { until } from '@hamlet/test/env/until';
import type { Handlers } from '../http/handler.ts';
import { PermissionPlay, type Working } from '../permissions/testing/permission-play.ts';
import { firstAdmin, invite } from '../testing/play/people-play.ts';
import { SessionPlay } from '../testing/play/session-play.ts';
import { startPlay } from '../testing/test-village.ts';
import { BotRefusal } from './bot-port.ts';
import { deliverRuns } from './deliver-runs.ts';
import { startChannels } from './start-channels.ts';
import { fakeBot, type FakeBot } from './testing/fake-bot.ts';

const { play, village } = await startPlay();
const db = village.openDb();
const talk = new SessionPlay(play.url);
const permits = new PermissionPlay(play.url);
const grace = await firstAdmin(play.url);
const zoe = await invite(grace, play.url, { name: 'Zoe', role: 'member' });
const sender = { channel: 'telegram', externalId: '1001', name: 'Zoe' } as const;
const identityId = await inTransaction(db, (tx) => linkIdentity(tx, sender, zoe.accountId));

/** A run that a message of a person, by default Zoe, began through the messenger, started. */
async function begin({ client } = zoe, identity = identityId): Promise<Working & { readonly sessionId: string }> {
  const { session_id: sessionId } = await talk.open(client, 'ada');
  const { run } = dataOf(await talk.say(client, sessionId, 'Bake.'));
  await noteChannelRun(db, { identityId: identity, agentId: 'ada', runId: run.run_id });
  return { ...(await permits.start('ada', run)), sessionId };
}

/** Writes the first report of a run. Returns the id of its message. */
async function report(runId: string, sessionId: string): Promise<string> {
  const author = { role: 'agent', id: 'ada', name: 'ada' } as const;
  const line = { sessionId, runId, author, text: 'Step 1', state: 'answered', inReplyTo: null, cost: null } as const;
  return (await inTransaction(db, (tx) => insertMessage(tx, { ...line, progress: { steps: 1 } }, null))).messageId;
}

const replace = (messageId: string, text: string) =>
  inTransaction(db, (tx) => replaceReport(tx, messageId, { text, steps: 2 }));

const DAY_MS = 86_400_000;
const ago = (ms: number): Date => new Date(Date.now() - ms);
const passTime = () =>
  db
    .updateTable('channel_run')
    .set({ progress_at: ago(4_000) })
    .execute();

async function round(bot: FakeBot, isActive = () => true): Promise<void> {
  await deliverRuns(
    { db, isActive },
    bot,
    await readChannelRuns(db, { bots: [{ agentId: 'ada', channel: 'telegram' }], atMost: 10 }),
  );
}

function keep(
  { runId, cycle, attempt }: Working,
  text: string,
  more: Partial<CallInput<typeof keepArtifact>['query']>,
) {
  const body = new TextEncoder().encode(text);
  return play.as('ada').call(keepArtifact, {
    params: { run_id: runId, call_id: '1.0', sha256: createHash('sha256').update(body).digest('hex') },
    query: { cycle, attempt, name: 'notes.txt', media_type: 'text/plain', ...more },
    body,
  });
}

test('deliverables follow the answer: the newest of each name, and words about those that are too large', async () => {
  const bot = fakeBot('ada');
  const working = await begin();
  assert.equal(await permits.begun(working, { tool: 'read_file', args: { path: 'a' } }), 'begun');
  dataOf(await keep(working, 'old', { deliverable: 'file' }));
  dataOf(await keep(working, 'new', { deliverable: 'file' }));
  dataOf(await keep(working, 'a screenshot', { name: 'screen.txt' }));
  dataOf(await keep(working, 'x'.repeat(1_001), { name: 'large.txt', deliverable: 'file' }));
  dataOf(await talk.answer('ada', working.runId, 'Baked.'));
  await round(bot);
  assert.deepEqual(
    [bot.sent.map(({ text }) => text), bot.files],
    [
      ['Baked.', 'More files of this answer are in the village: large.txt'],
      [{ to: '1001', name: 'notes.txt', mediaType: 'text/plain', text: 'new' }],
    ],
  );
  await round(bot);
  assert.equal(bot.files.length, 1, 'each once');
});

const refusal = (isFinal: boolean) => new BotRefusal('refused', { isFinal, retryAfterS: null });

test('words replace a file that the messenger refuses, and the next file follows', async () => {
  const files: string[] = [];
  const bot = fakeBot('ada');
  const strict = {
    ...bot,
    sendFile: async ({ name }: { readonly name: string }) => {
      if (name === 'bad.txt') throw refusal(true);
      files.push(name);
    },
  };
  const working = await begin();
  assert.equal(await permits.begun(working, { tool: 'read_file', args: { path: 'a' } }), 'begun');
  for (const name of ['bad.txt', 'good.txt']) dataOf(await keep(working, name, { name, deliverable: 'file' }));
  dataOf(await talk.answer('ada', working.runId, 'Baked.'));
  await round(strict);
  assert.deepEqual(
    [bot.sent.map(({ text }) => text), files],
    [['Baked.', 'A part of this cannot be shown here: read it in the village.'], ['good.txt']],
  );
});

test('a failed delivery delays no other; after an outage of the messenger, the order is as before', async () => {
  const bot = fakeBot('ada');
  const texts = ['Stuck.', 'Baked.', 'Sliced.'];
  const failing = (stuck: readonly string[]): FakeBot => ({
    ...bot,
    send: (message) => (stuck.includes(message.text) ? Promise.reject(refusal(false)) : bot.send(message)),
  });
  const answer = async (text: string): Promise<void> => {
    const { runId } = await begin();
    dataOf(await talk.answer('ada', runId, text));
  };
  for (const text of texts) await answer(text);
  await assert.rejects(round(failing(texts)), BotRefusal);
  await assert.rejects(round(failing(['Stuck.'])), BotRefusal);
  await answer('Eaten.');
  await round(bot);
  assert.deepEqual(
    bot.sent.map(({ text }) => text),
    ['Baked.', 'Sliced.', 'Stuck.', 'Eaten.'],
  );
});

test('a delivery that fails a day after the end of its run is not tried again', async () => {
  const bot = { ...fakeBot('ada'), send: () => Promise.reject(refusal(false)) };
  const { runId } = await begin();
  dataOf(await talk.answer('ada', runId, 'Baked.'));
  await assert.rejects(round(bot), BotRefusal);
  const superuser = openSuperuser(village.postgres);
  await superuser.run('alter table run disable trigger goes_forward');
  const begun = "now() - interval '3 days'";
  const times = `created_at = ${begun}, started_at = ${begun}, ended_at = now() - interval '2 days'`;
  await superuser.run(`update run set ${times} where run_id = '${runId}'`);
  await superuser.run('alter table run enable always trigger goes_forward');
  await superuser.close();
  await round(bot);
  assert.deepEqual(await readChannelRuns(db, { bots: [bot], atMost: 10 }), []);
});

test('a replica that no longer leads sends no further part, and the next one sends the rest', async () => {
  const bot = fakeBot('ada');
  const { runId } = await begin();
  dataOf(await talk.answer('ada', runId, 'word '.repeat(300)));
  await round(bot, () => bot.sent.length === 0);
  assert.equal(bot.sent.length, 1);
  await round(bot);
  assert.deepEqual([bot.sent.length, (await readChannelRuns(db, { bots: [bot], atMost: 10 })).length], [2, 0]);
});

test('a person who may no longer read the run gets neither its answer nor its files', async () => {
  const bot = fakeBot('ada');
  const working = await begin();
  dataOf(await talk.answer('ada', working.runId, 'Secret.'));
  await grace.client.banAccount({ account_id: zoe.accountId, reason: 'away' });
  await round(bot);
  await grace.client.liftAccountBan({ account_id: zoe.accountId });
  await round(bot);
  assert.deepEqual([bot.sent, bot.files], [[], []]);
});

test('one message shows the newest report of a run, every 3 seconds and 20 times at most, and goes before the answer', async () => {
  const bot = fakeBot('ada');
  const { runId, sessionId } = await begin();
  const messageId = await report(runId, sessionId);
  await round(bot);
  await round(bot);
  assert.deepEqual([bot.sent.map(({ text }) => text), bot.edits], [['Step 1'], []]);
  await replace(messageId, 'Step 2');
  await round(bot);
  assert.deepEqual(bot.edits, [], 'three seconds have not passed');
  for (let step = 2; step < 30; step += 1) {
    await replace(messageId, `Step ${step}`);
    await passTime();
    await round(bot);
  }
  assert.deepEqual([bot.sent.length, bot.edits.length, bot.edits[0]], [1, 19, { id: 'm1', text: 'Step 2' }]);
  dataOf(await talk.answer('ada', runId, 'Baked.'));
  await round(bot);
  assert.deepEqual([bot.removed, bot.sent[1]?.text], [['m1'], 'Baked.']);
});

test('a person who deletes the report still gets the answer', async () => {
  const gone = async () => {
    throw refusal(true);
  };
  const bot = { ...fakeBot('ada'), edit: gone, remove: gone };
  const { runId, sessionId } = await begin();
  const messageId = await report(runId, sessionId);
  await round(bot);
  await replace(messageId, 'Step 2');
  await passTime();
  await round(bot);
  dataOf(await talk.answer('ada', runId, 'Baked.'));
  await round(bot);
  assert.deepEqual(
    bot.sent.map(({ text }) => text),
    ['Step 1', 'Baked.'],
  );
});

test('a place never goes back for two days; after that, smaller numbers count again', async () => {
  assert.equal(await readChannelPlace(db, 'b'), 0);
  await keepChannelPlace(db, 'b', 900);
  await keepChannelPlace(db, 'b', 800);
  assert.equal(await readChannelPlace(db, 'b'), 900);
  await db
    .updateTable('channel_place')
    .set({ moved_at: ago(3 * DAY_MS) })
    .where('bot', '=', 'b')
    .execute();
  assert.equal(await readChannelPlace(db, 'b'), 0);
  await keepChannelPlace(db, 'b', 30);
  assert.equal(await readChannelPlace(db, 'b'), 30);
});

test('a slow conversation and a failing one do not delay others of their bot', async () => {
  const link = (externalId: string, { accountId }: typeof zoe) =>
    inTransaction(db, (tx) => linkIdentity(tx, { ...sender, externalId }, accountId));
  const max = await invite(grace, play.url, { name: 'Max', role: 'member' });
  const kim = await invite(grace, play.url, { name: 'Kim', role: 'member' });
  const idOf = new Map([
    [max, await link('1002', max)],
    [kim, await link('1003', kim)],
  ]);
  const answer = async (person: typeof zoe, text: string): Promise<void> => {
    const { runId } = await begin(person, idOf.get(person));
    dataOf(await talk.answer('ada', runId, text));
  };
  let end = (): void => undefined;
  const slow = new Promise<void>((resolve) => (end = resolve));
  const sent: string[] = [];
  const bot: FakeBot = {
    ...fakeBot('ada', () => slow),
    send: async ({ to, text }) => {
      if (to === '1002') throw refusal(false);
      if (to === '1001') await slow;
      sent.push(text);
      return 'm1';
    },
  };
  for (const person of [zoe, max]) await answer(person, 'Baked.');
  const { jobs, stop } = startChannels({
    db,
    log: () => undefined,
    monotonicMs: () => 0,
    handlers: {} as Handlers,
    limitActor: () => Promise.reject(new Error('unused')),
    bots: { list: async () => [bot] },
    notifications: { leads: () => true },
  });
  await jobs[0]?.run();
  for (const text of ['Sliced.', 'Eaten.']) {
    await answer(kim, text);
    await until(`the answer ${text}`, async () => {
      await jobs[0]?.run();
      return sent.includes(text);
    });
  }
  assert.deepEqual(sent, ['Sliced.', 'Eaten.']);
  end();
  await stop();
  assert.deepEqual(sent, ['Sliced.', 'Eaten.', 'Baked.']);
});
