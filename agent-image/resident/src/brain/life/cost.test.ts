/**
 * An hour of agents that decide and talk through a model on a wire server, by the rules of the real world, in simulated time. The
 * full run has twenty agents.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cases } from '@hamlet/test/env/seeded';
import { startThinkingModel, thinkingVillage, type AskedOfModel } from '../../testing/thinking-village.ts';
import { chance, choose } from '../chance.ts';
import { SHARE_OF_TOKENS } from './life-mind.ts';

const HOUR_TICKS = 36_000;
/** The lowest tier of the chart. */
const TOKENS_PER_HOUR = 200_000;
const PLAN = Array.from({ length: 6 }, (_, index) => ({
  at: `1${index}:30`,
  goal: 'read about the engines of the mill',
}));

/** A wasteful model: it chooses any option, makes a new plan each time, and always has something to say. */
function anyChoice({ system, user, options }: AskedOfModel): object {
  if (options === null)
    return { say: 'And what else have you seen on your way here today?', over: false, why: 'I like to talk' };
  const option = choose(options, chance(7, system, user)) ?? 'stay';
  const words = { text: 'Hello there, how is your day?', title: 'A question', why: 'I feel like it' };
  return { option, ...words, purpose: 'company', plan: PLAN };
}

for (const [name, agents, tokensPerHour] of [
  ['the least tier', cases(6, 20), TOKENS_PER_HOUR],
  ['a tier that is too small', cases(2, 5), 20_000],
] as const) {
  test(`${agents} agents use at most a quarter of the hourly tokens of ${name}`, async (context) => {
    const wire = await startThinkingModel(anyChoice);
    const names = Array.from({ length: agents }, (_, index) => `agent-${index}`);
    const village = thinkingVillage(names, { seed: 7, wire, tokensPerHour });
    await village.live(HOUR_TICKS);
    await wire.close();
    const all = [...village.used.values()];
    const most = Math.max(...all.map(({ tokens }) => tokens));
    assert.ok(most <= tokensPerHour / SHARE_OF_TOKENS, `an agent used ${most} tokens`);
    assert.ok(Math.min(...all.map(({ requests }) => requests)) >= 2, 'every agent decides');
    const followed = village.villagers.flatMap(({ turns }) => turns).filter(({ decided }) => 'choice' in decided);
    assert.ok(followed.length > agents, 'agents follow their decisions');
    const lines = wire.requests.filter(({ body }) => !JSON.stringify(body).includes('"option"')).length;
    const tokens = all.reduce((sum, each) => sum + each.tokens, 0);
    context.diagnostic(
      `${wire.requests.length - lines} decisions and ${lines} lines, ${tokens} tokens in all, ${tokens / agents} an agent, ${most} at most`,
    );
  });
}
