import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VILLAGE_TOOLS, WORKER_TOKENS_MIN } from '@hamlet/contract/resident';
import type { AskedAgent } from '@hamlet/engine/workflow/host';
import { stageArguments } from './stage-arguments.ts';

interface Given {
  readonly agents: number;
  readonly tokens?: number;
  readonly spent?: number;
  readonly text?: string;
  readonly agent?: Partial<AskedAgent['agent']>;
}

/** The first of several stages with agents, none of which has begun. */
function asked({ agents, tokens = 1_000_000, spent = 0, text = 'Judge this.', agent = {} }: Given): AskedAgent {
  const stages = Array.from({ length: agents }, (_, at) => ({ id: `s${at}`, agent: 'critic' }));
  const task = { budgets: { tokens }, spent: { tokens: spent }, flow: { stages: new Map(), ends: 0 } };
  return {
    at: { run: 't1', stage: stages[0], attempt: 2, round: 3, input: null },
    agent: { id: 'critic', instructions: 'Judge.', model: 'small', tools: [], ...agent },
    plan: { stages },
    text,
    task,
  } as unknown as AskedAgent;
}

const tokensOf = (given: Given): unknown => stageArguments(asked(given), [])['tokens'];

test('the arguments fit the tool of the village, and name the stage with its turn', () => {
  const output = { type: 'object', properties: { score: { type: 'integer' } } };
  const given = stageArguments(asked({ agents: 2, agent: { output, budget: { money: '0.50' } } }), ['read_file']);
  assert.deepEqual(VILLAGE_TOOLS.run_stage.input.safeParse(given).error, undefined);
  assert.deepEqual(given, {
    stage: 's0',
    round: 3,
    attempt: 2,
    agent: 'critic',
    prompt: 'Judge this.',
    tools: ['read_file'],
    tokens: 333_333,
    output_schema: output,
    money: '0.5',
  });
});

test('a prompt is shortened to the limit, and an empty one is the id of the stage', () => {
  const long = stageArguments(asked({ agents: 1, text: 'x'.repeat(1_000_000) }), []);
  assert.ok(VILLAGE_TOOLS.run_stage.input.safeParse(long).success);
  assert.equal(stageArguments(asked({ agents: 1, text: ' \n' }), [])['prompt'], 's0');
});

test('stages that may run side by side share the rest of the tokens, and one share stays free', () => {
  assert.deepEqual(
    [1, 2, 4, 100].map((agents) => tokensOf({ agents, spent: 200_000 })),
    [400_000, 266_666, 160_000, 160_000],
  );
});

test('an agent asks for its own budget, at most for the rest, and at least for one answer', () => {
  assert.equal(tokensOf({ agents: 4, agent: { budget: { tokens: 700_000 } } }), 700_000);
  assert.equal(tokensOf({ agents: 4, spent: 400_000, agent: { budget: { tokens: 700_000 } } }), 600_000);
  assert.equal(tokensOf({ agents: 4, spent: 1_000_000 }), WORKER_TOKENS_MIN);
});
