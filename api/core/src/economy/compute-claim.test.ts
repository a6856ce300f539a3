import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  afterRefusedRenewal,
  CLAIM_TERMS,
  decideAsk,
  dueOf,
  holdAmount,
  isOrphan,
  payableBelow,
  upkeepOf,
  usedMs,
  type ClaimedAgent,
  type HeldClaim,
} from './compute-claim.ts';
import { HOUR_MS, timeCost, tokenCost } from './usage-cost.ts';

const NOW = 1_000_000_000_000;
const HELD: HeldClaim = {
  uid: 'a',
  cycle: 3,
  tier: 'tier-1',
  perHour: 50_000n,
  amount: 50_000n,
  untilMs: NOW + HOUR_MS,
  runningSinceMs: NOW,
  usedMs: 0,
};
const ASK = { uid: 'a', cycle: 3, tier: 'tier-1', runs: false };
const AGENT: ClaimedAgent = { uid: 'a', deleting: false, awake: true, tier: 'tier-1' };
const at = (nowMs: number) => ({ perHour: 50_000n, nowMs });

test('a meter counts the time of the pod, up to the time that the hold pays for', () => {
  assert.equal(usedMs(HELD, NOW + 1_000), 1_000);
  assert.equal(usedMs(HELD, NOW - 5_000), 0);
  assert.equal(usedMs({ ...HELD, usedMs: 7, runningSinceMs: null }, NOW + HOUR_MS), 7);
  assert.equal(usedMs(HELD, NOW + 5 * HOUR_MS), HOUR_MS);
  assert.equal(dueOf(HELD, NOW + HOUR_MS / 2), 25_000n);
  assert.equal(dueOf(HELD, NOW + 5 * HOUR_MS), 50_000n);
  assert.equal(dueOf({ ...HELD, usedMs: 2 * HOUR_MS }, NOW), 50_000n);
  assert.equal(dueOf({ ...HELD, runningSinceMs: null }, NOW + HOUR_MS), 0n);
});

test('a request of the operator keeps a suitable hold or takes a new one; a free tier needs none', () => {
  const cases: readonly (readonly [HeldClaim | null, Partial<typeof ASK>, bigint, number, string])[] = [
    [null, {}, 50_000n, NOW, 'take'],
    [null, {}, 0n, NOW, 'free'],
    [HELD, {}, 0n, NOW, 'free'],
    [HELD, {}, 50_000n, NOW, 'keep'],
    [HELD, { cycle: 4 }, 50_000n, NOW, 'keep'],
    [HELD, { tier: 'tier-2' }, 50_000n, NOW, 'take'],
    [HELD, { uid: 'b' }, 50_000n, NOW, 'take'],
    [HELD, {}, 50_000n, HELD.untilMs, 'take'],
  ];
  for (const [held, ask, perHour, nowMs, wanted] of cases)
    assert.equal(decideAsk(held, { ...ASK, ...ask }, { perHour, nowMs }).kind, wanted);
});

test('time counts from the report that the pod runs; the next cycle begins its own count', () => {
  const waiting = { ...HELD, runningSinceMs: null };
  assert.deepEqual(decideAsk(waiting, ASK, at(NOW + 10)), {
    kind: 'keep',
    meter: { cycle: 3, usedMs: 0, runningSinceMs: null },
  });
  assert.deepEqual(decideAsk(waiting, { ...ASK, runs: true }, at(NOW + 10)), {
    kind: 'keep',
    meter: { cycle: 3, usedMs: 0, runningSinceMs: NOW + 10 },
  });
  assert.deepEqual(decideAsk(HELD, { ...ASK, runs: true }, at(NOW + 10)), {
    kind: 'keep',
    meter: { cycle: 3, usedMs: 0, runningSinceMs: NOW },
  });
  assert.deepEqual(decideAsk(HELD, { ...ASK, cycle: 4 }, at(NOW + 10)), {
    kind: 'keep',
    meter: { cycle: 4, usedMs: 10, runningSinceMs: null },
  });
  assert.deepEqual(decideAsk(HELD, { ...ASK, cycle: 4, runs: true }, at(NOW + 10)), {
    kind: 'keep',
    meter: { cycle: 4, usedMs: 10, runningSinceMs: NOW + 10 },
  });
});

test('a claim is not an orphan if its request is recent or its agent still uses it', () => {
  const later = NOW + CLAIM_TERMS.settleInMs + 1;
  const judged = (agent: ClaimedAgent | null, nowMs = later): boolean =>
    isOrphan(HELD, { agent, askedMs: NOW, nowMs }, CLAIM_TERMS);
  assert.equal(judged(null, NOW + CLAIM_TERMS.settleInMs), false);
  assert.equal(judged(AGENT), false);
  for (const agent of [
    null,
    { ...AGENT, uid: 'b' },
    { ...AGENT, deleting: true },
    { ...AGENT, awake: false },
    { ...AGENT, tier: 'tier-0' },
    { ...AGENT, tier: null },
  ]) {
    assert.equal(judged(agent), true, JSON.stringify(agent));
  }
});

test('a hold is renewed halfway; after a refused renewal the operator is notified shortly before the hold ends', () => {
  const { renewMs, endMs } = CLAIM_TERMS;
  const due = (leftMs: number, renewalRefused = false): string =>
    upkeepOf({ untilMs: NOW + leftMs }, { nowMs: NOW, renewalRefused }, CLAIM_TERMS);
  assert.deepEqual([due(renewMs + 1), due(renewMs), due(-1)], ['none', 'renew', 'renew']);
  assert.deepEqual([due(endMs, true), due(1, true), due(0, true)], ['none', 'none', 'end']);
  assert.deepEqual(
    [endMs + 1, endMs, 0].map((leftMs) => afterRefusedRenewal({ untilMs: NOW + leftMs }, NOW, CLAIM_TERMS)),
    ['none', 'notify', 'notify'],
  );
});

test('an agent that cannot pay gets the highest lower tier that it can pay; a free tier is always possible', () => {
  const tiers = [
    { name: 'tier-0', rank: 0, perHour: 0n },
    { name: 'tier-1', rank: 1, perHour: 50_000n },
    { name: 'tier-1b', rank: 1, perHour: 60_000n },
    { name: 'tier-2', rank: 2, perHour: 500_000n },
  ];
  const below = (tier: string, available: bigint): string | null =>
    payableBelow(tiers, tier, { available, terms: CLAIM_TERMS });
  assert.equal(below('tier-2', 499_999n), 'tier-1');
  assert.equal(below('tier-2', 50_000n), 'tier-1');
  assert.equal(below('tier-2', 49_999n), 'tier-0');
  assert.equal(below('tier-2', -5n), 'tier-0');
  assert.equal(below('tier-1', 1_000_000n), 'tier-0');
  assert.equal(below('tier-0', 1_000_000n), null);
  assert.equal(below('unknown', 1_000_000n), null);
  assert.equal(holdAmount(50_000n, CLAIM_TERMS), 50_000n);
});

test('costs are rounded up to the micro-aiDollar, so use with a price is never free', () => {
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
