/** Trees of runs inside sessions, which people cancel and end while the workers act. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Outcome } from '@hamlet/contract';
import { codeOf, dataOf, refusalOf } from '@hamlet/test/env/client';
import { countDeadlocks } from '@hamlet/test/env/superuser';
import { PermissionPlay, type Working } from '../../permissions/testing/permission-play.ts';
import { SessionPlay } from '../../testing/play/session-play.ts';
import { testVillage, type AgentId } from '../../testing/test-village.ts';

const RULES = JSON.stringify([
  { tools: ['read', 'speak', 'delegate', 'publish'], verdict: 'allow' },
  { tools: ['reply_on_board'], when: 'run', verdict: 'ask', reason: 'a person reads it first' },
]);

const village = await testVillage();
await village.liftRequestLimits();
const { peopleUrl } = await village.startReplica({ HAMLET_TOOL_RULES: RULES });
const permits = new PermissionPlay(peopleUrl);
const talk = new SessionPlay(peopleUrl);
const { admin } = talk.play;
await talk.play.everybody();

async function delegate(parent: Working, callId: string, args: object = {}): Promise<string> {
  const all = { role: 'helper', prompt: 'Help.', ...args };
  const { outcome } = dataOf(await permits.perform(parent, { tool: 'delegate', callId, args: all }));
  return (outcome.data as { readonly run_id: string }).run_id;
}

/** A run of a message, its worker, and that worker's own worker, all started. */
async function grow(agentId: AgentId) {
  const { session_id } = await talk.open(admin, agentId);
  const { run } = dataOf(await talk.say(admin, session_id, 'Work with helpers.'));
  const root = await permits.start(agentId, run);
  const worker = await permits.start(agentId, { run_id: await delegate(root, '1.0') });
  const grandchild = await permits.start(agentId, { run_id: await delegate(worker, '1.0') });
  return { session_id, root, worker, runs: [root, worker, grandchild] };
}

const step = ({ agentId, runId, cycle, attempt }: Working, number: number) =>
  permits.play.as(agentId).raw.recordRunStep({
    run_id: runId,
    cycle,
    attempt,
    step: number,
    outcome: 'done',
    text: 'x',
  } as never);

const end = ({ agentId, runId, cycle, attempt }: Working) =>
  permits.play.as(agentId).raw.settleRun({ run_id: runId, cycle, attempt, state: 'cancelled', summary: 'Cancelled.' });

test('the end of a session cancels its runs with all their workers, waiting and working ones', async () => {
  const { session_id, root, worker, runs } = await grow('ada');
  const waiting = await delegate(worker, '2.0');
  assert.equal(refusalOf(await admin.raw.endSession({ session_id })), null);
  assert.equal((await talk.session(admin, session_id)).state, 'terminated');
  assert.equal((await talk.get(waiting)).state, 'cancelled');
  const isCancelling = await Promise.all(
    runs.map(async ({ runId }) => (await talk.get(runId)).cancel_requested_at !== null),
  );
  assert.deepEqual(isCancelling, [true, true, true]);
  for (const each of runs) dataOf(await end(each));
  const continued = { agent_id: 'ada', prompt: 'Continue.', continues: root.runId };
  assert.equal(await codeOf(admin.raw.createRun(continued)), 'validation_failed', 'its words stay in the conversation');
});

test('people cancel a tree while its runs store steps and end: no request fails internally', async () => {
  const codes: (string | null)[] = [];
  const note = async (sent: Promise<Outcome<unknown>>): Promise<void> => void codes.push(await codeOf(sent));
  for (let tree = 0; tree < 4; tree += 1) {
    const { session_id, root, runs } = await grow('bob');
    await Promise.all([
      ...runs.flatMap((each) => [note(step(each, 0)), note(step(each, 1))]),
      note(admin.raw.cancelRun({ run_id: root.runId })),
    ]);
    await Promise.all([...runs.map((each) => note(end(each))), note(admin.raw.endSession({ session_id }))]);
  }
  const failed = codes.filter((code) => code !== null && code !== 'run_settled');
  assert.deepEqual([failed, await countDeadlocks(village.postgres)], [[], 0]);
});

test('a person allows a call of a worker that has a list of tools', async () => {
  const { post_id } = await admin.createPost({ title: 'Bread', body: 'Who bakes?' });
  const { root } = await grow('cleo');
  for (const [at, tools] of [undefined, ['read', 'publish']].entries()) {
    const run_id = await delegate(root, `3.${at}`, tools === undefined ? {} : { tools });
    const worker = await permits.start('cleo', { run_id });
    const call = { tool: 'reply_on_board', callId: '1.0', args: { post_id, body: 'Me.' } };
    await permits.allow(worker, call);
    const { outcome } = dataOf(await permits.perform(worker, call));
    assert.equal(outcome.kind, 'ok', String(tools));
    dataOf(await permits.end(worker));
  }
});
