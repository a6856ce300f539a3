/** An agent whose tier has too little memory for the program that is its mind: the status says so before the first run. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Condition } from '@hamlet/contract/kinds';
import { eventsFor } from './events-for.ts';
import { statusOf } from './status.ts';
import { observedOf, tierOf, type ObservedParts } from './testing/sample-state.ts';

const NOW = '2026-11-22T10:00:00Z';
const RUNTIME = { name: 'acp', config: { preset: 'opencode' } };
const tiers = [
  tierOf('tier-0', 0, { compute: { resources: { memory: '256Mi' } } }),
  tierOf('studio', 1, { minBalance: '10', compute: { resources: { memory: '2Gi' } } }),
];
const SHORT: ObservedParts = { spec: { runtime: RUNTIME }, tiers };

function found(parts: ObservedParts): string {
  const conditions: readonly Condition[] = statusOf(observedOf(parts), NOW).conditions ?? [];
  const { status, reason, message } = conditions.find(({ type }) => type === 'CapabilitiesReady') ?? {};
  return `${status} ${reason}: ${message}`;
}

test('the condition names the tier that has enough, also before the agent is connected', () => {
  const wanted =
    'False MemoryShort: OpenCode needs about 1Gi of memory, and the tier tier-0 has 256Mi: name the tier studio, which has 2Gi, in spec.entitlement';
  for (const parts of [SHORT, { ...SHORT, presence: undefined }]) assert.equal(found(parts), wanted);
});

test('enough memory, no preset and no hands do not count as a shortage', () => {
  const pinned = { entitlement: { policy: 'Pinned', name: 'studio' } };
  for (const spec of [{}, { runtime: RUNTIME, ...pinned }, { runtime: RUNTIME, hands: { enabled: false } }])
    assert.match(found({ ...SHORT, spec }), /^True NothingMissing: /);
});

test('the shortage leaves the agent ready, and has one Event', () => {
  const [before, after] = [statusOf(observedOf({ tiers }), NOW), statusOf(observedOf(SHORT), NOW)];
  assert.equal(after.conditions?.find(({ type }) => type === 'Ready')?.status, 'True');
  assert.deepEqual(
    eventsFor(before, after).map(({ type, reason }) => [type, reason]),
    [['Warning', 'MemoryShort']],
  );
  assert.deepEqual(eventsFor(after, after), []);
});
