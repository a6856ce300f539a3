/** A replica that loses the lead while it waits for messages, and conversations that are slow or fail. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '@hamlet/test/env/until';
import type { Handlers } from '../http/handler.ts';
import { testVillage } from '../testing/test-village.ts';
import type { Bot, Received } from './bot-port.ts';
import { ReplyQueue } from './reply-queue.ts';
import { startChannels } from './start-channels.ts';
import { fakeBot } from './testing/fake-bot.ts';

const village = await testVillage();
await village.startReplica();

const message: Received = {
  updateId: '1',
  sender: { id: '1001', name: 'Zoe' },
  wish: { kind: 'help' },
  press: null,
};

const start = (bot: Bot, leads = () => true) =>
  startChannels({
    db: village.openDb(),
    log: () => undefined,
    monotonicMs: () => 0,
    handlers: {} as Handlers,
    limitActor: () => Promise.reject(new Error('unused')),
    bots: { list: async () => [bot] },
    notifications: { leads },
  });

test('a message that arrives after the lead is lost stays for the replica that leads, and the bot does not pause', async () => {
  let leads = true;
  let polls = 0;
  const replies: string[] = [];
  const outcomes: string[] = [];
  const bot = {
    ...fakeBot('ada', async (take) => {
      polls += 1;
      leads = polls !== 1;
      await take(message).then(
        () => outcomes.push('taken'),
        (error: unknown) => {
          outcomes.push(String(error));
          throw error;
        },
      );
    }),
    reply: async (_: Received, { text }: { readonly text: string | null }) => void replies.push(text ?? ''),
  };
  const { jobs, stop } = start(bot, () => leads);
  const round = () => jobs[0]?.run();
  await round();
  await until('the refusal', () => outcomes.length === 1);
  assert.match(outcomes[0] ?? '', /no longer leads/);
  assert.deepEqual(replies, []);
  leads = true;
  await until('the message', async () => {
    await round();
    return replies.length > 0;
  });
  assert.match(replies[0] ?? '', /not linked/);
  await stop();
});

/** A promise that the test resolves. */
function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

test('a slow reply delays no other person, and replies to one person keep their order', async () => {
  const slow = gate();
  const replies: string[] = [];
  const of = (updateId: string, id: string): Received => ({ ...message, updateId, sender: { id, name: 'Zoe' } });
  let polls = 0;
  const bot: Bot = {
    ...fakeBot('ada', async (take) => {
      polls += 1;
      if (polls === 1) for (const each of [of('1', 'slow'), of('2', 'slow'), of('3', 'other')]) await take(each);
    }),
    reply: async ({ updateId }) => {
      if (updateId === '1') await slow.opened;
      replies.push(updateId);
    },
  };
  const { jobs, stop } = start(bot);
  await jobs[0]?.run();
  await until('the reply to the other person', () => replies.length > 0);
  assert.deepEqual(replies, ['3']);
  slow.open();
  await stop();
  assert.deepEqual(replies, ['3', '1', '2']);
});

test('a queue of replies that is full makes the next message wait', async () => {
  const queue = new ReplyQueue(() => undefined);
  const slow = gate();
  const bot: Bot = { ...fakeBot('ada'), reply: () => slow.opened };
  const add = (id: string) =>
    queue.add(bot, { ...message, sender: { id, name: 'Zoe' } }, { text: 'Yes.', isDecided: false });
  for (let each = 0; each < 256; each += 1) await add(String(each));
  let isAdded = false;
  const added = add('more').then(() => (isAdded = true));
  await new Promise(setImmediate);
  assert.equal(isAdded, false);
  slow.open();
  await added;
  await queue.settled();
});
