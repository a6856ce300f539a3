import assert from 'node:assert/strict';
import { test } from 'node:test';
import { budgetShares, nearLimit, shareLabel } from './run-budget.ts';

const NOW = Date.parse('2026-11-23T12:00:00Z');
const BUDGETS = { steps: 200, tokens: 100_000, money: '2', timeMs: 1, idleCalls: 1 };
const used = (steps: number, tokens: number, cost: string) => ({
  usage: { steps, tokens, cost, witnessed: true },
  budgets: BUDGETS,
});

test('the limit that ends first comes first', () => {
  assert.deepEqual(
    budgetShares(used(9, 60_000, '0.5'), NOW).map(({ of, share }) => [of, share]),
    [
      ['tokens', 0.6],
      ['money', 0.25],
      ['steps', 0.045],
    ],
  );
  assert.deepEqual(budgetShares({ ...used(1, 1, '0'), budgets: null }, NOW), []);
});

test('a person is warned once four fifths of a limit are used', () => {
  assert.equal(nearLimit(used(9, 79_999, '0'), NOW), null);
  const near = nearLimit(used(9, 83_500, '0'), NOW);
  assert.equal(near === null ? '' : shareLabel(near), '83 % of its tokens are used: 83,500 of 100,000');
});

test('a tier that charges nothing has no limit of money', () => {
  const free = { ...used(9, 1, '0'), budgets: { ...BUDGETS, money: '0.000001' } };
  assert.deepEqual(
    budgetShares(free, NOW).map(({ of }) => of),
    ['steps', 'tokens'],
  );
});

test('a program of another maker has no steps of ours', () => {
  const mind = { runtime: 'acp', preset: 'opencode', program: 'OpenCode', version: null, installed: true };
  assert.deepEqual(
    budgetShares({ ...used(9, 1, '0'), mind }, NOW).map(({ of }) => of),
    ['tokens', 'money'],
  );
});

test('the time of work counts on while the agent works', () => {
  const working = (since: string | null) => {
    const budgets = { ...BUDGETS, timeMs: 600_000, spent: { timeMs: 60_000, since } };
    return budgetShares({ ...used(1, 1, '0'), budgets }, NOW)[0];
  };
  assert.deepEqual(working('2026-11-23T11:52:00Z'), { of: 'time', used: '9 min', limit: '10 min', share: 0.9 });
  assert.equal(working(null)?.share, 0.1);
});
