import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Tx } from '@hamlet/store';
import type { AgentRecord } from '../agents/agent-source.ts';
import { createAgentLimits, type ReadBought } from './agent-limits.ts';

const SPEC = {
  limits: { requestsPerMinute: 10, concurrentTools: 1, tokensPerHour: 100, models: ['small'] },
  price: { perHour: '0', perThousandTokens: '0' },
};

function limitsOf(given: { bought: ReadBought; tier?: string | undefined }) {
  const clock = { ms: 0 };
  const record = { status: { tier: 'tier' in given ? given.tier : 'tier-0' } } as AgentRecord;
  const source = {
    get: (id: string) => (id === 'ada' ? record : null),
    entitlement: (name: string) => (name === 'tier-0' ? SPEC : null),
  } as Parameters<typeof createAgentLimits>[0]['source'];
  return { clock, limits: createAgentLimits({ source, bought: given.bought, monotonicMs: () => clock.ms }) };
}

test('the tier is read from memory each time; purchases are cached for a second, or until `forget`', async () => {
  let reads = 0;
  const { clock, limits } = limitsOf({
    bought: async () => {
      reads += 1;
      const more = reads;
      return () => (tier) => ({ ...tier, requests_per_minute: (tier.requests_per_minute ?? 0) + more });
    },
  });
  const requests = async (): Promise<number | null | undefined> => (await limits.of('ada'))?.limits.requests_per_minute;
  assert.deepEqual([await requests(), await requests()], [11, 11]);
  clock.ms = 1_000;
  assert.equal(await requests(), 12);
  limits.forget('ada');
  assert.equal(await requests(), 13);
});

test('a purchase ends on time, even while it is cached', async () => {
  const state = { lasts: true };
  const { limits } = limitsOf({
    bought: async () => () => (tier) => (state.lasts ? { ...tier, models: [...tier.models, 'large'] } : tier),
  });
  assert.deepEqual((await limits.of('ada'))?.limits.models, ['small', 'large']);
  state.lasts = false;
  assert.deepEqual((await limits.of('ada'))?.limits.models, ['small']);
});

test('without Postgres only the tier applies; any other error is thrown', async () => {
  const away = limitsOf({
    bought: () => Promise.reject(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })),
  });
  assert.deepEqual((await away.limits.of('ada'))?.limits.models, ['small']);
  const broken = limitsOf({ bought: () => Promise.reject(new TypeError('a bug')) });
  await assert.rejects(broken.limits.of('ada'), /a bug/);
});

test('an unknown agent or one without a tier has no limits', async () => {
  const { limits } = limitsOf({ bought: async () => () => (tier) => tier });
  assert.equal(await limits.of('nobody'), null);
  assert.equal(await limitsOf({ bought: async () => () => (tier) => tier, tier: undefined }).limits.of('ada'), null);
  assert.equal(await limitsOf({ bought: async () => () => (tier) => tier, tier: 'unknown' }).limits.of('ada'), null);
});

/** Limits whose purchases the test raises, with the number of reads. */
function boughtLimitsOf() {
  const state = { more: 1, reads: 0, gate: Promise.resolve(), isAway: false };
  const { clock, limits } = limitsOf({
    bought: async (agentIds) => {
      const { more } = state;
      state.reads += 1;
      await state.gate;
      if (state.isAway) throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
      assert.deepEqual(agentIds, ['ada']);
      return () => (tier) => ({ ...tier, requests_per_minute: (tier.requests_per_minute ?? 0) + more });
    },
  });
  const requests = async (): Promise<number | null | undefined> => (await limits.of('ada'))?.limits.requests_per_minute;
  return { state, clock, limits, requests };
}

test('purchases of a recently active agent are refreshed for ten seconds, so its calls read nothing', async () => {
  const { state, clock, limits, requests } = boughtLimitsOf();
  await limits.readAhead();
  assert.equal(state.reads, 0, 'nobody asked');
  assert.equal(await requests(), 11);
  state.more = 2;
  for (clock.ms = 500; clock.ms < 10_000; clock.ms += 500) await limits.readAhead();
  assert.equal(state.reads, 20);
  assert.equal(await requests(), 12);
  assert.equal(state.reads, 20, 'the call itself read nothing');
  clock.ms = 19_500;
  await limits.readAhead();
  clock.ms = 20_000;
  await limits.readAhead();
  assert.equal(state.reads, 21, 'ten seconds after its last call it is not read any more');
  clock.ms = 20_500;
  state.more = 3;
  assert.equal(await requests(), 13);
});

test('a purchase on this replica counts at once, even during a refresh', async () => {
  const { state, limits, requests } = boughtLimitsOf();
  assert.equal(await requests(), 11);
  const gate = Promise.withResolvers<void>();
  state.gate = gate.promise;
  const reading = limits.readAhead();
  state.more = 2;
  limits.forget('ada');
  const asked = requests();
  gate.resolve();
  await reading;
  assert.deepEqual([await asked, await requests()], [12, 12]);
});

test('a failed refresh keeps the limits until they are too old', async () => {
  const { state, clock, limits, requests } = boughtLimitsOf();
  assert.equal(await requests(), 11);
  state.isAway = true;
  clock.ms = 500;
  await assert.rejects(limits.readAhead());
  assert.equal(await requests(), 11);
  clock.ms = 1_000;
  assert.equal(await requests(), 10, 'without Postgres only the tier applies');
});

test('a transaction reads purchases over its own connection, and waits for no other read', async () => {
  const tx = {} as Tx;
  const asked: (Tx | undefined)[] = [];
  const { limits } = limitsOf({
    bought: async (_agentIds, within) => {
      asked.push(within);
      if (within === undefined) await new Promise(() => undefined);
      return () => (tier) => tier;
    },
  });
  void limits.of('ada');
  assert.notEqual(await limits.of('ada', tx), null);
  assert.deepEqual(asked, [undefined, tx]);
});
