/** Firings over HTTP on a real Postgres: one firing per slot, for any number of requests and callers. */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fireSchedule, type CallData, type FiringBody, type Overlap, type Run } from '@hamlet/contract';
import { FENCE_EXPIRES_S, forgetOldFirings } from '@hamlet/store';
import { dataOf, follow } from '@hamlet/test/env/client';
import { pluck } from '@hamlet/test/env/pluck';
import { firingBody, leaderOf, RunPlay, type FireAnswer } from '../testing/play/run-play.ts';
import { clientOf, eventually, TOKENS, startPlay } from '../testing/test-village.ts';
import { FULL_RUN } from '@hamlet/test/env/seeded';

/** Slots for which two leaders compete. */
const SLOTS = FULL_RUN ? 10_000 : 120;
const FIRST_SLOT_MS = Date.UTC(2026, 0, 1);
const SLOT_MS = 10_000;

let leases = 0;
let lease = '';
let schedules = 0;
let uid = '';

const WORKFLOW = 'workflow: { id: one, nodes: [{ id: a, role: linear }] }\n';
const { village, play } = await startPlay({
  manifests: {
    ada: { 'workflow.yaml': WORKFLOW },
    cleo: { 'agents.yaml': 'agents: []\n' },
  },
});
const runs = new RunPlay(play.url);
const db = village.openDb();
beforeEach(async () => {
  await db.deleteFrom('operator_fence').execute();
  lease = `lease-${(leases += 1)}`;
  uid = `uid-${(schedules += 1)}`;
});

const slotOf = (index: number): string => new Date(FIRST_SLOT_MS + index * SLOT_MS).toISOString();

function fire(changes: Partial<FiringBody> = {}, fence = `${lease}:1`): Promise<FireAnswer> {
  return leaderOf(runs.play.url, fence).raw.fireSchedule(firingBody({ schedule_uid: uid, ...changes }));
}

const codeOf = (answer: FireAnswer): string | null => (answer.ok ? null : answer.problem.code);

async function countOf(table: 'firing' | 'run'): Promise<number> {
  const { count } = await db
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('schedule_uid', '=', uid)
    .executeTakeFirstOrThrow();
  return count;
}

const runsOf = async () => (await runs.play.admin.listRuns({ schedule: `schedule-${uid}`, limit: 100 })).runs;

test('a firing makes a run for each agent that exists, and gives the reason for the others', async () => {
  await runs.play.admin.freezeAgent({ agent_id: 'fay', reason: 'test' });
  const answer = dataOf(await fire({ agents: ['ada', 'nobody', 'fay', 'bob', 'ada'], prompt: 'Good morning!' }));
  assert.equal(answer.claimed, true);
  assert.deepEqual(
    answer.runs.map(({ agent_id, outcome, run_id }) => [agent_id, outcome, run_id !== null]),
    [
      ['ada', 'started', true],
      ['nobody', 'agent_unknown', false],
      ['fay', 'agent_barred', false],
      ['bob', 'started', true],
    ],
  );
  assert.ok(Math.abs(Date.parse(answer.now) - Date.now()) < 120_000);
  const [run] = (await runsOf()).filter(({ agent_id }) => agent_id === 'ada');
  assert.deepEqual(
    [run?.kind, run?.state, run?.prompt, run?.created_by, run?.schedule],
    [
      'schedule',
      'queued',
      'Good morning!',
      { role: 'schedule', id: `schedule-${uid}` },
      { name: `schedule-${uid}`, uid, slot: '2026-01-01T00:00:00.000Z' },
    ],
  );
  await runs.finishAll('ada');
  await runs.finishAll('bob');
});

