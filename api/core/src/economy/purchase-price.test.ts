import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PriceList, type PurchaseItem } from '@hamlet/contract';
import { priceOf } from './purchase-price.ts';

const LIST = PriceList.parse({
  tokens_per_hour: { unit: 10_000, per_hour: '0.02' },
  priority: { per_hour: '0.1' },
  models: { large: { per_hour: '0.25' } },
  gpu: { per_hour: '1', lanes: [{ lane: 'gpu-0' }] },
});

test('a price depends on amount and time, rounded up to a micro-aiDollar', () => {
  const cases: readonly (readonly [PurchaseItem, number, bigint | null])[] = [
    [{ kind: 'quota', limit: 'tokens_per_hour', amount: 10_000 }, 3_600, 20_000n],
    [{ kind: 'quota', limit: 'tokens_per_hour', amount: 5_000 }, 7_200, 20_000n],
    [{ kind: 'quota', limit: 'tokens_per_hour', amount: 1 }, 1, 1n],
    [{ kind: 'quota', limit: 'tokens_per_hour', amount: 1_000_000_000 }, 604_800, 336_000_000_000n],
    [{ kind: 'priority' }, 1_800, 50_000n],
    [{ kind: 'priority' }, 1, 28n],
    [{ kind: 'model', model: 'large' }, 3_600, 250_000n],
    [{ kind: 'model', model: 'medium' }, 3_600, null],
    [{ kind: 'model', model: 'constructor' }, 3_600, null],
    [{ kind: 'gpu', lane: 'gpu-0' }, 5_400, 1_500_000n],
    [{ kind: 'gpu', lane: 'gpu-1' }, 5_400, null],
  ];
  for (const [item, seconds, price] of cases) assert.equal(priceOf(item, seconds, LIST), price, JSON.stringify(item));
});

test('an item above the limit of one transfer is not for sale', () => {
  const dear = PriceList.parse({ tokens_per_hour: { unit: 1, per_hour: '1' } });
  const item = (amount: number): PurchaseItem => ({ kind: 'quota', limit: 'tokens_per_hour', amount });
  assert.equal(priceOf(item(1_000_000_000), 3_600, dear), 1_000_000_000_000_000n);
  assert.equal(priceOf(item(1_000_000_000), 3_601, dear), null);
});

test('two short purchases never cost less than one long purchase', () => {
  const item: PurchaseItem = { kind: 'quota', limit: 'tokens_per_hour', amount: 777 };
  for (let seconds = 2; seconds < 400; seconds += 7) {
    const whole: bigint = priceOf(item, seconds, LIST) ?? 0n;
    const parts: bigint = (priceOf(item, 1, LIST) ?? 0n) + (priceOf(item, seconds - 1, LIST) ?? 0n);
    assert.ok(parts >= whole && parts <= whole + 1n, `${seconds} s`);
  }
});

test('a price list names each lane once and has no price of zero', () => {
  for (const bad of [
    { priority: { per_hour: '0' } },
    { priority: { per_hour: '-1' } },
    { gpu: { per_hour: '1', lanes: [{ lane: 'a' }, { lane: 'a' }] } },
    { gpu: { per_hour: '1', lanes: [{ lane: 'a', resource_name: 'gpu' }] } },
    { speed: { per_hour: '1' } },
  ])
    assert.equal(PriceList.safeParse(bad).success, false, JSON.stringify(bad));
});
