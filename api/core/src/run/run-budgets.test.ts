import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RunBudgets, type RaisedBudgets } from '@hamlet/contract';
import { decideRaise, firstLimit, runBudgets, type RaiseVerdict, type TierOfRun } from './run-budgets.ts';

const TABLE: readonly (readonly [string, TierOfRun | null, Partial<RunBudgets>])[] = [
  ['no tier', null, { steps: 40, tokens: 1_000, money: '0.000001' }],
  ['a tier without a model', { tokensPerHour: null, perThousandTokens: '1' }, { steps: 40, tokens: 1_000, money: '1' }],
  [
    'a small tier',
    { tokensPerHour: 2_000_000, perThousandTokens: '0.01' },
    { steps: 100, tokens: 2_000_000, money: '20', timeMs: 21_600_000, idleCalls: 10 },
  ],
  ['a free tier', { tokensPerHour: 200_000, perThousandTokens: '0' }, { tokens: 200_000, money: '0.000001' }],
  [
    'a large tier',
    { tokensPerHour: 50_000_000, perThousandTokens: '0.01' },
    { steps: 1_000, tokens: 50_000_000, money: '500' },
  ],
];

for (const [name, tier, expected] of TABLE)
  test(`budgets of ${name}`, () => {
    const budgets = runBudgets(tier);
    assert.deepEqual(RunBudgets.parse(budgets), budgets);
    assert.deepEqual({ ...budgets, ...expected }, budgets);
  });

/** Tokens of a task whose prompt holds everything until the context is four fifths full, and is then summarized. */
function tokensOfTask(steps: number, contextTokens: number): number {
  const [first, growth, answer, summarized] = [4_500, 1_200, 700, 9_000];
  let [prompt, tokens] = [first, 0];
  for (let step = 0; step < steps; step += 1) {
    tokens += prompt + answer;
    prompt = prompt + growth > contextTokens * 0.8 ? summarized : prompt + growth;
  }
  return tokens;
}

test('a coding task of 40 steps fits into the budgets of the lowest tier, in a small and in a large context', () => {
  const { steps, tokens } = runBudgets({ tokensPerHour: 2_000_000, perThousandTokens: '0' });
  assert.deepEqual(
    [32_768, 131_072].map((context) => tokensOfTask(40, context)),
    [651_700, 1_144_000],
  );
  assert.ok(steps >= 40 && tokens >= tokensOfTask(40, 131_072));
});

test('the first limit of a run is the one of which it has used the greatest share', () => {
  const limits = { steps: 100, tokens: 1_000, money: '2', timeMs: 1_000, idleCalls: 10 };
  const none = { steps: 0, tokens: 0, money: '0', timeMs: 0, since: null };
  assert.equal(firstLimit(limits, none), 'steps');
  assert.equal(firstLimit(limits, { ...none, steps: 10, tokens: 200 }), 'tokens');
  assert.equal(firstLimit(limits, { ...none, tokens: 200, money: '0.5' }), 'money');
  assert.equal(firstLimit(limits, { ...none, tokens: 200, timeMs: 900 }), 'time');
});

const FRESH = runBudgets({ tokensPerHour: 2_000_000, perThousandTokens: '0.01' });
const USED = { steps: 90, tokens: 1_500_000, money: '15', timeMs: 1_000 };
const REFILLED = { ...FRESH, steps: 190, tokens: 3_500_000, money: '35', timeMs: 21_601_000 };
const RAISES: readonly (readonly [string, RaisedBudgets, RaiseVerdict, RunBudgets?])[] = [
  ['refilled limits', 'refill', { kind: 'raised', budgets: REFILLED }],
  ['a limit that is refilled already', 'refill', { kind: 'same' }, REFILLED],
  ['one limit', { tokens: 3_500_000 }, { kind: 'raised', budgets: { ...FRESH, tokens: 3_500_000 } }],
  ['a lower limit', { tokens: 1, money: '-5' }, { kind: 'same' }],
  ['too many tokens', { tokens: 3_500_001 }, { kind: 'too_high', limit: 'tokens', most: '3500000' }],
  ['too much money', { money: '35.000001' }, { kind: 'too_high', limit: 'money', most: '35' }],
];

for (const [name, asked, expected, budgets = FRESH] of RAISES)
  test(`a raise decides about ${name}`, () => {
    assert.deepEqual(decideRaise({ budgets, used: USED, fresh: FRESH }, asked), expected);
  });

test('an agent that claims more than its limits does not raise what a person refills', () => {
  const used = { steps: 1_000_000, tokens: 4_000_000_000, money: '9000', timeMs: 1_000 };
  const { steps, tokens, money } = FRESH;
  const verdict = decideRaise({ budgets: FRESH, used, fresh: FRESH }, 'refill');
  assert.partialDeepStrictEqual(verdict, {
    kind: 'raised',
    budgets: { steps: 2 * steps, tokens: 2 * tokens, money: String(2 * Number(money)) },
  });
});
