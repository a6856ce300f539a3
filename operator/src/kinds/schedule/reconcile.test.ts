/** The reconciler with scripted answers of the api, on a clock that the test moves. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FiringBody } from '@hamlet/contract';
import type { ScheduleStatus } from '@hamlet/contract/kinds';
import { ObjectCache, type KubeEvent, type KubeObject } from '@hamlet/kube';
import { type FiringResult, VillageTime } from './fire.ts';
import { ScheduleReconciler, STATUS_EVERY_MS } from './reconcile.ts';
import { scheduleView, type ScheduleView } from './cached-schedule.ts';

const NOON = Date.parse('2026-11-22T12:00:00Z');
const KEY = 'village/tick';

/** The state that a test controls. */
interface World {
  nowMs: number;
  answer: (body: FiringBody) => FiringResult;
  /** True if the API server refuses statuses. */
  mute: boolean;
  readonly bodies: FiringBody[];
  readonly events: KubeEvent[];
  readonly patches: ScheduleStatus[];
}

interface Bench extends World {
  readonly reconciler: ScheduleReconciler;
  status(): ScheduleStatus;
}

const fired = ({ agents }: FiringBody): FiringResult => ({
  kind: 'fired',
  claimed: true,
  runs: agents.map((agent_id) => ({
    agent_id,
    run_id: '019ab000-0000-7000-8000-000000000000',
    outcome: 'started' as const,
  })),
});

function bench(spec: object, status: ScheduleStatus = {}): Bench {
  const schedules = new ObjectCache<ScheduleView>();
  const agents = new ObjectCache<KubeObject>();
  let version = 1;
  const raw = {
    metadata: {
      name: 'tick',
      namespace: 'village',
      uid: 'u1',
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: '2026-11-22T11:59:55Z',
    },
    spec: { agentName: 'ada', prompt: 'Walk.', every: '10s', ...spec },
    status,
  };
  schedules.see(scheduleView(raw));
  agents.see({ metadata: { name: 'ada', namespace: 'village', uid: 'a1', resourceVersion: '1' } });
  const world: World = { nowMs: NOON, answer: fired, mute: false, bodies: [], events: [], patches: [] };
  const patched = (changes: ScheduleStatus): KubeObject => {
    world.patches.push(changes);
    version += 1;
    return scheduleView({
      ...raw,
      metadata: { ...raw.metadata, resourceVersion: String(version) },
      status: { ...schedules.get(KEY)?.status, ...changes },
    } as Parameters<typeof scheduleView>[0]);
  };
  const reconciler = new ScheduleReconciler({
    sources: { schedules, agents, runs: { reachable: true, synced: true, scheduleOf: () => undefined } },
    time: new VillageTime(() => world.nowMs),
    clock: { now: () => world.nowMs, after: () => () => undefined },
    onFired: () => undefined,
    onStatusError: () => undefined,
    ports: {
      recorder: { record: (event) => void world.events.push(event) },
      fire: (body) => {
        world.bodies.push(body);
        return Promise.resolve(world.answer(body));
      },
      schedules: { learn: (object) => schedules.learn(object) },
      client: {
        mergePatch: <T extends KubeObject>(_type: unknown, patch: object): Promise<T> =>
          world.mute
            ? Promise.reject(new Error('away'))
            : Promise.resolve(patched((patch as { status: ScheduleStatus }).status) as T),
      },
    },
  });
  return Object.assign(world, { reconciler, status: () => schedules.get(KEY)?.status ?? {} });
}

const slots = ({ bodies }: Bench): readonly string[] =>
  bodies.map(({ slot, made_up: madeUp }) => `${slot.slice(11, 19)}${madeUp ? ' made up' : ''}`);

test('a slot fires once, with everything that the api needs, and the next reconcile is at the next slot', async () => {
  const village = bench({ overlap: 'Queue', historyLimit: 5, workflow: { mode: 'night' } });
  assert.deepEqual(await village.reconciler.reconcile(KEY), { kind: 'requeue', afterMs: STATUS_EVERY_MS });
  village.nowMs += 5_000;
  assert.deepEqual(await village.reconciler.reconcile(KEY), { kind: 'requeue', afterMs: 5_000 });
  assert.deepEqual(village.bodies, [
    {
      schedule_uid: 'u1',
      schedule: 'tick',
      slot: '2026-11-22T12:00:00Z',
      agents: ['ada'],
      prompt: 'Walk.',
      workflow: { mode: 'night' },
      overlap: 'Queue',
      history_limit: 5,
      made_up: false,
    },
  ]);
  assert.deepEqual(
    [village.status().lastSlot, village.status().nextRunAt, village.events],
    ['2026-11-22T12:00:00Z', '2026-11-22T12:00:10Z', []],
  );
});

test('a Schedule that fires every second writes its status every five seconds', async () => {
  const village = bench({ every: '1s' });
  for (let second = 0; second < 60; second += 1) {
    village.nowMs = NOON + second * 1_000;
    await village.reconciler.reconcile(KEY);
  }
  assert.equal(village.bodies.length, 4 + 60);
  assert.equal(new Set(slots(village)).size, 64);
  assert.equal(village.patches.length, 11);
});

