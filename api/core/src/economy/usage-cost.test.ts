import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR_MS, timeCost, tokenCost } from './usage-cost.ts';

test('use with a price is never free: costs are rounded up to the micro-aiDollar', () => {
  const cases: readonly (readonly [bigint, bigint])[] = [
    [tokenCost(0, 2_000n), 0n],
    [tokenCost(1, 2_000n), 2n],
    [tokenCost(1, 1n), 1n],
    [tokenCost(1_000, 2_000n), 2_000n],
    [tokenCost(1_001, 2_000n), 2_002n],
    [tokenCost(9_999, 0n), 0n],
    [timeCost(0, 50_000n), 0n],
    [timeCost(0.2, 50_000n), 1n],
    [timeCost(HOUR_MS, 50_000n), 50_000n],
    [timeCost(HOUR_MS / 2 + 1, 50_000n), 25_001n],
    [timeCost(-5, 50_000n), 0n],
    [timeCost(HOUR_MS, 0n), 0n],
  ];
  for (const [got, wanted] of cases) assert.equal(got, wanted);
});
