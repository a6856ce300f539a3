/**
 * A Schedule of ten seconds on a real API server, with the whole operator and the whole api: every slot fires, and all
 * views of a firing agree.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { pluck } from '../env/pluck.ts';
import { after, before, test } from '../env/cluster-test.ts';
import { isDeepStrictEqual, promisify } from 'node:util';
import { type ScheduleView } from '@hamlet/contract';
import type { Schedule } from '@hamlet/contract/kinds';
import type { KubeObject } from '@hamlet/kube';
import { AGENTS, SCHEDULES, type Operator } from '@hamlet/operator';
import type { Db } from '@hamlet/store';
import type { TestApiServer } from '@hamlet/test/env/api-server';
import { CAP_MS, until } from '@hamlet/test/env/until';
import { sql } from 'kysely';
import type { Play } from '../../api/server/src/testing/test-village.ts';
import { cases } from '../env/seeded.ts';
import { operatedVillage, type OperatedVillage } from './operated-village.ts';

const SLOTS = cases(6, 60);
const SLOT_MS = 10_000;
const ROOT = resolve(import.meta.dirname, '../..');

let village: OperatedVillage;
let kube: TestApiServer;
let namespace: string;
let play: Play;
let db: Db;
let operator: Operator;

before(async () => {
  village = await operatedVillage({ ada: {} });
  ({ kube, namespace, play, db } = village);
  await until('ada is in the world', async () => (await play.world()).agents.some(({ agent_id: id }) => id === 'ada'));
  operator = await village.startOperator();
});
after(async () => {
  await operator.stop();
  await village.remove();
});

const stored = (name: string): Promise<Schedule & KubeObject> => kube.client.get(SCHEDULES, { namespace, name });

async function slotsOf(uid: string): Promise<readonly number[]> {
  const { rows } = await sql<{ slot: Date }>`select slot from firing where schedule_uid = ${uid} order by slot`.execute(
    db,
  );
  return rows.map(({ slot }) => slot.getTime());
}

/** The newest run that the Schedule started, from the table of runs. */
async function newestRunOf(uid: string): Promise<string | undefined> {
  const { rows } = await sql<{
    run_id: string;
  }>`select run_id::text from run where schedule_uid = ${uid} order by run_id desc limit 1`.execute(db);
  return rows[0]?.run_id;
}

/** The output of `kubectl get sch` for one Schedule, by column. */
async function printed(name: string): Promise<Readonly<Record<string, string>>> {
  const { stdout: bin } = await promisify(execFile)(join(ROOT, 'local/cluster/build.sh'), ['--print-bin']);
  const { stdout } = await promisify(execFile)(join(bin.trim(), 'kubectl'), [
    '--kubeconfig',
    kube.kubeconfig,
    '--namespace',
    namespace,
    'get',
    'sch',
    name,
  ]);
  const [head = '', line = ''] = stdout.split('\n');
  const columns = [...head.matchAll(/\S+\s*/g)].map((match) => ({
    title: match[0].trim(),
    from: match.index,
    to: match.index + match[0].length,
  }));
  return Object.fromEntries(
    columns.map(({ title, from, to }, index) => [
      title,
      line.slice(from, index === columns.length - 1 ? undefined : to).trim(),
    ]),
  );
}

const listed = async (name: string): Promise<ScheduleView | undefined> =>
  (await play.admin.listSchedules({ limit: 100 })).schedules.find((schedule) => schedule.name === name);

test(`${SLOTS} slots of ten seconds, with a change of the leader: each fires once`, async () => {
  // If the machine stalls for half a minute, the operator fires the missed slot later.
  const { uid } = (
    await play.admin.createSchedule({
      name: 'tick',
      agent_name: 'ada',
      prompt: 'Look round.',
      every: '10s',
      missed_runs: 'CatchUp',
      catch_up_limit: 100,
    })
  ).schedule;
  const fired = (slots: number): Promise<true> =>
    until(`${slots} slots`, async () => (await slotsOf(uid)).length >= slots, { capMs: CAP_MS + slots * SLOT_MS });
  await fired(Math.ceil(SLOTS / 2));
  await operator.stop();
  operator = await village.startOperator();
  await fired(SLOTS);
  const slots = await slotsOf(uid);
  const createdMs = Date.parse((await stored('tick')).metadata.creationTimestamp ?? '');
  const firstMs = Math.floor(createdMs / SLOT_MS) * SLOT_MS + SLOT_MS;
  assert.deepEqual(
    slots,
    slots.map((_, index) => firstMs + index * SLOT_MS),
    'from the first slot after the creation, without a gap',
  );
});