test('after 24 hours of absence, the missed slots are in the status before any firing, and have Events', async () => {
  const village = bench(
    { every: '1h', missedRuns: 'CatchUp', catchUpLimit: 2 },
    { timing: 'every 1h', lastSlot: '2026-11-21T11:00:00Z', missed: 5 },
  );
  village.nowMs = NOON + 60_000;
  const written: (number | undefined)[] = [];
  village.answer = (body) => {
    written.push(village.status().missed);
    return fired(body);
  };
  await village.reconciler.reconcile(KEY);
  assert.deepEqual(slots(village), ['10:00:00 made up', '11:00:00 made up', '12:00:00']);
  assert.deepEqual(written, [27, 27, 27]);
  assert.deepEqual(
    village.events.map(({ reason, type, message }) => `${type} ${reason} ${message}`),
    [
      'Warning FiringsMissed 22 firings until 2026-11-22T09:00:00Z were missed (missedRuns is CatchUp)',
      'Normal FiringMadeUp made up for the missed firing of 2026-11-22T10:00:00Z',
      'Normal FiringMadeUp made up for the missed firing of 2026-11-22T11:00:00Z',
    ],
  );
});

test('an operator whose clock is ahead fires at the right time by the database clock', async () => {
  const village = bench({}, { timing: 'every 10s', lastSlot: '2026-11-22T11:59:50Z' });
  village.answer = () => ({ kind: 'too early' });
  assert.deepEqual(await village.reconciler.reconcile(KEY), { kind: 'requeue', afterMs: 1_000 });
  village.answer = fired;
  village.nowMs += 1_000;
  await village.reconciler.reconcile(KEY);
  assert.deepEqual(slots(village), ['12:00:00', '12:00:00']);
});

test('a failed firing is retried every second, and no later slot fires before it', async () => {
  const village = bench({}, { timing: 'every 10s', lastSlot: '2026-11-22T11:59:40Z' });
  village.answer = () => ({ kind: 'failed', error: new Error('away') });
  assert.deepEqual(await village.reconciler.reconcile(KEY), { kind: 'requeue', afterMs: 1_000 });
  village.answer = fired;
  await village.reconciler.reconcile(KEY);
  assert.deepEqual(slots(village), ['11:59:50', '11:59:50', '12:00:00']);
});

test('a failed status write stops no firing', async () => {
  const village = bench({}, { timing: 'every 10s', lastSlot: '2026-11-22T11:50:00Z' });
  village.mute = true;
  for (let second = 0; second <= 30; second += 1) {
    village.nowMs = NOON + second * 1_000;
    assert.equal((await village.reconciler.reconcile(KEY)).kind, 'requeue');
  }
  assert.deepEqual(slots(village), [
    '11:59:30',
    '11:59:40',
    '11:59:50',
    '12:00:00',
    '12:00:10',
    '12:00:20',
    '12:00:30',
  ]);
  village.mute = false;
  village.nowMs += STATUS_EVERY_MS;
  await village.reconciler.reconcile(KEY);
  assert.deepEqual([village.status().lastSlot, village.status().missed], ['2026-11-22T12:00:30Z', 56]);
});

test('a firing that the api refuses to a leader is retried each second, without status writes, until the api trusts the leader', async () => {
  const village = bench({}, { timing: 'every 10s', lastSlot: '2026-11-22T11:59:50Z' });
  village.answer = () => ({ kind: 'stale' });
  for (let second = 0; second < 7; second += 1) {
    assert.deepEqual(await village.reconciler.reconcile(KEY), { kind: 'requeue', afterMs: 1_000 });
    village.nowMs += 1_000;
  }
  assert.deepEqual([slots(village), village.patches], [Array.from({ length: 7 }, () => '12:00:00'), []]);
  village.answer = fired;
  village.nowMs += 4_000;
  await village.reconciler.reconcile(KEY);
  assert.deepEqual(slots(village).slice(7), ['12:00:00', '12:00:10']);
  assert.deepEqual([village.status().lastSlot, village.status().missed], ['2026-11-22T12:00:10Z', 0]);
});

test('a slot that another leader has fired is decided, without an Event', async () => {
  const village = bench({}, { timing: 'every 10s', lastSlot: '2026-11-22T11:59:50Z' });
  village.answer = () => ({
    kind: 'fired',
    claimed: false,
    runs: [{ agent_id: 'ada', run_id: null, outcome: 'skipped_overlap' }],
  });
  await village.reconciler.reconcile(KEY);
  await village.reconciler.reconcile(KEY);
  assert.deepEqual([slots(village), village.events], [['12:00:00'], []]);
});

test('each outcome of a firing has one Event that names the agents', async () => {
  const village = bench({}, { timing: 'every 10s', lastSlot: '2026-11-22T11:59:50Z' });
  village.answer = () => ({
    kind: 'fired',
    claimed: true,
    runs: [
      { agent_id: 'ada', run_id: null, outcome: 'skipped_overlap' },
      { agent_id: 'bob', run_id: null, outcome: 'agent_barred' },
      { agent_id: 'cleo', run_id: null, outcome: 'manifests_unusable' },
    ],
  });
  await village.reconciler.reconcile(KEY);
  assert.deepEqual(
    village.events.map(({ type, reason, message }) => `${type} ${reason} ${message}`),
    [
      'Normal OverlapSkipped skipped for ada: an earlier run is still in progress, or too many wait',
      'Warning AgentUnavailable skipped for bob: a measure of an admin bars the agent',
      'Warning ManifestsUnusable skipped for cleo: the agent has no manifests that can be used',
    ],
  );
});

test('the database clock is estimated from answers, without the network delay', () => {
  let local = NOON;
  const time = new VillageTime(() => local);
  time.learn(NOON + 80, [NOON, NOON + 20]);
  assert.equal(time.aheadMs, 0);
  time.learn(NOON - 30_000, [NOON, NOON + 20]);
  assert.equal(time.aheadMs, -30_010);
  local += 1_000;
  assert.equal(time.now(), NOON - 29_010);
  time.learn(NOON - 29_000, [local, local + 400], 500);
  assert.equal(time.aheadMs, -30_010, 'the difference is within the uncertainty');
});
