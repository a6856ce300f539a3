import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pinBody, pinButton, pinEffect, type PinnedAgent, pinOf, samePin } from './pin-labels.ts';
import { tierView } from './tier-view.fixture.ts';

const { compute } = tierView();
const tier = (rank: number, least: string, hour: string): Parameters<typeof pinEffect>[1][number] =>
  tierView({
    name: `tier-${rank}`,
    rank,
    min_balance: least,
    price: { per_hour: hour, per_thousand_tokens: '0' },
    compute: {
      ...compute,
      cpu: `${rank + 1}`,
      gpu: rank === 2 ? { ...compute.gpu, mode: 'Shared', count: 1 } : compute.gpu,
    },
  });
const TIERS = [tier(0, '0', '0'), tier(1, '10', '0.05'), tier(2, '100', '0.5')];
const free: PinnedAgent = {
  display_name: 'Ada',
  entitlement: { tier: 'tier-0', policy: 'ByBalance', pinned_to: null, limits: null, price: null },
  balance: '2',
  power: 'Awake',
  standing: { balance_tier: 'tier-0' },
};
const pinned: PinnedAgent = {
  ...free,
  entitlement: { ...free.entitlement, tier: 'tier-1', policy: 'Pinned', pinned_to: 'tier-1' },
};

test('choosing the present policy has no effect', () => {
  assert.equal(pinEffect(free, TIERS, pinOf(free)), null);
  assert.equal(pinEffect(pinned, TIERS, pinOf(pinned)), null);
  assert.equal(pinEffect(free, TIERS, { policy: 'Pinned', name: 'gone' }), null, 'an unknown tier');
  assert.ok(samePin({ policy: 'ByBalance', name: 'a' }, { policy: 'ByBalance', name: 'b' }));
  assert.deepEqual(
    pinOf({ entitlement: { ...pinned.entitlement, tier: null } }),
    { policy: 'Pinned', name: 'tier-1' },
    'an agent without a pod can be pinned',
  );
});

test('the preview of a pin names the effect on tier and pod', () => {
  assert.deepEqual(pinEffect(free, TIERS, { policy: 'Pinned', name: 'tier-1' }), {
    tier: 'tier-1',
    lines: ['Ada moves from tier-0 to tier-1, with any balance.', 'Its pod is resized in place, without a restart.'],
    bad: null,
  });
  assert.deepEqual(pinEffect(free, TIERS, { policy: 'Pinned', name: 'tier-0' })?.lines, [
    'Ada stays in tier-0, with any balance.',
  ]);
  assert.deepEqual(
    pinEffect({ ...free, power: 'Asleep' }, TIERS, { policy: 'Pinned', name: 'tier-2' })?.lines,
    ['Ada moves from tier-0 to tier-2, with any balance.'],
    'a sleeping agent has no pod',
  );
});

test('the form warns about a tier that the agent cannot pay', () => {
  assert.equal(
    pinEffect({ ...free, balance: '0.2' }, TIERS, { policy: 'Pinned', name: 'tier-2' })?.bad,
    'An hour of tier-2 costs 0.50 ai$. The agent has 0.20 ai$, so it has no pod there until it can pay.',
  );
  assert.match(
    pinEffect({ ...free, balance: null }, TIERS, { policy: 'Pinned', name: 'tier-1' })?.bad ?? '',
    /The agent has 0\.00 ai\$/,
  );
});

test('without a pin, the balance decides by the rule of the API', () => {
  assert.deepEqual(pinEffect(pinned, TIERS, { policy: 'ByBalance', name: 'tier-1' }), {
    tier: 'tier-0',
    lines: [
      'Ada moves from tier-1 to tier-0: 2.00 ai$ opens tier-0. From then on its balance decides.',
      'Its pod is resized in place, without a restart.',
    ],
    bad: null,
  });
  assert.equal(
    pinEffect({ ...pinned, balance: '9.5', standing: { balance_tier: 'tier-1' } }, TIERS, {
      policy: 'ByBalance',
      name: '',
    })?.tier,
    'tier-1',
    'an agent keeps its tier down to nine tenths of the balance that opens it',
  );
});

test('the button names the effect, and the body follows the contract', () => {
  assert.deepEqual(
    [pinButton(free, { policy: 'Pinned', name: 'tier-2' }), pinButton(free, { policy: 'ByBalance', name: '' })],
    ['Pin Ada to tier-2', 'Let the balance of Ada decide'],
  );
  assert.deepEqual(
    [pinBody({ policy: 'Pinned', name: 'tier-2' }), pinBody({ policy: 'ByBalance', name: 'tier-2' })],
    [{ policy: 'Pinned', name: 'tier-2' }, { policy: 'ByBalance' }],
  );
});