test('a firing with a workflow leaves out agents without usable manifests, and gives the others their current ones', async () => {
  const workflow = { pipeline: 'default', tags: ['day'] };
  const agents = ['ada', 'bob', 'cleo'];
  const answer = dataOf(await fire({ agents, workflow, prompt: 'Report.' }));
  assert.deepEqual(pluck(answer.runs, 'agent_id', 'outcome'), [
    ['ada', 'started'],
    ['bob', 'manifests_unusable'],
    ['cleo', 'manifests_unusable'],
  ]);
  const [run, ...others] = await runsOf();
  assert.equal(others.length, 0);
  assert.deepEqual([run?.prompt, run?.workflow], ['Report.', { ...workflow, manifests: run?.workflow?.manifests }]);
  await village.writeManifests('ada', { 'workflow.yaml': `${WORKFLOW}# later\n` });
  const again = dataOf(await fire({ agents, workflow }));
  assert.deepEqual({ ...again, now: '' }, { ...answer, claimed: false, now: '' });
  const { manifests } = dataOf(await runs.start('ada', run?.run_id ?? ''));
  assert.deepEqual(manifests, [{ path: 'workflow.yaml', text: WORKFLOW }], 'an edit applies to the next firing');
  await runs.finishAll('ada');
  const next = dataOf(await fire({ agents: ['ada'], workflow: {}, slot: slotOf(1) }));
  const [newest] = await runsOf();
  assert.deepEqual([newest?.run_id, newest?.workflow?.pipeline], [next.runs[0]?.run_id, undefined]);
  assert.notEqual(newest?.workflow?.manifests, run?.workflow?.manifests);
  await runs.finishAll('ada');
});

test('a hundred concurrent clients fire one slot once, and each gets the one run', async () => {
  // A client that is asked to retry, because others are ahead of it, does so.
  const ask = async (): Promise<CallData<typeof fireSchedule> | false> => {
    const answer = await fire({ agents: ['ada', 'bob'] });
    if (!answer.ok) assert.equal(answer.problem.code, 'unavailable');
    return answer.ok && answer.data;
  };
  const answers = await Promise.all(Array.from({ length: 100 }, () => eventually('an answer', ask)));
  assert.equal(answers.filter(({ claimed }) => claimed).length, 1);
  assert.equal(new Set(answers.map(({ firing_id, runs: made }) => JSON.stringify([firing_id, made]))).size, 1);
  assert.deepEqual([await countOf('firing'), await countOf('run')], [1, 2]);
  await runs.finishAll('ada');
  await runs.finishAll('bob');
});

test('a fired slot gives the same answer again, even to a different request', async () => {
  const first = dataOf(await fire({ prompt: 'one' }));
  await runs.finishAll('ada');
  const again = dataOf(await fire({ prompt: 'two', overlap: 'Replace', agents: ['bob'] }));
  assert.deepEqual({ ...again, now: '' }, { ...first, claimed: false, now: '' });
  assert.equal(await countOf('run'), 1);
});

test('two leaders, a stolen lease and clocks 30 s apart: every slot fires once', async () => {
  const skewMs = 30_000;
  const nowMs = Date.now();
  const base = nowMs - SLOTS * 1_000;
  let stolen = false;
  let firings = 0;
  const refusals = new Map<string, number>();
  /** Each leader fires the slots that are due by its own clock, a few at a time. */
  async function lead(fence: () => string, from: number): Promise<void> {
    for (let index = from; index < SLOTS; index += 2) {
      for (const slot of [index, index + 1 - 2 * from]) {
        if (slot >= SLOTS) continue;
        const answer = await fire(
          { slot: new Date(base + slot * 1_000).toISOString(), overlap: 'Queue', agents: ['cleo'], history_limit: 0 },
          fence(),
        );
        if (answer.ok) firings += answer.data.claimed ? 1 : 0;
        else refusals.set(answer.problem.code, (refusals.get(answer.problem.code) ?? 0) + 1);
      }
      if (index > SLOTS / 2) stolen = true;
    }
  }
  await Promise.all([lead(() => `${lease}:1`, 0), lead(() => `${lease}:${stolen ? 2 : 1}`, 1)]);
  // After the lease has passed, the second leader fires the slots that the first was refused.
  for (let slot = 0; slot < SLOTS; slot += 1) {
    const answer = await fire(
      { slot: new Date(base + slot * 1_000).toISOString(), overlap: 'Queue', agents: ['cleo'], history_limit: 0 },
      `${lease}:2`,
    );
    if (dataOf(answer).claimed) firings += 1;
  }
  assert.equal(firings, SLOTS);
  assert.equal(await countOf('firing'), SLOTS);
  const made = await db.selectFrom('run').select('slot').where('schedule_uid', '=', uid).execute();
  assert.equal(new Set(made.map(({ slot }) => slot?.getTime())).size, made.length, 'no slot has two runs');
  // The leader whose clock is ahead cannot fire a slot that is not due by the clock of the database.
  assert.equal(
    codeOf(await fire({ slot: new Date(Date.now() + skewMs).toISOString() }, `${lease}:2`)),
    'firing_too_early',
  );
  assert.deepEqual(
    [...refusals.keys()].filter((code) => code !== 'fence_stale'),
    [],
  );
});

