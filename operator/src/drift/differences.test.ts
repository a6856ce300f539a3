/** What counts as a difference, fact by fact, and from when on it is drift. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GOOD } from '../kinds/agent/condition/standing.ts';
import type { AgentView, HoldFacts, PodView, Presence, Standing } from '../kinds/agent/views.ts';
import type { ScheduleView } from '../kinds/schedule/views.ts';
import {
  agentDifferences,
  type AgentFacts,
  type AgentInBooks,
  type AgentObjects,
  type AgentSides,
} from './agent-differences.ts';
import { differenceText, type Difference } from './difference.ts';
import { judgeDrift, type Known } from './judge-drift.ts';
import { scheduleDifferences } from './schedule-differences.ts';

const UID = 'uid-ada';
const STANDING: Standing = { ...GOOD, balanceTier: 'tier-1' };
const SESSION: Presence = { uid: UID, cycle: 2, connected: true, lastSeen: '2026-11-22T10:00:00.5Z' };
const HOLD: HoldFacts = {
  uid: UID,
  version: 7,
  cycle: 2,
  held: true,
  tier: 'tier-1',
  untilMs: 1,
  podUid: 'pod-2',
  refused: undefined,
};
const FACTS: AgentFacts = { standing: STANDING, presence: SESSION, boost: undefined, hold: HOLD };
const BOOKS: AgentInBooks = { ...FACTS, lifeUid: UID };

const condition = (
  type: string,
  status: 'True' | 'False',
  reason: string,
): NonNullable<AgentView['status']['conditions']>[number] => ({
  type,
  status,
  reason,
  message: '',
  lastTransitionTime: '2026-11-22T10:00:00Z',
});

const AGENT: AgentView = {
  metadata: { name: 'ada', namespace: 'hamlet', uid: UID, resourceVersion: '1' },
  problem: 'not read here',
  spec: undefined,
  status: {
    cycle: 2,
    power: 'Awake',
    tier: 'tier-1',
    conditions: [
      condition('Entitled', 'True', 'ByBalance'),
      condition('Connected', 'True', 'Connected'),
      condition('Quarantined', 'False', 'NotQuarantined'),
    ],
  },
};
const POD: PodView = {
  metadata: { name: 'ada-2', namespace: 'hamlet', uid: 'pod-2', resourceVersion: '1' },
  image: 'i',
  size: undefined,
  given: undefined,
  resize: undefined,
  disruption: undefined,
  nodeName: 'sparky1',
  phase: 'Running',
  scheduled: undefined,
  container: undefined,
  reason: undefined,
  message: undefined,
};
const OBJECTS: AgentObjects = { agent: AGENT, pods: [POD], tiers: new Set(['tier-0', 'tier-1']) };
const SIDES: AgentSides = { name: 'ada', books: BOOKS, heard: FACTS, objects: OBJECTS };

const said = (differences: readonly Difference[]): readonly string[] =>
  differences.map((each) => `${each.kind}: ${differenceText(each)}`);
const differ = (sides: Partial<AgentSides>): readonly string[] => said(agentDifferences({ ...SIDES, ...sides }));
const status = (change: Partial<AgentView['status']>): AgentObjects => ({
  ...OBJECTS,
  agent: { ...AGENT, status: { ...AGENT.status, ...change } },
});

test('an agent of whom everybody says the same differs in nothing', () => {
  assert.deepEqual(differ({}), []);
  assert.deepEqual(
    differ({
      books: undefined,
      heard: { standing: undefined, presence: undefined, boost: undefined, hold: undefined },
      objects: { ...status({ conditions: [] }), pods: [] },
    }),
    [],
    'nobody knows it yet',
  );
  assert.deepEqual(
    differ({ heard: { ...FACTS, boost: { priority: false, gpu: undefined } } }),
    [],
    'nothing bought is nothing, however it is said',
  );
});

test('each fact that the operator did not hear is named', () => {
  const books: AgentInBooks = {
    lifeUid: UID,
    standing: { ...STANDING, balanceTier: 'tier-0', tokenRevoked: true },
    presence: { ...SESSION, connected: false },
    boost: { priority: true, gpu: { resourceName: 'nvidia.com/gpu', count: 1 } },
    hold: { ...HOLD, version: 8 },
  };
  const heard = { ...FACTS };
  assert.deepEqual(
    said(agentDifferences({ name: 'ada', books, heard, objects: undefined })).filter((text) => text.includes('heard')),
    [
      'standing: standing: the database has tokenRevoked, the operator heard nothing held against it',
      'tier: tier of the balance: the database has tier-0, the operator heard tier-1',
      'presence: session: the database has no session, the operator heard a session of cycle 2 of uid-ada',
      'boost: purchases: the database has priority and 1 nvidia.com/gpu, the operator heard nothing bought',
      'hold: money: the database has money for tier-1 (version 8), the operator heard money for tier-1 (version 7)',
    ],
  );
  assert.deepEqual(differ({ heard: { ...FACTS, hold: { ...HOLD, givenUp: true } } }), [
    'hold: money: the database has money for tier-1 (version 7), the operator heard nothing set aside',
  ]);
});

test('each fact that Kubernetes shows otherwise is named', () => {
  const quarantined = { ...STANDING, quarantined: true };
  assert.deepEqual(differ({ books: { ...BOOKS, standing: quarantined }, heard: { ...FACTS, standing: quarantined } }), [
    'standing: standing: the database has quarantined, Kubernetes has the pod ada-2',
    'standing: quarantine: the database has one, Kubernetes has the condition Quarantined False',
  ]);
  assert.deepEqual(differ({ objects: status({ tier: 'tier-0' }) }), [
    'tier: tier: the database has tier-1, Kubernetes has tier-0 in the status',
  ]);
  assert.deepEqual(differ({ objects: { ...OBJECTS, pods: [] } }), [
    'presence: session: the database has a session of cycle 2 of uid-ada, last seen 2026-11-22T10:00:00.5Z, Kubernetes has no pod ada-2',
    'hold: money: the database has time counted for the pod of uid pod-2, Kubernetes has no such pod',
  ]);
  const away = { ...SESSION, connected: false };
  assert.deepEqual(differ({ books: { ...BOOKS, presence: away }, heard: { ...FACTS, presence: away } }), [
    'presence: session: the database has no session, Kubernetes has the condition Connected True',
  ]);
  assert.deepEqual(differ({ objects: status({ conditions: [condition('Connected', 'False', 'NotConnected')] }) }), [
    'presence: session: the database has a session of cycle 2 of uid-ada, last seen 2026-11-22T10:00:00.5Z, Kubernetes has the condition Connected False',
  ]);
});

test('a life without its Agent is named; an Agent that is about to go is not looked at', () => {
  assert.deepEqual(differ({ objects: undefined }), [
    'life: life: the database has the open life uid-ada, Kubernetes has no such Agent',
  ]);
  const reborn = {
    ...OBJECTS,
    agent: { ...AGENT, metadata: { ...AGENT.metadata, uid: 'uid-new' }, status: {} },
    pods: [],
  };
  assert.deepEqual(
    differ({ objects: reborn, books: { ...BOOKS, hold: undefined }, heard: { ...FACTS, hold: undefined } }),
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

test('a tier that is pinned, refused or gone is no drift of the balance', () => {
  const lower = status({ tier: 'tier-0' });
  const pinned = {
    ...lower,
    agent: { ...lower.agent, status: { ...lower.agent.status, conditions: [condition('Entitled', 'True', 'Pinned')] } },
  };
  assert.deepEqual(differ({ objects: pinned }), []);
  const refused: HoldFacts = {
    ...HOLD,
    held: false,
    tier: undefined,
    podUid: undefined,
    refused: { tier: 'tier-1', reason: 'NotPaid', payable: 'tier-0' },
  };
  assert.deepEqual(
    differ({ objects: lower, books: { ...BOOKS, hold: refused }, heard: { ...FACTS, hold: refused } }),
    [],
  );
  assert.deepEqual(differ({ objects: { ...lower, tiers: new Set(['tier-0']) } }), []);
});

test('a Schedule: runs that were not heard, runs and firings that its status does not tell', () => {
  const schedule: ScheduleView = {
    metadata: { name: 'tick', uid: 's1', resourceVersion: '1' },
    spec: undefined,
    problem: undefined,
    status: { activeRuns: 1, lastRunID: 'r1', lastSlot: '2026-11-22T10:00:00Z' },
    createdMs: 0,
    lastSlotMs: Date.parse('2026-11-22T10:00:00Z'),
  };
  const books = { activeRuns: 1, lastRunId: 'r1', lastSlot: '2026-11-22T10:00:00.000Z' };
  assert.deepEqual(scheduleDifferences({ schedule, books, heard: books }), []);
  assert.deepEqual(
    scheduleDifferences({ schedule: { ...schedule, status: { lastRunID: 'r1' } }, books: undefined, heard: undefined }),
    [],
    'the database forgets firings',
  );
  const later = { activeRuns: 2, lastRunId: 'r2', lastSlot: '2026-11-22T10:05:00.000Z' };
  assert.deepEqual(said(scheduleDifferences({ schedule, books: later, heard: books })), [
    'schedule: runs: the database has 2 under way, the newest r2, the operator heard 1 under way, the newest r1',
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

test('a difference is drift once it stood for its time in two readings; one that changes or goes was a change on its way', () => {
  const first = judgeDrift(new Map(), [difference('ada'), difference('bob'), difference('cleo')], {
    ...AFTER,
    nowMs: 0,
  });
  assert.deepEqual([first.fresh, first.undecided], [[], true]);
  const soon = judgeDrift(first.known, [difference('ada'), difference('bob', 'c')], { ...AFTER, nowMs: 59_999 });
  assert.deepEqual([soon.drift, soon.undecided], [[], true], 'too young, and bob says something else');
  const later = judgeDrift(soon.known, [difference('ada'), difference('bob', 'c')], { ...AFTER, nowMs: 60_000 });
  assert.deepEqual([later.fresh.map((each) => each.difference.name), later.undecided], [['ada'], true]);
  const still = judgeDrift(later.known, [difference('ada'), difference('bob', 'c')], { ...AFTER, nowMs: 119_999 });
  assert.deepEqual(
    [still.fresh.map((each) => each.difference.name), still.drift.length, still.undecided],
    [['bob'], 2, false],
    'what was named is not named again',
  );
  const mended = judgeDrift(still.known, [], { ...AFTER, nowMs: 200_000 });
  assert.deepEqual([mended.known.size, mended.drift], [0, []]);
  assert.deepEqual(
    judgeDrift(mended.known, [difference('ada')], { ...AFTER, nowMs: 300_000 }).fresh,
    [],
    'what comes back begins again',
  );
});

test('what is remembered is bounded', () => {
  const many = Array.from({ length: 20_500 }, (_, index) => difference(`agent-${index}`));
  const known: Known = judgeDrift(new Map(), many, { ...AFTER, nowMs: 0 }).known;
  assert.equal(known.size, 20_000);
  assert.equal(judgeDrift(known, many, { ...AFTER, nowMs: 60_000 }).fresh.length, 20_000);
});
