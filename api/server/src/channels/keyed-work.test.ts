import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { Bot } from './bot-port.ts';
import { KeyedWork } from './keyed-work.ts';
import { fakeBot } from './testing/fake-bot.ts';

/** Work that ends when the test ends it, with the agents in the order of their starts. */
function manual() {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    started,
    work: ({ agentId }: { readonly agentId: string }): Promise<void> => {
      started.push(agentId);
      return new Promise((done) => ends.set(agentId, done));
    },
    end: async (agentId: string): Promise<void> => {
      ends.get(agentId)?.();
      await turn();
    },
  };
}

test('a slow bot delays no other, and each bot works on one thing', async () => {
  const [ada, bob] = [fakeBot('ada'), fakeBot('bob')];
  const bots = [ada, bob];
  const { started, work, end } = manual();
  const polls = new KeyedWork<Bot>(64);
  polls.start(bots, work);
  await end('bob');
  assert.deepEqual(polls.running(), [ada]);
  polls.start(bots, work);
  assert.deepEqual(started, ['ada', 'bob', 'bob']);
  const settled = polls.settled();
  await end('ada');
  await end('bob');
  await settled;
});

test('a limited number work at once, and the bot that waited longest is next', async () => {
  const bots = ['ada', 'bob', 'cleo'].map((agentId) => fakeBot(agentId));
  const { started, work, end } = manual();
  const polls = new KeyedWork<Bot>(1);
  for (const done of ['ada', 'bob', 'cleo', 'ada']) {
    polls.start(bots, work);
    await end(done);
  }
  assert.deepEqual(started, ['ada', 'bob', 'cleo', 'ada']);
});
