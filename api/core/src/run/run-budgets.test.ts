import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RunBudgets } from '@hamlet/contract';
import { runBudgets, type TierOfRun } from './run-budgets.ts';

const TABLE: readonly (readonly [string, TierOfRun | null, Partial<RunBudgets>])[] = [
  ['no tier', null, { steps: 20, tokens: 1_000, money: '0.000001' }],
  ['a tier without a model', { tokensPerHour: null, perThousandTokens: '1' }, { steps: 20, tokens: 1_000, money: '1' }],
  [
    'a small tier',
    { tokensPerHour: 200_000, perThousandTokens: '0.01' },
    { steps: 200, tokens: 200_000, money: '2', timeMs: 21_600_000, idleCalls: 10 },
  ],
  ['a free tier', { tokensPerHour: 200_000, perThousandTokens: '0' }, { tokens: 200_000, money: '0.000001' }],
  [
    'a large tier',
    { tokensPerHour: 5_000_000, perThousandTokens: '0.01' },
    { steps: 1_000, tokens: 5_000_000, money: '50' },
  ],
];

for (const [name, tier, expected] of TABLE)
  test(`budgets of ${name}`, () => {
    const budgets = runBudgets(tier);
    assert.deepEqual(RunBudgets.parse(budgets), budgets);
    assert.deepEqual({ ...budgets, ...expected }, budgets);
  });
