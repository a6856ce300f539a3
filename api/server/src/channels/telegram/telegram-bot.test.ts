/** A bot speaks with Telegram's stand-in: files, edits, deleted messages, buttons, and numbers that begin again. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { untilEnd } from '@hamlet/test/env/at-end';
import { testVillage } from '../../testing/test-village.ts';
import type { Received } from '../bot-port.ts';
import { BotApiServer } from '../testing/bot-api-server.ts';
import { telegramBot } from './telegram-bot.ts';

const TOKEN = '4711:test-token-of-ada';
const telegram = untilEnd(new BotApiServer(TOKEN));
const village = await testVillage();
await village.startReplica();
const db = village.openDb();
const bot = telegramBot({ db, url: await telegram.start() }, 'ada', TOKEN);
const { signal } = new AbortController();

async function receive(): Promise<readonly Received[]> {
  const received: Received[] = [];
  await bot.receive(async (each) => void received.push(each), signal);
  return received;
}

test('a message can be sent, edited and deleted; a file keeps its name and type', async () => {
  const id = await bot.send({ to: '1001', text: '**Working**', isMarkdown: true });
  await bot.edit(id, { to: '1001', text: '**Almost**', isMarkdown: true });
  await bot.remove('1001', id);
  const messageId = Number(id);
  assert.deepEqual(
    [telegram.sent.pop()?.messageId, telegram.edits, telegram.deleted],
    [messageId, [{ messageId, text: '<b>Almost</b>' }], [messageId]],
  );
  const content = new TextEncoder().encode('bread;2\n');
  await bot.sendFile({ to: '1001', name: 'Prices "ä".csv', mediaType: 'text/csv', content });
  assert.deepEqual(telegram.files, [
    { chatId: 1001, name: 'Prices "ä".csv', mediaType: 'text/csv', text: 'bread;2\n' },
  ]);
});

test('a press that decides nothing keeps its buttons', async () => {
  telegram.press(1001, 'p:00000000-0000-4000-8000-000000000001:a');
  const [press] = await receive();
  assert.ok(press !== undefined);
  await bot.reply(press, { text: 'Only admins may.', isDecided: false });
  assert.deepEqual([telegram.notices, telegram.unbuttoned], [['Only admins may.'], []]);
  await bot.reply(press, { text: 'Noted: allow.', isDecided: true });
  assert.deepEqual(telegram.unbuttoned, [Number(press.press?.messageId)]);
});

test('after a week of silence Telegram numbers updates again: none is lost, and none comes twice', async () => {
  telegram.write(1001, 'Before');
  assert.deepEqual((await receive()).length, 1);
  const lastWeek = new Date(Date.now() - 7 * 86_400_000);
  await db.updateTable('channel_place').set({ moved_at: lastWeek }).execute();
  telegram.renumber(20);
  telegram.write(1001, 'After');
  const [after, ...more] = await receive();
  assert.deepEqual([after?.wish, more], [{ kind: 'say', text: 'After' }, []]);
  telegram.write(1001, 'And after');
  const [next, ...others] = await receive();
  assert.deepEqual([next?.wish, others], [{ kind: 'say', text: 'And after' }, []]);
});

test('the page of a bot is asked for once, and after a failure again', async () => {
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    response.end(JSON.stringify({ ok: true, result: { username: asked === 1 ? 'no/name' : 'ada_bot' } }));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const other = telegramBot({ db, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }, 'ada', TOKEN);
  try {
    await assert.rejects(other.page());
    for (let n = 0; n < 2; n += 1) assert.equal(await other.page(), 'https://t.me/ada_bot');
    assert.equal(asked, 2);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test('an update whose work fails comes again', async () => {
  telegram.write(1001, 'Twice');
  const failing = bot.receive(() => Promise.reject(new Error('down')), signal);
  await assert.rejects(failing, /down/);
  assert.deepEqual(
    (await receive()).map(({ wish }) => wish),
    [{ kind: 'say', text: 'Twice' }],
  );
});