test('a slot in the future is refused with the time to wait', async () => {
  const answer = await fire({ slot: new Date(Date.now() + 60_000).toISOString() });
  assert.equal(codeOf(answer), 'firing_too_early');
  const wait = Number(answer.response.headers.get('retry-after'));
  assert.ok(wait > 50 && wait <= 60, `${wait} s`);
  assert.equal(await countOf('firing'), 0);
});

test('a leader whose lease has passed on is refused; a greater count of the same Lease is accepted at once', async () => {
  dataOf(await fire({ slot: slotOf(0) }, `${lease}:4`));
  dataOf(await fire({ slot: slotOf(1) }, `${lease}:5`));
  assert.equal(codeOf(await fire({ slot: slotOf(2) }, `${lease}:4`)), 'fence_stale');
  dataOf(await fire({ slot: slotOf(2) }, `${lease}:5`));
  await runs.finishAll('ada');
});

test('another Lease is accepted only after the trusted one was silent for its duration; then the old one is refused permanently', async () => {
  // If the machine stalls for a Lease's duration between the two requests, the test tries again.
  await eventually('the new Lease to be refused', async () => {
    await db.deleteFrom('operator_fence').execute();
    dataOf(await fire({ slot: slotOf(0) }, 'old-lease:9'));
    return codeOf(await fire({ slot: slotOf(1) }, `${lease}:0`)) === 'fence_stale';
  });
  await eventually('the old Lease to expire', async () => {
    await sleep(500);
    return (await fire({ slot: slotOf(1) }, `${lease}:0`)).ok;
  });
  const old = await db
    .selectFrom('operator_fence')
    .select(['seen_at', 'superseded_at'])
    .where('lease_uid', '=', 'old-lease')
    .executeTakeFirstOrThrow();
  assert.ok((old.superseded_at?.getTime() ?? 0) - old.seen_at.getTime() >= FENCE_EXPIRES_S * 1_000);
  assert.equal(codeOf(await fire({ slot: slotOf(2) }, 'old-lease:10')), 'fence_stale');
  await runs.finishAll('ada');
});

test('a firing without a fence is refused', async () => {
  const body = firingBody({ schedule_uid: uid });
  for (const client of [clientOf(runs.play.url, TOKENS.operator), leaderOf(runs.play.url, 'nonsense')])
    assert.equal(codeOf(await client.raw.fireSchedule(body)), 'validation_failed');
});

const OVERLAPS: readonly (readonly [Overlap, string, readonly Run['state'][]])[] = [
  ['Forbid', 'skipped_overlap', ['running']],
  ['Queue', 'queued', ['queued', 'running']],
  ['Replace', 'replaced', ['queued', 'running']],
];
for (const [overlap, outcome, states] of OVERLAPS)
  test(`overlap ${overlap} while a run is in progress: ${outcome}`, async () => {
    const [made] = dataOf(await fire({ slot: slotOf(0), overlap })).runs;
    const first = made?.run_id ?? '';
    dataOf(await runs.start('ada', first));
    assert.equal(dataOf(await fire({ slot: slotOf(1), overlap })).runs[0]?.outcome, outcome);
    assert.deepEqual(pluck(await runsOf(), 'state'), states);
    assert.equal((await runs.get(first)).cancel_requested_at !== null, overlap === 'Replace');
    dataOf(await runs.settle('ada', first, { state: overlap === 'Replace' ? 'cancelled' : 'done', summary: 'over' }));
    assert.equal(
      (await runs.next('ada'))?.run_id ?? null,
      overlap === 'Forbid' ? null : ((await runsOf())[0]?.run_id ?? ''),
      'the next one is due',
    );
    await runs.finishAll('ada');
    assert.equal(dataOf(await fire({ slot: slotOf(2), overlap })).runs[0]?.outcome, 'started');
    await runs.finishAll('ada');
  });

