import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PriceList, type PurchaseItem } from '@hamlet/contract';
import {
  backedLanes,
  priceOf,
  auctionFault,
  windowFault,
  type ActivePurchase,
  effectiveLimits,
} from './purchase-price.ts';

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

test('a lane is for sale if one node has its devices, less those of the lanes before it', () => {
  const lane = (name: string, count: number, resource = 'nvidia.com/gpu') => ({
    lane: name,
    count,
    resource_name: resource,
  });
  const lanes = [lane('one', 1), lane('two', 2), lane('last', 1), lane('none', 1), lane('amd', 1, 'amd.com/gpu')];
  const names = (...nodes: Parameters<typeof backedLanes>[1]): string[] =>
    backedLanes(lanes, nodes).map(({ lane: name }) => name);
  assert.deepEqual(names({ 'nvidia.com/gpu': 2 }, { 'nvidia.com/gpu': 2 }), ['one', 'two', 'last']);
  assert.deepEqual(names({ 'nvidia.com/gpu': 1 }, { 'nvidia.com/gpu': 1 }), ['one', 'last'], 'no node has two');
  assert.deepEqual(names({ 'nvidia.com/gpu': -1, 'amd.com/gpu': 1 }), ['amd']);
  assert.deepEqual(names(), []);
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

const NOW = Date.parse('2026-11-22T10:00:00Z');
const MINUTE = 60_000;
const DAY = 86_400_000;

test('a window is in the future, ends after it begins, and is neither too far ahead nor too long', () => {
  const cases: readonly (readonly [number, number, RegExp | null])[] = [
    [NOW, NOW + 1, null],
    [NOW - 1, NOW + MINUTE, /past/],
    [NOW + MINUTE, NOW + MINUTE, /end after/],
    [NOW, NOW + 7 * DAY, null],
    [NOW, NOW + 7 * DAY + 1, /longer than 7 days/],
    [NOW + 30 * DAY, NOW + 30 * DAY + 1, null],
    [NOW + 30 * DAY + 1, NOW + 31 * DAY, /more than 30 days/],
  ];
  for (const [startsMs, endsMs, fault] of cases) {
    if (fault === null) assert.equal(windowFault({ startsMs, endsMs }, NOW), null);
    else assert.match(windowFault({ startsMs, endsMs }, NOW) ?? '', fault);
  }
});

test('bidding ends in the future and long enough before the window', () => {
  const window = { startsMs: NOW + MINUTE, endsMs: NOW + 2 * MINUTE };
  assert.equal(auctionFault({ ...window, closesMs: NOW + MINUTE - 5_000 }, NOW), null);
  assert.match(auctionFault({ ...window, closesMs: NOW + MINUTE - 4_999 }, NOW) ?? '', /at least 5 s before/);
  assert.match(auctionFault({ ...window, closesMs: NOW }, NOW) ?? '', /in the future/);
  assert.match(auctionFault({ startsMs: NOW + MINUTE, endsMs: NOW, closesMs: NOW + 1 }, NOW) ?? '', /end after/);
});

const TIER = {
  requests_per_minute: 120,
  concurrent_tools: 1,
  concurrent_model_requests: 2,
  web_searches_per_hour: 30,
  web_requests_per_hour: 600,
  browser_calls_per_hour: 120,
  tokens_per_hour: 20_000,
  models: ['small'],
};
const lasts = { fromMs: 1_000, untilMs: 2_000 };
const tokens = (amount: number): ActivePurchase => ({ ...lasts, kind: 'quota', limit: 'tokens_per_hour', amount });

test('a purchase in force raises only its own limit', () => {
  const cases: readonly (readonly [readonly ActivePurchase[], object])[] = [
    [[], {}],
    [[tokens(500)], { tokens_per_hour: 20_500 }],
    [[tokens(500), tokens(1)], { tokens_per_hour: 20_501 }],
    [[{ ...lasts, kind: 'quota', limit: 'requests_per_minute', amount: 60 }], { requests_per_minute: 180 }],
    [[{ ...lasts, kind: 'model', model: 'large' }], { models: ['large', 'small'] }],
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
