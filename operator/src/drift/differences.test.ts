/** Each fact that can differ, and the time after which a difference is drift. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { goodStanding, type AgentBooks, type ComputeClaim, type Presence } from '@hamlet/contract';
import type { ScheduleView } from '../kinds/schedule/cached-schedule.ts';
import { agentOf, conditionOf, podOf } from '../kinds/agent/testing/sample-state.ts';
import type { CachedAgent } from '../objects/cached-objects.ts';
import type { PodView } from '../objects/pod-view.ts';
import { agentDifferences, type AgentFacts, type AgentObjects, type AgentSides } from './agent-differences.ts';
import { differenceText, judgeDrift, type Difference, type Known } from './difference.ts';
import { scheduleDifferences } from './agent-differences.ts';

const UID = 'uid-ada';
const STANDING = goodStanding('ada', 'tier-1');
const SESSION: Presence = { agent_id: 'ada', uid: UID, cycle: 2, connected: true, last_seen: '2026-11-22T10:00:00.5Z' };
const CLAIM: ComputeClaim = {
  agent_id: 'ada',
  uid: UID,
  version: 7,
  cycle: 2,
  held: true,
  tier: 'tier-1',
  until: '2026-11-22T11:00:00Z',
  pod_uid: 'pod-2',
  refused: null,
};
const FACTS: AgentFacts = { standing: STANDING, presence: SESSION, boost: undefined, claim: CLAIM };
const BOOKS: AgentBooks = {
  agent_id: 'ada',
  life_uid: UID,
  standing: STANDING,
  presence: SESSION,
  boost: null,
  claim: CLAIM,
};

const agent = agentOf({
  status: {
    cycle: 2,
    power: 'Awake',
    tier: 'tier-1',
    conditions: [
      conditionOf('Entitled True ByBalance'),
      conditionOf('Connected True Connected'),
      conditionOf('Quarantined False NotQuarantined'),
    ],
  },
});
const AGENT: CachedAgent = { ...agent, metadata: { ...agent.metadata, uid: UID } };
const pod = podOf('ada-2');
const POD: PodView = { ...pod, metadata: { ...pod.metadata, uid: 'pod-2' } };
const OBJECTS: AgentObjects = { agent: AGENT, pods: [POD], tiers: new Set(['tier-0', 'tier-1']) };
const SIDES: AgentSides = { name: 'ada', books: BOOKS, remembered: FACTS, objects: OBJECTS };

const said = (differences: readonly Difference[]): readonly string[] =>
  differences.map((each) => `${each.kind}: ${differenceText(each)}`);
const differ = (sides: Partial<AgentSides>): readonly string[] => said(agentDifferences({ ...SIDES, ...sides }));
const status = (change: Partial<CachedAgent['status']>): AgentObjects => ({
  ...OBJECTS,
  agent: { ...AGENT, status: { ...AGENT.status, ...change } },
});

test('an agent on which all sides agree has no difference', () => {
  assert.deepEqual(differ({}), []);
  assert.deepEqual(
    differ({
      books: undefined,
      remembered: { standing: undefined, presence: undefined, boost: undefined, claim: undefined },
      objects: { ...status({ conditions: [] }), pods: [] },
    }),
    [],
    'neither side has it yet',
  );
  assert.deepEqual(
    differ({ remembered: { ...FACTS, boost: { agent_id: 'ada', priority: false, gpu: null, until: null } } }),
    [],
    'an empty purchase equals none',
  );
});

test('each fact that the memory of the operator lacks is reported', () => {
  const books: AgentBooks = {
    ...BOOKS,
    standing: { ...STANDING, balance_tier: 'tier-0', token_revoked: true },
    presence: { ...SESSION, connected: false },
    boost: { agent_id: 'ada', priority: true, gpu: { resource_name: 'nvidia.com/gpu', count: 1 }, until: null },
    claim: { ...CLAIM, version: 8 },
  };
  const remembered = { ...FACTS };
  assert.deepEqual(
    said(agentDifferences({ name: 'ada', books, remembered, objects: undefined })).filter((text) =>
      text.includes('the operator has'),
    ),
    [
      'standing: standing: the database has token_revoked, the operator has no measure',
      'tier: tier of the balance: the database has tier-0, the operator has tier-1',
      'presence: session: the database has no session, the operator has a session of cycle 2 of uid-ada',
      'boost: purchases: the database has priority and 1 nvidia.com/gpu, the operator has no purchase',
      'hold: money: the database has money for tier-1 (version 8), the operator has money for tier-1 (version 7)',
    ],
  );
  assert.deepEqual(differ({ remembered: { ...FACTS, claim: { ...CLAIM, givenUp: true } } }), [
    'hold: money: the database has money for tier-1 (version 7), the operator has no money reserved',
  ]);
});

test('each fact that differs in Kubernetes is reported', () => {
  const quarantined = { ...STANDING, quarantined: true };
  assert.deepEqual(
    differ({ books: { ...BOOKS, standing: quarantined }, remembered: { ...FACTS, standing: quarantined } }),
    [
      'standing: standing: the database has quarantined, Kubernetes has the pod ada-2',
      'standing: quarantine: the database has a quarantine, Kubernetes has the condition Quarantined False',
    ],
  );
  assert.deepEqual(differ({ objects: status({ tier: 'tier-0' }) }), [
    'tier: tier: the database has tier-1, Kubernetes has tier-0 in the status',
  ]);
  assert.deepEqual(differ({ objects: { ...OBJECTS, pods: [] } }), [
    'presence: session: the database has a session of cycle 2 of uid-ada, last seen 2026-11-22T10:00:00.5Z, Kubernetes has no pod ada-2',
    'hold: money: the database has time counted for the pod of uid pod-2, Kubernetes has no such pod',
  ]);
  const away = { ...SESSION, connected: false };
  assert.deepEqual(differ({ books: { ...BOOKS, presence: away }, remembered: { ...FACTS, presence: away } }), [
    'presence: session: the database has no session, Kubernetes has the condition Connected True',
  ]);
  assert.deepEqual(differ({ objects: status({ conditions: [conditionOf('Connected False NotConnected')] }) }), [
    'presence: session: the database has a session of cycle 2 of uid-ada, last seen 2026-11-22T10:00:00.5Z, Kubernetes has the condition Connected False',
  ]);
});

test('a life without its Agent is reported; an Agent that is being deleted is not compared', () => {
  assert.deepEqual(differ({ objects: undefined }), [
    'life: life: the database has the open life uid-ada, Kubernetes has no such Agent',
  ]);
  const reborn = {
    ...OBJECTS,
    agent: { ...AGENT, metadata: { ...AGENT.metadata, uid: 'uid-new' }, status: {} },
    pods: [],
  };
  assert.deepEqual(
    differ({ objects: reborn, books: { ...BOOKS, claim: null }, remembered: { ...FACTS, claim: undefined } }),
    ['life: life: the database has the open life uid-ada, Kubernetes has the Agent of uid uid-new'],
  );
  assert.deepEqual(
    differ({
      objects: {
        ...OBJECTS,
        pods: [],
        agent: { ...AGENT, metadata: { ...AGENT.metadata, deletionTimestamp: '2026-11-22T10:00:00Z' } },
      },
    }),
    [],
  );
});

test('a pinned, refused or deleted tier does not count as drift', () => {
  const lower = status({ tier: 'tier-0' });
  const pinned = {
    ...lower,
    agent: { ...lower.agent, status: { ...lower.agent.status, conditions: [conditionOf('Entitled True Pinned')] } },
  };
  assert.deepEqual(differ({ objects: pinned }), []);
  const refused: ComputeClaim = {
    ...CLAIM,
    held: false,
    tier: null,
    pod_uid: null,
    refused: { tier: 'tier-1', reason: 'NotPaid', payable: 'tier-0' },
  };
  assert.deepEqual(
    differ({ objects: lower, books: { ...BOOKS, claim: refused }, remembered: { ...FACTS, claim: refused } }),
    [],
  );
  assert.deepEqual(differ({ objects: { ...lower, tiers: new Set(['tier-0']) } }), []);
});

test('a Schedule: runs that the operator lacks, and runs and firings that the status lacks, are reported', () => {
  const schedule: ScheduleView = {
    metadata: { name: 'tick', uid: 's1', resourceVersion: '1' },
    spec: undefined,
    problem: undefined,
    status: { activeRuns: 1, lastRunID: 'r1', lastSlot: '2026-11-22T10:00:00Z' },
    createdMs: 0,
    lastSlotMs: Date.parse('2026-11-22T10:00:00Z'),
  };
  const books = {
    schedule_uid: 's1',
    active_runs: 1,
    last_run_id: 'r1',
    last_run_at: null,
    last_slot: '2026-11-22T10:00:00.000Z',
  };
  assert.deepEqual(scheduleDifferences({ schedule, books, remembered: books }), []);
  assert.deepEqual(
    scheduleDifferences({
      schedule: { ...schedule, status: { lastRunID: 'r1' } },
      books: undefined,
      remembered: undefined,
    }),
    [],
    'the database deletes old firings',
  );
  const later = { ...books, active_runs: 2, last_run_id: 'r2', last_slot: '2026-11-22T10:05:00.000Z' };
  assert.deepEqual(said(scheduleDifferences({ schedule, books: later, remembered: books })), [
    'schedule: runs: the database has 2 under way, the newest r2, the operator has 1 under way, the newest r1',
    'schedule: runs: the database has 2 under way, the newest r2, Kubernetes has 1 under way, the newest r1',
    'schedule: firings: the database has the slot 2026-11-22T10:05:00.000Z, Kubernetes has 2026-11-22T10:00:00Z in the status',
  ]);
});

const AFTER = { afterMs: 60_000 };
const difference = (name: string, other = 'b'): Difference => ({
  kind: 'tier',
  of: 'Agent',
  name,
  fact: 'tier',
  database: 'a',
  other,
  against: 'kubernetes',
});

test('a difference in two comparisons far enough apart counts as drift; one that changes or disappears does not', () => {
  const first = judgeDrift(new Map(), [difference('ada'), difference('bob'), difference('cleo')], {
    ...AFTER,
    nowMs: 0,
  });
  assert.deepEqual([first.fresh, first.undecided], [[], true]);
  const soon = judgeDrift(first.known, [difference('ada'), difference('bob', 'c')], { ...AFTER, nowMs: 59_999 });
  assert.deepEqual([soon.drift, soon.undecided], [[], true], 'both differences are too young');
  const later = judgeDrift(soon.known, [difference('ada'), difference('bob', 'c')], { ...AFTER, nowMs: 60_000 });
  assert.deepEqual([later.fresh.map((each) => each.difference.name), later.undecided], [['ada'], true]);
  const still = judgeDrift(later.known, [difference('ada'), difference('bob', 'c')], { ...AFTER, nowMs: 119_999 });
  assert.deepEqual(
    [still.fresh.map((each) => each.difference.name), still.drift.length, still.undecided],
    [['bob'], 2, false],
    'reported drift is not reported again',
  );
  const mended = judgeDrift(still.known, [], { ...AFTER, nowMs: 200_000 });
  assert.deepEqual([mended.known.size, mended.drift], [0, []]);
  assert.deepEqual(
    judgeDrift(mended.known, [difference('ada')], { ...AFTER, nowMs: 300_000 }).fresh,
    [],
    'a difference that comes back starts over',
  );
});

test('the memory of differences is bounded', () => {
  const many = Array.from({ length: 20_500 }, (_, index) => difference(`agent-${index}`));
  const known: Known = judgeDrift(new Map(), many, { ...AFTER, nowMs: 0 }).known;
  assert.equal(known.size, 20_000);
  assert.equal(judgeDrift(known, many, { ...AFTER, nowMs: 60_000 }).fresh.length, 20_000);
});
