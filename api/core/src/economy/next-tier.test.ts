import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EntitlementSpec } from '@hamlet/contract';
import { type NamedTier, nextTier, tierChanges } from './tier.ts';

const LIMITS = { requestsPerMinute: 120, concurrentTools: 1, tokensPerHour: 20_000, models: ['small'] };

function tier(name: string, rank: number, minBalance: string): NamedTier {
  return { name, spec: EntitlementSpec.parse({ rank, minBalance, limits: LIMITS }) };
}

const TIERS = [tier('tier-2', 2, '100'), tier('tier-0', 0, '0'), tier('tier-1', 1, '10')];

test('the next tier is the nearest tier above that the balance does not reach', () => {
  const next = (balance: bigint, current: string | null): string | null =>
    nextTier(TIERS, balance, current)?.name ?? null;
  assert.equal(next(0n, 'tier-0'), 'tier-1');
  assert.equal(next(9_999_999n, 'tier-0'), 'tier-1');
  assert.equal(
    next(10_000_000n, 'tier-0'),
    'tier-2',
    'a threshold that the balance has already reached does not count',
  );
  assert.equal(next(9_500_000n, 'tier-1'), 'tier-2', 'an agent below the threshold that keeps its tier has it already');
  assert.equal(next(50_000_000n, 'tier-1'), 'tier-2');
  assert.equal(next(100_000_000n, 'tier-2'), null);
  assert.equal(next(-1n, null), 'tier-0', 'in debt');
  assert.equal(nextTier([], 0n, null), null);
});

test('the higher one of two tiers with the same threshold opens, and the lowest threshold comes first', () => {
  assert.equal(nextTier([tier('a', 1, '10'), tier('b', 2, '10')], 0n, null)?.name, 'b');
  assert.equal(nextTier([tier('a', 1, '10'), tier('b', 2, '5')], 0n, null)?.name, 'b');
  const twins = [tier('b', 1, '10'), tier('a', 1, '10')];
  for (const order of [twins, twins.toReversed()])
    assert.equal(nextTier(order, 0n, null)?.name, 'a', 'with equal threshold and rank, the first by name');
});

test('a change of tier lists each changed property with its old and new value', () => {
  const to = EntitlementSpec.parse({
    rank: 1,
    minBalance: '10',
    limits: { ...LIMITS, concurrentModelRequests: 9, tokensPerHour: 100_000, models: ['small', 'large'] },
    compute: { resources: { cpu: '2' }, gpu: { mode: 'Shared', count: 1 } },
    price: { perHour: '0.05' },
  });
  assert.deepEqual(tierChanges(TIERS[1]?.spec ?? null, to), [
    { what: 'concurrent_model_requests', from: '4', to: '9' },
    { what: 'tokens_per_hour', from: '20000', to: '100000' },
    { what: 'models', from: 'small', to: 'small, large' },
    { what: 'cpu', from: '500m', to: '2' },
    { what: 'gpu', from: '-', to: 'Shared 1 nvidia.com/gpu' },
    { what: 'price_per_hour', from: '0', to: '0.05' },
  ]);
  assert.deepEqual(tierChanges(to, to), []);
  assert.equal(tierChanges(null, to).find(({ what }) => what === 'models')?.from, '-');
});
