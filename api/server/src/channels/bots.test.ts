/** The bots of agents, while Secrets change or cannot be read. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Db } from '@hamlet/store';
import type { AgentSource } from '../agents/agent-source.ts';
import { Bots, namedBots } from './bots.ts';

type Listed = ReturnType<AgentSource['list']>[number];

const agent = (agentId: string, channels: Listed['spec']['channels']) =>
  ({ agentId, spec: { channels }, deleting: false }) as Listed;
const AGENTS = [
  agent('bob', { telegram: { secretName: 'bob' } }),
  agent('ada', { telegram: { secretName: 'ada' }, slack: { secretName: 'ada-slack' } }),
];

/** Bots of these Secrets; an error stands for one that cannot be read. */
function open(secrets: Record<string, readonly string[] | Error>) {
  let nowMs = 0;
  const complaints: unknown[] = [];
  const bots = new Bots({
    db: {} as Db,
    source: { list: () => AGENTS },
    channelTokens: {
      read: async (name) => {
        const found = secrets[name] ?? null;
        if (found instanceof Error) throw found;
        return found;
      },
    },
    log: (_, message) => void complaints.push(message),
    monotonicMs: () => nowMs,
    config: { telegramUrl: 'http://127.0.0.1:1', slackUrl: 'http://127.0.0.1:1' },
  });
  const later = () => {
    nowMs += 5_001;
    return bots.list();
  };
  return { later, complaints };
}

const names = (bots: Awaited<ReturnType<Bots['list']>>) => bots.map(({ agentId, channel }) => `${agentId} ${channel}`);

test('an unreadable Secret stops no bot: its own keeps its tokens, and the others get new ones', async () => {
  const secrets: Record<string, readonly string[] | Error> = {
    ada: ['1:a'],
    'ada-slack': ['xapp-1', 'xoxb-1'],
    bob: new Error('no answer'),
  };
  const { later, complaints } = open(secrets);
  const first = await later();
  assert.deepEqual(names(first), ['ada telegram', 'ada slack']);
  Object.assign(secrets, { ada: new Error('no answer'), 'ada-slack': ['xapp-1', 'xoxb-2'], bob: ['2:b'] });
  const second = await later();
  assert.deepEqual(names(second), ['ada telegram', 'ada slack', 'bob telegram']);
  assert.deepEqual([second[0] === first[0], second[1] === first[1]], [true, false], 'a new token makes a new bot');
  assert.equal(complaints.length, 1, 'one complaint until all are read again');
});

test('if two agents share a token, the first by name has the bot; without a Secret an agent has no bot', async () => {
  const { later } = open({ ada: ['1:a'], bob: ['1:a'] });
  assert.deepEqual(names(await later()), ['ada telegram']);
});

test('bots are named in the order of agents, and an Agent under deletion names none', () => {
  const leaving = { ...agent('cleo', { telegram: { secretName: 'cleo' } }), deleting: true };
  const named = namedBots({ list: () => [leaving, ...AGENTS] });
  assert.deepEqual(
    named.map(({ agentId, channel }) => `${agentId} ${channel}`),
    ['ada telegram', 'ada slack', 'bob telegram'],
  );
});
