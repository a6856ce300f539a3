/** An hour of twenty agents that decide by a model, by the rules of the real world, without clock or network. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentConfig, ChatCompletion, ChatCompletionBody } from '@hamlet/contract';
import { createThinker, type Thinker } from '../../loop/thinker.ts';
import { poolOf } from '../../testing/a-runtime.ts';
import { createScriptedRuntime } from '../../runtime/scripted-runtime.ts';
import { voiceOf } from '../../runtime/voice.ts';
import { coreVillage } from '../../testing/core-village.ts';
import { lifeOf } from '../../testing/life-of.ts';
import { choose } from '../chance.ts';
import { SHARE_OF_TOKENS } from './when-to-think.ts';

const AGENTS = 20;
const HOUR_TICKS = 36_000;
/** The least tier of the chart. */
const TOKENS_PER_HOUR = 200_000;
const BYTES_PER_TOKEN = 4;
const ANSWER_TOKENS = 80;
const CONFIG: Pick<AgentConfig, 'model' | 'limits'> = {
  model: { provider: 'compatible', name: 'small', scripted: false, reason: '' },
  limits: {
    requests_per_minute: 120,
    concurrent_tools: 1,
    concurrent_model_requests: 2,
    tokens_per_hour: TOKENS_PER_HOUR,
    models: ['small'],
  },
};

/** A model that chooses any option, and its use of tokens. */
function anyChoice() {
  const used = { decisions: 0, tokens: 0 };
  const complete = async ({ messages, response_format: format }: ChatCompletionBody) => {
    const { enum: ids } = (
      format as unknown as { json_schema: { schema: { properties: { option: { enum: string[] } } } } }
    ).json_schema.schema.properties.option;
    used.decisions += 1;
    const option = choose(ids, (used.decisions * 0.618) % 1) ?? 'stay';
    const tokens = Math.ceil(JSON.stringify([messages, format]).length / BYTES_PER_TOKEN) + ANSWER_TOKENS;
    used.tokens += tokens;
    const content = JSON.stringify({ option, text: 'Hello there', title: 'A question', why: 'I feel like it' });
    const value = { choices: [{ message: { content } }], usage: { total_tokens: tokens } } as unknown as ChatCompletion;
    return { kind: 'ok' as const, value };
  };
  return { used, complete };
}

test('the decisions of twenty agents in an hour cost at most a quarter of the tokens of their tier', async (context) => {
  const names = Array.from({ length: AGENTS }, (_, index) => `agent-${index}`);
  const village = coreVillage(names, 7);
  const voice = voiceOf({
    runtimes: poolOf(createScriptedRuntime()),
    workspacePath: '/nowhere',
    memoryPath: '/nowhere',
    stop: new AbortController().signal,
  });
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const minds = village.villagers.map((villager) => {
    const { used, complete } = anyChoice();
    const asked = createThinker({ complete, diary: () => [], onThought: () => {}, log });
    const thinker: Thinker = { take: asked.take, consider: (situation) => asked.consider(situation, CONFIG) };
    return { used, live: lifeOf(villager, { voice, seed: 7, thinker }) };
  });
  for (let tick = 0; tick <= HOUR_TICKS; tick += 1) {
    village.advanceTo(tick);
    for (const { live } of minds) await live(tick);
  }
  const tokens = minds.map(({ used }) => used.tokens);
  const decisions = minds.map(({ used }) => used.decisions);
  const most = Math.max(...tokens);
  assert.ok(most <= TOKENS_PER_HOUR / SHARE_OF_TOKENS, `an agent used ${most} tokens`);
  assert.ok(Math.min(...decisions) >= 5, `an agent decided only ${Math.min(...decisions)} times`);
  const followed = village.villagers.flatMap(({ turns }) => turns).filter(({ decided }) => 'choice' in decided);
  assert.ok(followed.length > AGENTS, 'agents follow their decisions');
  const all = tokens.reduce((sum, each) => sum + each, 0);
  const made = decisions.reduce((sum, each) => sum + each, 0);
  context.diagnostic(`${made} decisions, ${all} tokens in all, ${most} at most for one agent`);
});
