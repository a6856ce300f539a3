/** Pods of two containers, of one, and those of an older operator. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tiersFor } from '../../objects/hands.ts';
import { boostedTiers } from '../../objects/tier-compute.ts';
import { cycleStep } from './cycle.ts';
import { type Observed, observedFrom } from './observe.ts';
import { plan } from './plan.ts';
import { agentOf, observedOf, podOf, SETTINGS, TIER_0, TIER_1, TIER_2 } from './testing/sample-state.ts';
import { NOW } from './testing/plan-table.ts';

const WINDOW = { agent_id: 'ada', priority: false, gpu: { resource_name: 'nvidia.com/gpu', count: 1 }, until: null };

const cycleOf = (observed: Observed): readonly unknown[] => {
  const { cycle, cause } = cycleStep(observed, NOW);
  return [cycle, cause];
};

test('a pod of an older operator is resized in its only container, and waits for its turn to be replaced', () => {
  const old = podOf('ada-1', { hands: undefined });
  const observed = observedOf({ standing: { balance_tier: 'tier-1' }, pods: [old] });
  const [resize] = plan(observed, NOW).actions;
  assert.partialDeepStrictEqual(resize, { kind: 'resizePod', spec: { containers: [{ name: 'resident' }] } });
  assert.equal(observedFrom(observed, () => 'waits').upgrade, 'waits');
  assert.deepEqual(cycleOf(observedFrom(observed, () => 'now')), [2, 'ImageChanged']);
});

test('a pod without hands has no compute of its tier, and neither tier nor GPU window replaces it', () => {
  const agent = agentOf({ spec: { hands: { enabled: false } }, status: { cycle: 1, power: 'Awake', tier: 'tier-0' } });
  const pods = [podOf('ada-1', { hands: '', size: undefined, given: undefined })];
  const tiers = tiersFor(boostedTiers([TIER_0, TIER_1, TIER_2], WINDOW), agent.spec);
  const observed = observedOf({ agent, pods, tiers, standing: { balance_tier: 'tier-1' } });
  assert.equal(observed.upgrade, 'none');
  assert.deepEqual(cycleOf(observed), [1, undefined]);
  assert.equal(observed.admission.tier?.metadata.name, 'tier-1', 'it has the limits of the tier');
});

test('the pod is replaced if its hands get another image, or are removed or added', () => {
  const allowed = { ...SETTINGS, handsImages: ['example.org/team'] };
  const upgradeWith = (hands: object, has: string): string => {
    const agent = agentOf({ spec: { hands }, status: { cycle: 1, power: 'Awake', tier: 'tier-0' } });
    const observed = observedOf({ agent, pod: { hands: has }, settings: allowed });
    return observedFrom(observed, () => 'now').upgrade;
  };
  assert.equal(upgradeWith({}, SETTINGS.image), 'none');
  assert.equal(upgradeWith({ image: 'example.org/team/hands:2' }, 'example.org/team/hands:1'), 'now');
  assert.equal(upgradeWith({ enabled: false }, SETTINGS.image), 'now');
  assert.equal(upgradeWith({ enabled: true }, ''), 'now');
});

test('an image of hands that the village does not allow is refused, and the pod stays', () => {
  const accepted = (image: string, handsImages: readonly string[]): string => {
    const agent = agentOf({ spec: { hands: { image } }, status: { cycle: 1, power: 'Awake', tier: 'tier-0' } });
    const observed = observedOf({ agent, settings: { ...SETTINGS, handsImages } });
    assert.deepEqual(cycleOf(observed), [1, undefined]);
    return observed.admission.accepted.reason;
  };
  const image = 'registry.example.org/team/hands:1';
  assert.equal(accepted(SETTINGS.image, []), 'Accepted');
  assert.equal(accepted(image, []), 'HandsImageRefused');
  assert.equal(accepted(image, ['registry.example.org/team']), 'Accepted');
  assert.equal(accepted(image, ['registry.example.org/team/hands']), 'Accepted');
  assert.equal(accepted(image, ['registry.example.org/te', 'registry.example.org/team/hands:11']), 'HandsImageRefused');
});
