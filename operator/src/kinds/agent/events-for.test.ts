import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { EVENT_REASONS, REASONS, type AgentStatus, type ConditionType } from '@hamlet/contract/kinds';
import { observedOf, podOf, TIER_1, type ObservedParts } from './testing/sample-state.ts';
import { statusOf } from './status.ts';
import { eventsFor } from './events-for.ts';

const NOW = '2026-11-22T10:00:00Z';
const reasons = (before: ObservedParts, after: ObservedParts): readonly string[] =>
  eventsFor(statusOf(observedOf(before), NOW), statusOf(observedOf(after), NOW)).map(
    ({ type, reason }) => `${type} ${reason}`,
  );
const held = {
  nodeName: undefined,
  phase: 'Pending',
  container: undefined,
  given: undefined,
  scheduled: { status: 'False', reason: 'Unschedulable', message: '0/2 nodes' },
};

test('a change is reported once, an unchanged condition is not', () => {
  assert.deepEqual(reasons({}, {}), []);
  assert.deepEqual(reasons({ presence: undefined }, {}), ['Normal Ready']);
  assert.deepEqual(
    reasons({}, { presence: undefined }),
    [],
    'the end of a session has no Event of its own, because its cycle or the api reports it',
  );
  assert.deepEqual(reasons({}, { pod: held }), ['Warning Unschedulable']);
  assert.deepEqual(reasons({}, { node: { name: 'sparky1', ready: false } }), ['Warning NodeLost']);
  assert.deepEqual(
    reasons(
      { pods: [], seat: { granted: false } },
      { pods: [], seat: { granted: false, reason: 'NoSeat', position: 1 } },
    ),
    ['Warning NoSeat'],
  );
  assert.deepEqual(
    reasons({}, { apiState: 'Last' }),
    [],
    'an outage of the api does not cause an Event for each agent',
  );
  assert.deepEqual(reasons({}, { standing: { token_revoked: true } }), ['Warning TokenRevoked']);
});

test('a new tier and a new size of the same pod have Events, even after a fast resize', () => {
  const larger = { standing: { balance_tier: 'tier-1' }, pod: { tier: TIER_1 } };
  assert.deepEqual(reasons({}, larger), ['Normal TierChanged', 'Normal Resized']);
  assert.deepEqual(
    reasons(
      {},
      {
        pods: [
          podOf('ada-1', {
            tier: TIER_1,
            resize: { type: 'PodResizePending', reason: 'Deferred', message: 'no room' },
            given: undefined,
          }),
        ],
      },
    ),
    [],
  );
});

test('the end of a measure is reported', () => {
  const barred = { standing: { frozen: true }, pods: [] };
  assert.deepEqual(reasons(barred, { pods: [] }), ['Normal StandingLifted']);
  assert.deepEqual(reasons(barred, { standing: { banned: true }, pods: [] }), [], 'from one bar to another');
});

test('every reason of a status or an Event is in the contract, and no reason has two meanings', () => {
  const both = Object.keys(EVENT_REASONS).filter((reason) => reason in REASONS);
  assert.deepEqual(both, []);
  const types: readonly ConditionType[] = ['Accepted', 'Entitled'];
  const status: AgentStatus = {
    conditions: types.map((type) => ({
      type,
      status: 'False',
      reason: 'InvalidSpec',
      message: '',
      lastTransitionTime: NOW,
    })),
  };
  for (const { reason } of eventsFor({}, status)) assert.ok(reason in REASONS || reason in EVENT_REASONS, reason);
});

test('docs/AGENTS.md explains every Event', () => {
  const doc = readFileSync(join(import.meta.dirname, '../../../../docs/AGENTS.md'), 'utf8');
  const [, table = ''] = /\| event \| what happened \|\n\|---\|---\|\n((?:\|.*\n)+)/.exec(doc) ?? [];
  const rows = [...table.matchAll(/^\| `([A-Za-z]+)` \| (.+) \|$/gm)].map(([, reason, text]) => [reason, text]);
  assert.deepEqual(Object.fromEntries(rows), { ...EVENT_REASONS });
});
