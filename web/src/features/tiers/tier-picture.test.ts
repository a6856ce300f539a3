import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  computeLabel,
  hourlyPrices,
  isSeated,
  nodeGroups,
  type Occupant,
  seatPicture,
  tierCounts,
  waitingOf,
} from './tier-picture.ts';

const admitted = (
  status: 'True' | 'False',
  reason: string,
  since = '2026-11-23T12:00:00Z',
): Occupant['conditions'][number] => ({
  type: 'Admitted',
  status,
  reason,
  message: `${reason} because`,
  last_transition_time: since,
});
const agent = (id: string, more: Partial<Occupant> = {}): Occupant => ({
  agent_id: id,
  display_name: id,
  tier: 'tier-1',
  node: 'sparky1',
  pod: `${id}-1`,
  power: 'Awake',
  conditions: [admitted('True', 'Admitted')],
  why: { ready: true, reason: 'Ready', message: '' },
  ...more,
});

test('seats are used by the tier, used by other tiers, or free', () => {
  assert.deepEqual(seatPicture({ seats: { total: 8, free: 3 } }, 2), { own: 2, others: 3, free: 3, total: 8 });
  assert.deepEqual(
    seatPicture({ seats: { total: 4, free: 4 } }, 1),
    { own: 0, others: 0, free: 4, total: 4 },
    'the count is older than the list of agents',
  );
  assert.equal(seatPicture({ seats: null }, 2), null);
});

test('a sleeping agent has no seat, an admitted one has; without the condition Admitted, the pod decides', () => {
  assert.equal(isSeated(agent('ada')), true);
  assert.equal(isSeated(agent('ada', { power: 'Asleep' })), false);
  assert.equal(isSeated(agent('ada', { conditions: [admitted('False', 'NoSeat')] })), false);
  assert.equal(isSeated(agent('ada', { conditions: [], pod: null })), false);
});

test('agents that wait for a seat are listed longest first, without those that wait for other reasons', () => {
  const waiting = waitingOf([
    agent('new', { conditions: [admitted('False', 'NoSeat', '2026-11-23T12:05:00Z')] }),
    agent('old', { conditions: [admitted('False', 'GpuBooked')] }),
    agent('barred', { conditions: [admitted('False', 'Waiting')] }),
    agent('sleeper', { power: 'Asleep', conditions: [admitted('False', 'NoSeat')] }),
    agent('seated'),
  ]);
  assert.deepEqual(
    waiting.map(({ agent: { agent_id: id }, reason, message }) => [id, reason, message]),
    [
      ['old', 'GpuBooked', 'GpuBooked because'],
      ['new', 'NoSeat', 'NoSeat because'],
    ],
  );
});

test('each node lists its agents', () => {
  const groups = nodeGroups([
    agent('bob', { node: 'sparky2' }),
    agent('cy'),
    agent('ada'),
    agent('far', { node: null }),
  ]);
  assert.deepEqual(
    groups.map(({ node, agents }) => [node, agents.map(({ agent_id: id }) => id)]),
    [
      ['sparky1', ['ada', 'cy']],
      ['sparky2', ['bob']],
    ],
  );
  assert.equal(tierCounts([{ tier: 'tier-1' }, { tier: null }, { tier: 'tier-1' }]), 'no tier, tier-1 × 2');
});

test('compute has a label, and each awake agent has its hourly price', () => {
  const gpu = { mode: 'None', resource_name: 'nvidia.com/gpu', count: 0, claim_template_name: null } as const;
  assert.equal(computeLabel({ cpu: '500m', memory: '512Mi', gpu, priority_class_name: null }), '500m cpu, 512Mi');
  assert.equal(
    computeLabel({ cpu: '2', memory: '2Gi', gpu: { ...gpu, mode: 'Exclusive', count: 2 }, priority_class_name: null }),
    '2 cores, 2Gi, 2 GPUs of its own',
  );
  const prices = hourlyPrices(
    [agent('ada'), agent('bob', { power: 'Asleep' }), agent('cy')],
    [{ name: 'tier-1', price: { per_hour: '0.05', per_thousand_tokens: '0' } }],
  );
  assert.deepEqual(prices, ['0.05', '0.05']);
});