test('GET /schedules, kubectl get sch and the table of firings agree', async () => {
  // Suspended, so that all three can be read at the same time.
  await play.admin.changeSchedule({ name: 'tick', suspend: true });
  const { metadata, status } = await until('the status reports the suspension and the last firing', async () => {
    const schedule = await stored('tick');
    const isSuspended =
      schedule.status?.conditions?.some(({ type, reason }) => type === 'Active' && reason === 'Suspended') === true;
    return isSuspended && schedule.status?.lastRunID === (await newestRunOf(schedule.metadata.uid)) && schedule;
  });
  assert.ok(status !== undefined);
  const slots = await slotsOf(metadata.uid);
  // The api receives a status a moment after it is written.
  const schedule = await until('the api has received the status', async () => {
    const now = await listed('tick');
    return (
      now?.suspend === true &&
      now.status.next_run_at === null &&
      isDeepStrictEqual(
        [now.status.active_runs, now.status.last_run_id, now.status.missed],
        [status.activeRuns, status.lastRunID, status.missed],
      ) &&
      now
    );
  });
  const newest = new Date(slots.at(-1) ?? 0).toISOString();
  assert.equal(schedule.last_firings[0]?.slot, newest);
  assert.deepEqual(
    schedule.last_firings.map(({ slot }) => slot),
    slots
      .toReversed()
      .slice(0, schedule.last_firings.length)
      .map((slot) => new Date(slot).toISOString()),
  );
  assert.ok(Date.parse(status.lastSlot ?? '') >= Date.parse(newest));
  assert.deepEqual(schedule.status.next_runs, []);
  const { rows } = await sql<{ run_id: string; under_way: number }>`
    select (array_agg(run_id::text order by run_id desc))[1] as run_id, count(*) filter (where state in ('queued', 'running', 'waiting_permission'))::int as under_way from run where schedule_uid = ${metadata.uid}`.execute(
    db,
  );
  assert.deepEqual([rows[0]?.run_id, rows[0]?.under_way, status.missed], [status.lastRunID, status.activeRuns, 0]);
  const row = await printed('tick');
  assert.deepEqual(
    [row['NAME'], row['SCHEDULE'], row['AGENT'], row['SUSPENDED'], row['NEXT'], row['ACTIVE']],
    ['tick', 'every 10s', 'ada', 'True', '', String(status.activeRuns)],
  );
  assert.match(row['LAST'] ?? '', /^\d+[smh]/);
});

test('a resumed Schedule continues with the next slot; slots during the suspension do not count as missed', async () => {
  const { metadata } = await stored('tick');
  const before = await slotsOf(metadata.uid);
  await until('a slot has passed', async () => Date.now() > (before.at(-1) ?? 0) + 2 * SLOT_MS);
  await play.admin.changeSchedule({ name: 'tick', suspend: false });
  await until('it fires', async () => (await slotsOf(metadata.uid)).length > before.length);
  const [next] = (await slotsOf(metadata.uid)).slice(before.length);
  assert.ok((next ?? 0) > (before.at(-1) ?? 0) + SLOT_MS);
  const row = await until('kubectl shows the next firing', async () => {
    const askedMs = Date.now();
    const now = await printed('tick');
    return Date.parse(now['NEXT'] ?? '') >= askedMs && now;
  });
  assert.equal(row['SUSPENDED'], 'False');
  assert.equal((await stored('tick')).status?.missed, 0);
});

test('a selector selects Agents when the Schedule fires; a Schedule that selects none reports it', async () => {
  const { uid } = (
    await play.admin.createSchedule({
      name: 'team',
      selector: { match_labels: { team: 'carriers' } },
      prompt: 'Carry.',
      every: '10s',
    })
  ).schedule;
  await until(
    'the selector matches no agent',
    async () =>
      (await stored('team')).status?.conditions?.some(
        ({ type, reason }) => type === 'Active' && reason === 'NoAgentMatches',
      ) === true,
  );
  assert.deepEqual(await slotsOf(uid), []);
  await kube.client.mergePatch(AGENTS, { metadata: { labels: { team: 'carriers' } } }, { namespace, name: 'ada' });
  const view = await until('it fires', async () => {
    const now = await listed('team');
    return (now?.last_firings.length ?? 0) > 0 && now;
  });
  assert.deepEqual(pluck(view.last_firings.at(-1)?.runs ?? [], 'agent_id', 'outcome'), [['ada', 'started']]);
  await play.admin.deleteSchedule({ name: 'team' });
});
