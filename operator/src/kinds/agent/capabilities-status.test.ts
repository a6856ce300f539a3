import assert from 'node:assert/strict';
import { test } from 'node:test';
import { REASONS } from '@hamlet/contract/kinds';
import type { CapabilitySummary } from '@hamlet/contract';
import { eventsFor } from './events-for.ts';
import type { Observed } from './observe.ts';
import { statusOf } from './status.ts';
import { agentOf, observedOf } from './testing/sample-state.ts';

const NOW = '2026-11-22T10:00:00Z';
const report = (parts: Partial<CapabilitySummary> = {}): Partial<Observed> => ({
  capabilities: {
    agent_id: 'ada',
    uid: 'ada-uid',
    cycle: 1,
    checked: 6,
    broken: 1,
    message: 'mcp files: mcp_unreachable: no such program; correct its command',
    ...parts,
  },
});

const TABLE: readonly (readonly [string, Partial<Observed>, string, RegExp])[] = [
  ['no report yet', {}, 'True NothingMissing', /nothing as missing/],
  ['a whole agent', report({ broken: 0, message: '' }), 'True NothingMissing', /nothing as missing/],
  [
    'a server is missing',
    report(),
    'False CapabilityMissing',
    /^1 of 6 are missing: mcp files: .*; correct its command$/,
  ],
  ['the report of an earlier cycle', report({ cycle: 0 }), 'True NothingMissing', /nothing/],
  ['the report of another life', report({ uid: 'another' }), 'True NothingMissing', /nothing/],
  ['not connected', { ...report(), presence: undefined }, 'False Waiting', /Connected/],
  [
    'a long message is shortened',
    report({ message: 'x'.repeat(400), broken: 48, checked: 48 }),
    'False CapabilityMissing',
    /x{400}$/,
  ],
  [
    'asleep',
    { ...report(), agent: agentOf({ spec: { power: 'Asleep' }, status: { cycle: 2, power: 'Asleep' } }), pods: [] },
    'False Asleep',
    /write Awake/,
  ],
];

const conditionOf = (parts: Partial<Observed>, type: string) =>
  statusOf(observedOf(parts), NOW).conditions?.find((condition) => condition.type === type);

for (const [name, parts, expected, says] of TABLE) {
  test(`CapabilitiesReady: ${name}`, () => {
    const found = conditionOf(parts, 'CapabilitiesReady');
    assert.equal(`${found?.status} ${found?.reason}`, expected);
    assert.match(found?.message ?? '', says);
    assert.ok((found?.reason ?? '') in REASONS && (found?.message.length ?? 0) <= 512);
  });
}

test('a missing capability leaves the agent ready, and has one Event', () => {
  assert.equal(conditionOf(report(), 'Ready')?.status, 'True');
  const [before, after] = [statusOf(observedOf({}), NOW), statusOf(observedOf(report()), NOW)];
  assert.deepEqual(
    eventsFor(before, after).map(({ reason }) => reason),
    ['CapabilityMissing'],
  );
  assert.deepEqual(eventsFor(after, after), []);
});
