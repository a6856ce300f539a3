/**
 * Schedules over HTTP: written to a real API server, whose messages the API passes on; without a cluster, read from
 * samples.
 */
import assert from 'node:assert/strict';
import { copyFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { after, before, test } from '@hamlet/test/env/cluster-test';
import { API_VERSION, GROUP, VERSION, type ScheduleView } from '@hamlet/contract';
import type { KubeObject, ResourceType } from '@hamlet/kube';
import { refuses, codeOf } from '@hamlet/test/env/client';
import { pluck } from '@hamlet/test/env/pluck';
import { firingBody, leaderOf } from '../testing/play/run-play.ts';
import { startClusterVillage, type ClusterVillage } from '../testing/cluster-village.ts';
import { eventually, Play } from '../testing/test-village.ts';

const SAMPLES = resolve(import.meta.dirname, '../../../../crds/samples');
const SCHEDULES: ResourceType = { group: GROUP, version: VERSION, plural: 'schedules', kind: 'Schedule' };
let cluster: ClusterVillage;
let kube: ClusterVillage['kube'];
let namespace = '';
let play: Play;
let withoutCluster: Play;

before(async () => {
  cluster = await startClusterVillage();
  const { village, environment } = cluster;
  ({ kube, namespace } = cluster);
  await copyFile(join(SAMPLES, 'good-schedule-hourly.yaml'), join(village.samples, 'good-schedule-hourly.yaml'));
  withoutCluster = new Play((await village.startReplica()).peopleUrl);
  play = new Play((await village.startReplica(environment)).peopleUrl);
});
after(() => cluster.remove());

type Stored = KubeObject & { readonly spec: Readonly<Record<string, unknown>> };

const stored = async (name: string): Promise<Stored> => kube.client.get<Stored>(SCHEDULES, { namespace, name });

async function create(name: string, spec: object = {}): Promise<ScheduleView> {
  return (await play.admin.createSchedule({ name, agent_name: 'ada', prompt: 'Look around.', every: '10m', ...spec }))
    .schedule;
}

type Change = Omit<Parameters<typeof play.admin.changeSchedule>[0], 'name'>;
const change = async (name: string, changes: Change): Promise<ScheduleView> =>
  (await play.admin.changeSchedule({ name, ...changes })).schedule;

test("a schedule is written to the cluster under the API's field manager, and read back with its defaults", async () => {
  const made = await create('round', { every: null, daily_at: '09:30', time_zone: 'Europe/Zurich' });
  const object = await stored('round');
  assert.deepEqual(
    { ...made, created_at: '', status: null },
    {
      name: 'round',
      uid: object.metadata.uid,
      created_at: '',
      agent_name: 'ada',
      selector: null,
      prompt: 'Look around.',
      workflow: null,
      every: null,
      cron: null,
      daily_at: '09:30',
      time_zone: 'Europe/Zurich',
      missed_runs: 'Skip',
      catch_up_limit: 10,
      overlap: 'Forbid',
      starting_deadline_seconds: 300,
      suspend: false,
      history_limit: 10,
      status: null,
      last_firings: [],
    },
  );
  assert.deepEqual(pluck(object.metadata.managedFields as { manager: string }[], 'manager'), ['hamlet-api']);
  await refuses(create('round'), 'schedule_exists');
});

test("a refusal shows the API server's message", async () => {
  const both = create('both', { cron: '* * * * *', time_zone: 'UTC' });
  await refuses(both, 'schedule_refused', /write exactly one of every, cron and dailyAt/);
  await create('good');
  await refuses(change('good', { every: 'soon' }), 'schedule_refused', /write a duration/);
  assert.equal((await stored('good')).spec['every'], '10m');
});

test('a change keeps omitted fields, removes fields that are null, and replaces labels as a whole', async () => {
  await create('walk', { agent_name: null, selector: { match_labels: { team: 'red', floor: 'one' } } });
  assert.equal((await change('walk', { suspend: true })).suspend, true);
  const cron = { every: null, cron: '0 9 * * *', selector: { match_labels: { team: 'blue' } } };
  const changed = await change('walk', { ...cron, time_zone: 'UTC' });
  assert.partialDeepStrictEqual(changed, { ...cron, suspend: true });
  const { agent_name, selector } = await change('walk', { selector: null, agent_name: 'bob' });
  assert.deepEqual([agent_name, selector], ['bob', null]);
  const before = (await stored('walk')).metadata.resourceVersion;
  await change('walk', { suspend: true, agent_name: 'bob' });
  assert.equal((await stored('walk')).metadata.resourceVersion, before, 'a change of nothing writes nothing');
});

test('a workflow may be empty; a change replaces it as a whole, and null lets the prompt be answered again', async () => {
  const made = await create('flow', { workflow: { pipeline: 'nightly', tags: ['text', 'day'] } });
  assert.deepEqual(made.workflow, { pipeline: 'nightly', tags: ['text', 'day'] });
  assert.deepEqual((await change('flow', { workflow: { mode: 'draft', tags: ['day'] } })).workflow, {
    mode: 'draft',
    tags: ['day'],
  });
  assert.deepEqual((await stored('flow')).spec['workflow'], { mode: 'draft', tags: ['day'] });
  assert.deepEqual((await change('flow', { workflow: {} })).workflow, {});
  await refuses(change('flow', { workflow: { pipeline: 'Nightly' } }), 'schedule_refused', /write an id of pipelines/);
  assert.equal((await change('flow', { workflow: null })).workflow, null);
  assert.equal((await stored('flow')).spec['workflow'], undefined);
  await play.admin.deleteSchedule({ name: 'flow' });
});

test('a field of another owner is taken over only on request; the refusal names the owner', async () => {
  const object = {
    apiVersion: API_VERSION,
    kind: 'Schedule',
    metadata: { name: 'ops', namespace },
    spec: { agentName: 'ada', prompt: 'Good morning.', every: '1h' },
  };
  await kube.client.apply(SCHEDULES, object, { fieldManager: 'argocd' });
  assert.equal((await change('ops', { suspend: true })).suspend, true, 'a field with its default has no owner');
  const daily = { every: null, daily_at: '08:00', time_zone: 'UTC' };
  await refuses(change('ops', daily), 'field_owned_elsewhere', /spec\.every is managed by "argocd"/);
  const taken = await change('ops', { ...daily, on_conflict: 'take_over' });
  assert.deepEqual([taken.every, taken.daily_at, taken.suspend], [null, '08:00', true]);
});

test('kubectl apply owns no field that it omits; a change by the API owns only the fields that it changes', async () => {
  const query = { fieldManager: 'kubectl-client-side-apply' };
  const object = {
    apiVersion: API_VERSION,
    kind: 'Schedule',
    metadata: { name: 'plain' },
    spec: { agentName: 'ada', prompt: 'Good morning.', every: '1h' },
  };
  await kube.client.create(SCHEDULES, object, { namespace, query });
  const defaults = {
    missed_runs: 'Skip',
    overlap: 'Forbid',
    starting_deadline_seconds: 300,
    history_limit: 10,
  } as const;
  const { schedule } = await play.admin.getSchedule({ name: 'plain' });
  assert.partialDeepStrictEqual(schedule, { ...defaults, catch_up_limit: 10, suspend: false });
  await change('plain', { ...defaults, catch_up_limit: 3, suspend: true });
  assert.deepEqual((await stored('plain')).spec, { ...object.spec, catchUpLimit: 3, suspend: true });
  const others = { overlap: 'Queue', missed_runs: 'RunOnce', starting_deadline_seconds: 60, history_limit: 5 } as const;
  await change('plain', { ...others, suspend: false });
});

test('status is as the operator wrote it; the last firings come from the table', async () => {
  const { uid } = await create('clock');
  const status = {
    lastSlot: '2026-01-01T00:10:00Z',
    lastRunID: 'r',
    lastRunAt: '2026-01-01T00:10:01Z',
    nextRunAt: '2026-01-01T00:20:00Z',
    nextRuns: ['2026-01-01T00:20:00Z'],
    activeRuns: 1,
    missed: 2,
    conditions: [
      {
        type: 'Active',
        status: 'True',
        reason: 'Scheduled',
        message: 'it fires',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ],
  };
  await kube.client.mergePatch(SCHEDULES, { status }, { namespace, name: 'clock', subresource: 'status' });
  const leader = leaderOf(play.url, 'lease:1');
  for (const slot of ['2026-01-01T00:00:00.000Z', '2026-01-01T00:10:00.000Z'])
    await leader.fireSchedule(firingBody({ schedule_uid: uid, slot, agents: ['nobody'] }));
  const view = (await play.admin.getSchedule({ name: 'clock' })).schedule;
  assert.deepEqual(
    { ...view.status, conditions: view.status.conditions.map(({ reason }) => reason) },
    {
      last_slot: '2026-01-01T00:10:00.000Z',
      last_run_id: 'r',
      last_run_at: '2026-01-01T00:10:01.000Z',
      next_run_at: '2026-01-01T00:20:00.000Z',
      next_runs: ['2026-01-01T00:20:00.000Z'],
      active_runs: 1,
      missed: 2,
      conditions: ['Scheduled'],
    },
  );
  assert.deepEqual(
    pluck(view.last_firings, 'slot', 'runs'),
    ['2026-01-01T00:10:00.000Z', '2026-01-01T00:00:00.000Z'].map((slot) => [
      slot,
      [{ agent_id: 'nobody', run_id: null, outcome: 'agent_unknown' }],
    ]),
  );
});

test('schedules are listed by name, in pages', async () => {
  const names: string[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await play.admin.listSchedules(cursor === undefined ? { limit: 2 } : { limit: 2, cursor });
    names.push(...page.schedules.map(({ name }) => name));
    if (page.next_cursor === null) break;
    cursor = page.next_cursor;
  }
  assert.deepEqual(names, ['clock', 'good', 'ops', 'plain', 'round', 'walk']);
  await refuses(play.admin.listSchedules({ cursor: 'nonsense' }), 'cursor_invalid');
});

test('a deleted schedule is gone, and an unknown one is refused', async () => {
  const good = { name: 'good' };
  assert.deepEqual(await play.admin.deleteSchedule(good), { ...good, deleted: true });
  await eventually('its end', async () => (await codeOf(play.admin.getSchedule(good))) === 'no_such_schedule');
  await refuses(play.admin.deleteSchedule(good), 'no_such_schedule');
  await refuses(change('good', { suspend: true }), 'no_such_schedule');
});

test('without a cluster the API shows the samples, and refuses a write with the fix', async () => {
  const { schedules } = await withoutCluster.admin.listSchedules();
  assert.deepEqual(pluck(schedules, 'name'), ['hourly']);
  assert.deepEqual(pluck(schedules[0]?.status.conditions ?? [], 'status', 'reason'), [['False', 'NoOperator']]);
  await refuses(withoutCluster.admin.getSchedule({ name: 'daily' }), 'no_such_schedule');
  const body = { name: 'x', agent_name: 'ada', prompt: 'x', every: '1m' };
  for (const write of [
    withoutCluster.admin.raw.createSchedule(body),
    withoutCluster.admin.raw.changeSchedule({ name: 'hourly', suspend: true }),
    withoutCluster.admin.raw.deleteSchedule({ name: 'hourly' }),
  ])
    await refuses(write, 'cluster_needed');
});
