import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROUTES, type Limits } from '@hamlet/contract';
import type { Actor } from '../http/actor.ts';
import type { LimitActor } from '../http/pipeline/exchange.ts';
import { RateLimiter } from '../http/rate-limit.ts';
import { createActorLimiter, failsClosed } from './actor-limiter.ts';
import type { Allowance } from './agent-limits.ts';
import type { Counted } from './shared-windows.ts';

const ADA: Actor = { role: 'agent', id: 'agent ada', agentId: 'ada', uid: 'u', podUid: null, cycle: 1, stale: false };
const MEMBER = { role: 'member', id: 'account 1', accountId: '1', name: 'Grace' } as Actor;
const MAP = { name: 'getWorld', tag: 'world', method: 'GET', permission: 'world:read' } as const;
const MONEY = { name: 'rewardAgent', tag: 'economy', method: 'POST', permission: 'economy:judge' } as const;

function allowed(requests: number): Allowance {
  const limits: Limits = {
    requests_per_minute: requests,
    concurrent_tools: 1,
    concurrent_model_requests: 2,
    web_searches_per_hour: 30,
    web_requests_per_hour: 600,
    browser_calls_per_hour: 120,
    tokens_per_hour: 1,
    models: [],
  };
  return { tier: `tier-of-${requests}`, rank: 0, limits, price: { per_hour: '0', per_thousand_tokens: '0' } };
}

function limiterOf(given: { allowance?: Allowance | null; counted?: Counted | null; answers?: boolean }) {
  const keys: string[] = [];
  const state = { allowance: given.allowance ?? null };
  const count = createActorLimiter({
    windows: { count: async (key) => (keys.push(key), given.counted ?? null), answers: given.answers ?? true },
    local: new RateLimiter(),
    limits: { of: async () => state.allowance },
    requestsPerMinute: 100,
    monotonicMs: () => 0,
  });
  const limiter = async (...asked: Parameters<LimitActor>) => (await count(...asked)).whole;
  return { limiter, count, keys, state };
}

test('only routes that move money or call a model must be counted across all replicas', () => {
  const closed = ROUTES.filter(failsClosed).map(({ name }) => name);
  for (const name of ['rewardAgent', 'penalizeAgent', 'completeChat', 'listModels'] as const)
    assert.ok(closed.includes(name), name);
  for (const name of ['getWorld', 'getBalance', 'getLedger', 'moveAgent', 'getModelUse', 'listPosts'] as const)
    assert.ok(!(closed as readonly string[]).includes(name), name);
});

test('all replicas count an agent together, by the limit of its tier', async () => {
  const { limiter, keys } = limiterOf({ allowance: allowed(5), counted: { count: 6, endsInMs: 1_500 } });
  assert.deepEqual(await limiter(ADA, MAP), {
    allowed: false,
    remaining: 0,
    resetS: 2,
    policy: { name: 'tier-of-5', quota: 5, windowS: 60 },
  });
  assert.deepEqual(keys, ['agent ada']);
});

test("a person's reads are counted per replica; routes that move money are counted across all replicas", async () => {
  const { limiter, keys } = limiterOf({ counted: { count: 1, endsInMs: 60_000 } });
  assert.equal((await limiter(MEMBER, MAP))?.remaining, 99);
  assert.deepEqual(keys, []);
  assert.equal((await limiter(MEMBER, MONEY))?.remaining, 99);
  assert.deepEqual(keys, ['account 1']);
});

test('without Redis the API refuses routes that move money, and counts other requests per replica', async () => {
  const { limiter } = limiterOf({ allowance: allowed(2), counted: null });
  assert.equal(await limiter(ADA, MONEY), null);
  assert.deepEqual(
    [await limiter(ADA, MAP), await limiter(ADA, MAP)].map((verdict) => verdict?.allowed),
    [true, false],
    'the refused request was counted too',
  );
});

test('while Redis does not answer, the count of one replica lets no request that moves money proceed', async () => {
  const here = async (answers: boolean, route: Parameters<LimitActor>[1]) =>
    (await limiterOf({ allowance: allowed(2), answers }).count(ADA, route)).here?.allowed;
  assert.deepEqual(
    [await here(true, MONEY), await here(false, MONEY), await here(false, MAP)],
    [true, undefined, true],
  );
});

test('after a change to a lower tier, earlier requests still count', async () => {
  const { limiter, state } = limiterOf({ allowance: allowed(10), counted: null });
  for (let count = 0; count < 5; count += 1) assert.equal((await limiter(ADA, MAP))?.allowed, true);
  state.allowance = allowed(4);
  assert.equal((await limiter(ADA, MAP))?.allowed, false);
});

test('an agent without a tier has a quota of 60 requests', async () => {
  const { limiter } = limiterOf({ allowance: null, counted: null });
  assert.equal((await limiter(ADA, MAP))?.policy.quota, 60);
});

test('an agent at its limit can still renew and end its runs, up to a separate limit', async () => {
  const { limiter, keys } = limiterOf({ allowance: allowed(1), counted: { count: 9, endsInMs: 1_000 } });
  assert.equal((await limiter(ADA, MAP))?.allowed, false);
  const [renew, settle] = (['renewRun', 'settleRun'] as const).map((name) =>
    ROUTES.find((route) => route.name === name),
  );
  assert.ok(renew !== undefined && settle !== undefined);
  const verdicts = [];
  for (let count = 0; count < 300; count += 1)
    verdicts.push((await limiter(ADA, count % 2 === 0 ? renew : settle))?.allowed);
  assert.deepEqual([verdicts.indexOf(false), verdicts.lastIndexOf(true)], [240, 239]);
  assert.deepEqual(keys, ['agent ada'], 'no request to Redis');
});
