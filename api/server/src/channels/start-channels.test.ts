/** A replica that loses the lead while it waits for messages. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '@hamlet/test/env/until';
import type { Handlers } from '../http/handler.ts';
import { testVillage } from '../testing/test-village.ts';
import type { Received } from './bot-port.ts';
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
  const { jobs, stop } = startChannels({
    db: village.openDb(),
    log: () => undefined,
    monotonicMs: () => 0,
    handlers: {} as Handlers,
    limitActor: () => Promise.reject(new Error('unused')),
    bots: { list: async () => [bot] },
    notifications: { leads: () => leads },
  });
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
