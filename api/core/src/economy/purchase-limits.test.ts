import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ActivePurchase, effectiveLimits } from './purchase-price.ts';

const TIER = {
  requests_per_minute: 120,
  concurrent_tools: 1,
  concurrent_model_requests: 2,
  web_searches_per_hour: 30,
  browser_calls_per_hour: 120,
  tokens_per_hour: 20_000,
  models: ['small'],
};
const lasts = { fromMs: 1_000, untilMs: 2_000 };
const tokens = (amount: number): ActivePurchase => ({ ...lasts, kind: 'quota', limit: 'tokens_per_hour', amount });

test('a purchase that lasts raises its own limit and no other', () => {
  const cases: readonly (readonly [readonly ActivePurchase[], object])[] = [
    [[], {}],
    [[tokens(500)], { tokens_per_hour: 20_500 }],
    [[tokens(500), tokens(1)], { tokens_per_hour: 20_501 }],
    [[{ ...lasts, kind: 'quota', limit: 'requests_per_minute', amount: 60 }], { requests_per_minute: 180 }],
    [[{ ...lasts, kind: 'model', model: 'large' }], { models: ['small', 'large'] }],
    [[{ ...lasts, kind: 'model', model: 'small' }], {}],
    [
      [
        { ...lasts, kind: 'priority' },
        { ...lasts, kind: 'gpu' },
      ],
      {},
    ],
  ];
  for (const [purchases, raised] of cases)
    assert.deepEqual(effectiveLimits(TIER, purchases, 1_500), { ...TIER, ...raised });
});

test('a purchase counts from its first moment and no longer at its end', () => {
  const at = (nowMs: number): number | null => effectiveLimits(TIER, [tokens(500)], nowMs).tokens_per_hour;
  assert.deepEqual(
    [at(999), at(999.999), at(1_000), at(1_999.999), at(2_000)],
    [20_000, 20_000, 20_500, 20_500, 20_000],
  );
});

test('a limit that the tier leaves open stays open, and an agent without a tier has no limits', () => {
  assert.equal(effectiveLimits({ ...TIER, tokens_per_hour: null }, [tokens(500)], 1_500).tokens_per_hour, null);
  assert.equal(effectiveLimits(null, [tokens(500)], 1_500), null);
});
