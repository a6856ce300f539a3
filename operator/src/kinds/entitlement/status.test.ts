import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EntitlementStatus } from '@hamlet/contract/kinds';
import { tierOf } from '../agent/testing/sample-state.ts';
import { tierStatus, type TierFacts } from './seats.ts';

const NOW = '2026-11-22T10:00:00Z';
const facts = (parts: Partial<TierFacts> = {}): TierFacts => ({
  tier: tierOf('tier-0', 0),
  seats: { total: 14, free: 3 },
  agents: 12,
  openNodes: 2,
  ...parts,
});

for (const [name, parts, status, reason, says] of [
  [
    'the seats are shown with their basis',
    {},
    'True',
    'Derived',
    /cpu 500m and memory 512Mi an agent, and cpu 100m and memory 256Mi for its resident, on 2 open nodes/,
  ],
  ['no node', { openNodes: 0, seats: { total: 0, free: 0 } }, 'False', 'NoNode', /no node is ready and open to agents/],
  ['too large', { openNodes: 1, seats: { total: 0, free: 0 } }, 'False', 'TooLarge', /no node has room for cpu 500m/],
  ['a spec that cannot be read', { seats: undefined }, 'False', 'InvalidSpec', /apply it again/],
  [
    'devices by claim',
    { tier: tierOf('tier-2', 2, { compute: { gpu: { mode: 'Exclusive', claimTemplateName: 'one-gpu' } } }) },
    'True',
    'DevicesNotCounted',
    /only the scheduler knows the devices of claim template one-gpu/,
  ],
] as const) {
  test(name, () => {
    const result = tierStatus(facts(parts), NOW);
    const [condition] = result.conditions ?? [];
    assert.deepEqual(
      [condition?.type, condition?.status, condition?.reason, condition?.lastTransitionTime],
      ['Derived', status, reason, NOW],
    );
    assert.match(condition?.message ?? '', says);
    assert.equal(EntitlementStatus.safeParse(result).success, true);
    assert.deepEqual([result.seats, result.agents], ['seats' in parts ? parts.seats : { total: 14, free: 3 }, 12]);
  });
}

test('the time of the condition is the time of its last change', () => {
  const before = tierStatus(facts(), '2026-11-22T09:00:00Z');
  const again = { ...tierOf('tier-0', 0), status: before };
  assert.deepEqual(tierStatus(facts({ tier: again }), NOW), before);
  assert.equal(tierStatus(facts({ tier: again, openNodes: 0 }), NOW).conditions?.[0]?.lastTransitionTime, NOW);
});
