import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTier, type TierDraft, tierDraftOf } from './tier-draft.ts';
import { podChange, podChangeLabel, tierEffects, tierLines } from './tier-effects.ts';
import { tierView } from './tier-view.fixture.ts';

type Village = Parameters<typeof tierEffects>[2];
const tier1 = tierView();
const TIERS = [tierView({ name: 'tier-0', rank: 0, min_balance: '0' }), tier1];
const agent = (
  id: string,
  balance: string,
  more: Partial<Village['agents'][number]> = {},
): Village['agents'][number] => ({
  agent_id: id,
  display_name: id,
  balance,
  tier: Number(balance) >= 10 ? 'tier-1' : 'tier-0',
  power: 'Awake',
  entitlement: { tier: null, policy: 'ByBalance', pinned_to: null, limits: null, price: null },
  standing: { balance_tier: Number(balance) >= 10 ? 'tier-1' : 'tier-0' },
  ...more,
});

function written(change: Partial<TierDraft>): {
  readonly name: string;
  readonly spec: Parameters<typeof tierLines>[1];
} {
  const reading = readTier({ ...tierDraftOf(tier1), ...change }, []);
  assert.ok(reading.ok);
  return reading;
}

test('only differences get a line', () => {
  assert.deepEqual(tierLines(tier1, written({}).spec), []);
  assert.deepEqual(tierLines(tier1, written({ minBalance: '10.0' }).spec), [], 'the same amount');
  assert.deepEqual(
    tierLines(
      tier1,
      written({ minBalance: '0', tokensPerHour: '200000', perHour: '0.1', models: '', gpuMode: 'Shared' }).spec,
    ),
    [
      { what: 'Opens', from: 'from 10.00 ai$', to: 'to all agents' },
      { what: 'Tokens an hour', from: '100,000', to: '200,000' },
      { what: 'Models', from: 'small, large', to: 'none' },
      { what: 'GPU', from: 'none', to: 'Shared 1 nvidia.com/gpu' },
      { what: 'Price an hour', from: '0.05 ai$', to: '0.10 ai$' },
    ],
  );
});

test('a new tier gets a line for each part of its spec', () => {
  const lines = tierLines(null, written({}).spec);
  assert.deepEqual(lines.slice(0, 3), [
    { what: 'Opens', from: 'none', to: 'from 10.00 ai$' },
    { what: 'Rank', from: 'none', to: '1' },
    { what: 'Requests a minute', from: 'none', to: '300' },
  ]);
  assert.ok(!lines.some(({ what }) => what === 'GPU'), 'an empty part is left out');
});

test('agents by balance move with the thresholds; pinned agents stay', () => {
  const village = {
    tiers: TIERS,
    agents: [
      agent('ada', '12'),
      agent('bob', '7'),
      agent('cy', '7', {
        entitlement: { tier: 'tier-0', policy: 'Pinned', pinned_to: 'tier-0', limits: null, price: null },
      }),
    ],
  };
  assert.deepEqual(tierEffects(tier1, written({ minBalance: '5' }), village).moves, [
    { agent: 'bob', name: 'bob', from: 'tier-0', to: 'tier-1' },
  ]);
  assert.deepEqual(
    tierEffects(tier1, written({ minBalance: '13' }), village).moves,
    [],
    'an agent keeps its tier down to nine tenths of the balance that opens it',
  );
  assert.deepEqual(tierEffects(tier1, written({ minBalance: '20' }), village).moves, [
    { agent: 'ada', name: 'ada', from: 'tier-1', to: 'tier-0' },
  ]);
  assert.deepEqual(tierEffects(null, written({ name: 'gold', rank: '2', minBalance: '11' }), village).moves, [
    { agent: 'ada', name: 'ada', from: 'tier-1', to: 'gold' },
  ]);
});

test('the effect on pods is shown if the tier has pods', () => {
  const village = { tiers: TIERS, agents: [agent('ada', '12'), agent('eve', '12', { power: 'Asleep' })] };
  assert.deepEqual(
    [tierEffects(tier1, written({ cpu: '1' }), village).pods, tierEffects(tier1, written({ cpu: '1' }), village).at],
    ['Their pods are resized in place, without a restart.', 1],
  );
  assert.equal(
    tierEffects(tier1, written({ priorityClass: 'hamlet-tier-2' }), village).pods,
    'Their pods are replaced; their volumes stay.',
  );
  assert.equal(tierEffects(tier1, written({ cpu: '1' }), { ...village, agents: [] }).pods, '');
});

const gpu = { mode: 'None', resource_name: null, count: 0, claim_template_name: null } as const;
const small = { cpu: '500m', memory: '512Mi', gpu, priority_class_name: null };

test('cpu and memory are resized in place; a GPU or another priority class needs a new pod', () => {
  assert.equal(podChange(small, { ...small }), 'none');
  assert.equal(podChange(small, { ...small, memory: '1Gi' }), 'resized');
  assert.equal(podChange(small, { ...small, gpu: { ...gpu, mode: 'Shared', count: 1 } }), 'replaced');
  assert.equal(podChange(small, { ...small, priority_class_name: 'hamlet-tier-2' }), 'replaced');
  assert.equal(
    podChange(small, { ...small, gpu: { ...gpu, resource_name: 'nvidia.com/gpu' } }),
    'none',
    'changes to GPU fields have no effect without a GPU',
  );
});

test('the effect on pods has a singular and a plural', () => {
  assert.deepEqual(
    [podChangeLabel('none', 'Its pod'), podChangeLabel('resized', 'Their pods'), podChangeLabel('replaced', 'Its pod')],
    ['', 'Their pods are resized in place, without a restart.', 'Its pod is replaced; its volume stays.'],
  );
});
