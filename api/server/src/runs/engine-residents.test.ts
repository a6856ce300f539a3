/** Runs of agents with a model, in residents in separate processes: a whole errand, a permission, a cancel, and kills at any moment. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Permission } from '@hamlet/contract';
import { ERRAND, POST_TITLE, QUESTION_TO_BOB, startJourneyMind } from '@hamlet/test/env/minds/journey-mind';
import { untilEnd } from '@hamlet/test/env/at-end';
import { wireModels } from '../gateway/testing/wire-models.ts';
import { testResidents } from '../testing/resident-process.ts';
import { RunPlay } from '../testing/play/run-play.ts';
import { eventually, startPlay } from '../testing/test-village.ts';
import { payForModels } from '../testing/hands-village.ts';
import { cases, FULL_RUN } from '@hamlet/test/env/seeded';

/** Kills of one run's resident, each at another moment. */
const KILLS = cases(2, 15);
const KILL_STEP_MS = FULL_RUN ? 350 : 700;
const RULES = [
  { tools: ['read', 'speak', 'act', 'publish', 'spend', 'persona', 'schedule'], verdict: 'allow' },
  { tools: ['publish'], when: 'run', verdict: 'ask', reason: 'a person reads posts first' },
];

const mind = untilEnd(await startJourneyMind());
const { village, play } = await startPlay({
  villageSpeed: 20,
  environment: { HAMLET_TOOL_RULES: JSON.stringify(RULES) },
  models: wireModels(mind.url),
});
const runs = new RunPlay(play.url);
const residents = testResidents(play, []);
const db = village.openDb();
await payForModels(play, ['ada']);

async function allow({ permission_id }: Permission): Promise<void> {
  await runs.play.admin.answerPermission({ permission_id, answer: 'allow' });
}

async function saidToBob(): Promise<number> {
  const rows = await db.selectFrom('world_event').select('event').where('kind', '=', 'talk').execute();
  return rows.filter(({ event }) => (event as { readonly text?: string }).text === QUESTION_TO_BOB).length;
}

/** The calls of a run with their outcomes, for an error message. */
async function callsOf(runId: string): Promise<string> {
  const rows = (await runs.events(runId)).filter(({ event }) => event.startsWith('call_'));
  return JSON.stringify(rows);
}

async function posted(): Promise<readonly string[]> {
  const { posts } = await runs.play.admin.listPosts({ q: POST_TITLE, limit: 50 });
  return posts.map(({ post_id }) => post_id);
}

test('an agent walks, talks, asks before it posts, is allowed, and answers with the link', async () => {
  await residents.start('ada');
  const [said, before] = [await saidToBob(), await posted()];
  const { run_id } = await runs.give('ada', ERRAND);
  const permission = await runs.asked(run_id);
  assert.deepEqual([permission.tool, permission.why, permission.call_id], ['post_to_board', 'policy', '3.0']);
  const waiting = await eventually('the run to wait', async () => {
    const run = await runs.get(run_id);
    return run.state === 'waiting_permission' ? run : null;
  });
  assert.equal(waiting.runtime, 'engine');
  await allow(permission);
  const run = await runs.ended(run_id);
  assert.deepEqual([run.state, run.error], ['done', null], run.summary ?? '');
  const link = (await posted()).filter((id) => !before.includes(id));
  assert.equal(link.length, 1);
  assert.match(run.summary ?? '', new RegExp(`view=board&post=${link[0]}`));
  assert.equal((await saidToBob()) - said, 1);
  assert.equal(run.usage.steps, 4);
  const kinds = (await runs.events(run_id)).map(({ event }) => event);
  for (const kind of ['model_answered', 'call_settled', 'permission_asked', 'permission_answered', 'settled'] as const)
    assert.ok(kinds.includes(kind), `${kind} in ${kinds.join(' ')}`);
});

test('an agent that is killed at any moment says and posts nothing twice', async (context) => {
  for (let kill = 0; kill < KILLS; kill += 1) {
    const [said, before] = [await saidToBob(), await posted()];
    const child = await residents.start('ada');
    const { run_id } = await runs.give('ada', ERRAND);
    const killedAfterMs = 100 + kill * KILL_STEP_MS;
    await sleep(killedAfterMs);
    await residents.kill(child);
    await runs.play.admin.rebootAgent({ agent_id: 'ada' });
    // Every second time the volume is lost too.
    await residents.start('ada', kill % 2 === 1 ? `moved-${kill}` : undefined);
    await allow(await runs.asked(run_id));
    const run = await runs.ended(run_id);
    context.diagnostic(
      `killed after ${killedAfterMs} ms: ${run.state}, attempt ${run.attempt}, ${run.usage.steps} steps`,
    );
    assert.deepEqual([run.state, run.error], ['done', null], run.summary ?? '');
    assert.equal((await saidToBob()) - said, 1, `she asked Bob once; calls: ${await callsOf(run_id)}`);
    assert.equal((await posted()).length - before.length, 1, 'she posted once');
    await residents.killAll();
    await runs.play.admin.rebootAgent({ agent_id: 'ada' });
  }
});
