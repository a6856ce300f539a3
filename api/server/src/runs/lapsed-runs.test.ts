/**
 * A run whose resident is gone waits again, and a resident that returns too late can do nothing for it. Leases last as
 * long as in production.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Run } from '@hamlet/contract';
import { codeOf, dataOf } from '@hamlet/test/env/client';
import { testResidents } from '../testing/resident-process.ts';
import { endLease } from '../testing/run-tables.ts';
import { RunPlay } from '../testing/play/run-play.ts';
import { eventually, type AgentId, startPlay } from '../testing/test-village.ts';
import { requeueing } from './run-upkeep.ts';

const { village, play } = await startPlay({ villageSpeed: 20 });
const runs = new RunPlay(play.url);
const residents = testResidents(runs.play, []);
const db = village.openDb();

function inState(runId: string, holds: (run: Run) => boolean): Promise<Run> {
  return eventually('the state of the run', async () => ((run) => (holds(run) ? run : null))(await runs.get(runId)));
}

/** The speech of an agent in the log of the world. */
async function saidBy(agentId: AgentId): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('world_event')
    .select('event')
    .where('kind', '=', 'talk')
    .where('agent_id', '=', agentId)
    .orderBy('seq')
    .execute();
  return rows.map(({ event }) => (event as { readonly text: string }).text);
}

const WORDS = Array.from({ length: 5 }, (_, index) => `word ${index + 1} of the run`);
const PROMPT = WORDS.map((text, index) => `Say "${text}". Go to the ${index % 2 === 0 ? 'market' : 'square'}.`).join(
  ' ',
);

/** Gives a run to an agent and waits until its resident has done some of its steps. */
async function inTheMiddle(agentId: AgentId): Promise<string> {
  const { run_id } = await runs.give(agentId, PROMPT);
  await eventually(
    'the first steps',
    async () => (await runs.events(run_id)).filter(({ event }) => event === 'step').length >= 2,
  );
  assert.equal((await runs.get(run_id)).state, 'running');
  return run_id;
}

async function doneOnce(agentId: AgentId, runId: string): Promise<void> {
  const run = await inState(runId, ({ ended_at }) => ended_at !== null);
  assert.equal(run.state, 'done', run.summary ?? '');
  for (const text of WORDS) assert.equal((await saidBy(agentId)).filter((said) => said === text).length, 1, text);
}

test('a run waits again after its resident is killed, and the next resident continues it without repeated speech', async (t) => {
  const resident = await residents.start('ada');
  const run_id = await inTheMiddle('ada');
  await residents.kill(resident);
  const killed = performance.now();
  const waiting = await inState(run_id, ({ state }) => state !== 'running');
  t.diagnostic(`killed to queued: ${Math.round(performance.now() - killed)} ms`);
  assert.deepEqual([waiting.state, waiting.attempt, waiting.error], ['queued', 1, null]);
  assert.equal((await runs.events(run_id)).at(-1)?.event, 'lapsed');
  await residents.start('ada');
  await doneOnce('ada', run_id);
  assert.equal((await runs.get(run_id)).attempt, 2);
});

test('a stalled resident can do nothing more for a run that another one has taken', async () => {
  const frozen = await residents.start('bob');
  const run_id = await inTheMiddle('bob');
  frozen.kill('SIGSTOP');
  await inState(run_id, ({ state }) => state === 'queued');
  await runs.play.admin.rebootAgent({ agent_id: 'bob' });
  // Another volume, as on another node, where the lock of the state folder stops no second process.
  await residents.start('bob', 'elsewhere');
  await inState(run_id, ({ attempt }) => attempt === 2);
  frozen.kill('SIGCONT');
  await doneOnce('bob', run_id);
  const steps = (await runs.events(run_id)).flatMap((each) => (each.event === 'step' ? [each.detail['step']] : []));
  assert.deepEqual(
    steps,
    WORDS.flatMap((_, index) => [index * 2, index * 2 + 1]),
  );
});

test('a process whose lease lapsed can neither record, renew nor settle, even if its cycle restarted the run', async () => {
  const { run_id } = await runs.give('dan');
  const { run } = dataOf(await runs.start('dan', run_id));
  const old = { cycle: run.cycle ?? 0, attempt: run.attempt };
  const asDan = runs.play.as('dan');
  const answers = async (): Promise<readonly (string | null)[]> => [
    await codeOf(asDan.renewRun({ run_id, ...old })),
    await codeOf(asDan.recordRunStep({ run_id, ...old, step: 0, outcome: 'done', text: 'late' })),
    await codeOf(asDan.settleRun({ run_id, ...old, state: 'done', summary: 'late' })),
  ];
  await endLease(db, run_id);
  await requeueing({ db, log: () => undefined })(new Date(0));
  assert.equal((await runs.get(run_id)).state, 'queued');
  assert.deepEqual(await answers(), ['claim_lapsed', 'claim_lapsed', 'claim_lapsed']);
  assert.equal((await runs.next('dan'))?.run_id, run_id, 'it is offered again');
  assert.equal(dataOf(await runs.start('dan', run_id)).run.attempt, 2);
  assert.deepEqual(await answers(), ['claim_lapsed', 'claim_lapsed', 'claim_lapsed']);
  await asDan.settleRun({ run_id, ...old, attempt: 2, state: 'done', summary: 'Done.' });
  assert.equal((await runs.get(run_id)).summary, 'Done.');
});