test('Replace cancels waiting runs at once', async () => {
  const [first] = dataOf(await fire({ slot: slotOf(0), overlap: 'Replace' })).runs;
  dataOf(await fire({ slot: slotOf(1), overlap: 'Replace' }));
  const run = await runs.get(first?.run_id ?? '');
  assert.equal(run.state, 'cancelled');
  assert.deepEqual((await runs.events(run.run_id)).at(-1)?.detail, { state: 'cancelled', reason: 'replaced' });
  await runs.finishAll('ada');
});

test('overlap applies to one schedule: runs of other schedules and of people do not count', async () => {
  await runs.play.admin.createRun({ agent_id: 'ada', prompt: 'x' });
  assert.equal(dataOf(await fire()).runs[0]?.outcome, 'started');
  uid = `uid-${(schedules += 1)}`;
  assert.equal(dataOf(await fire()).runs[0]?.outcome, 'started');
  await runs.finishAll('ada');
});

test('a schedule keeps as many ended runs as its limit, and never loses an open run', async () => {
  for (let index = 0; index < 6; index += 1) {
    dataOf(await fire({ slot: slotOf(index), overlap: 'Queue', history_limit: 2 }));
    if (index < 4) await runs.finishAll('ada');
  }
  assert.deepEqual(pluck(await runsOf(), 'state'), ['queued', 'queued', 'done', 'done']);
  await runs.finishAll('ada');
  assert.equal((await runsOf()).length, 2);
  assert.equal(await countOf('firing'), 6, 'firings are kept longer');
  dataOf(await fire({ slot: slotOf(6), history_limit: 0 }));
  assert.equal((await runsOf()).length, 1);
  await runs.finishAll('ada');
  assert.equal((await runsOf()).length, 0);
});

test("the operator's stream reports the runs of a schedule, and a new stream begins with them", async () => {
  const operator = clientOf(runs.play.url, TOKENS.operator);
  const read = () => {
    const { events, stop } = follow((signal) => operator.openInternalStream({}, { signal }));
    const activity = () => events.flatMap((event) => (event.event === 'schedule' ? [event.data] : []));
    return { stop, activity: () => activity().filter(({ schedule_uid }) => schedule_uid === uid) };
  };
  const answers = read();
  const [made] = dataOf(await fire({ slot: slotOf(0) })).runs;
  const fired = await eventually('the firing', () => answers.activity().at(-1));
  assert.deepEqual([fired.active_runs, fired.last_run_id, fired.last_slot], [1, made?.run_id, slotOf(0)]);
  await runs.finishAll('ada');
  const after0 = await eventually('the end', () => answers.activity().find(({ active_runs }) => active_runs === 0));
  assert.equal(after0.last_run_id, made?.run_id);
  const snapshot = read();
  assert.deepEqual(await eventually('the snapshot', () => snapshot.activity()[0]), after0);
  for (const { stop } of [answers, snapshot]) stop();
});

test('a slot whose firing was deleted does not fire again', async () => {
  dataOf(await fire({ slot: slotOf(30_000) }));
  const kept = { schedule_uid: uid, lease_uid: lease, transitions: 1, made_up: false, runs: '[]' };
  for (let from = 1; from <= 20_005; from += 5_000) {
    const count = Math.min(5_000, 20_006 - from);
    await db
      .insertInto('firing')
      .values(Array.from({ length: count }, (_, index) => ({ ...kept, slot: new Date(slotOf(from + index)) })))
      .execute();
  }
  await forgetOldFirings(db);
  assert.equal(await countOf('firing'), 20_000);
  assert.equal(codeOf(await fire({ slot: slotOf(3) })), 'firing_forgotten');
  assert.equal(dataOf(await fire({ slot: slotOf(30) })).claimed, false);
  await runs.finishAll('ada');
});
