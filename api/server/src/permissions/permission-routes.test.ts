/** Permissions over HTTP: asking, answering, expiring, and the run that waits for them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { waitRun, type CallData, type Permission } from '@hamlet/contract';
import { dataOf, refuses } from '@hamlet/test/env/client';
import { eventually } from '../testing/test-village.ts';
import { ASKING_RULES, post, resultOf, type Working, outlast, startPermits } from './testing/permission-play.ts';

const QUESTION = { tool: 'ask_human', callId: '1.0', args: { question: 'Which bread?' } };

const { village, permits } = await startPermits({ rules: ASKING_RULES });
const db = village.openDb();

function wait({ agentId, runId, cycle, attempt }: Working): Promise<CallData<typeof waitRun>> {
  return permits.play.as(agentId).waitRun({ run_id: runId, cycle, attempt });
}

async function permission(permissionId: string): Promise<Permission> {
  const { permissions } = await permits.play.admin.listPermissions({ limit: 100 });
  const found = permissions.find(({ permission_id }) => permission_id === permissionId);
  assert.ok(found);
  return found;
}

async function events({ runId }: Working): Promise<readonly string[]> {
  return (await permits.play.admin.listRunEvents({ run_id: runId })).events.map(({ event }) => event);
}

test("a request shows run, call, canonical arguments and the rule's reason; an equal request returns the same permission", async () => {
  const working = await permits.startRun('ada');
  const call = { tool: 'post_to_board', callId: '3.1', args: { title: 'Bread', body: 'Hot.', tags: ['news'] } };
  const { permission: asked } = dataOf(await permits.ask(working, call));
  assert.deepEqual(
    [asked.run_id, asked.agent_id, asked.call_id, asked.tool, asked.why, asked.state, asked.reason],
    [working.runId, 'ada', '3.1', 'post_to_board', 'policy', 'pending', 'People see it'],
  );
  assert.equal(asked.arguments, '{"body":"Hot.","tags":["news"],"title":"Bread"}');
  assert.equal(Date.parse(asked.expires_at) - Date.parse(asked.asked_at) < 901_000, true);
  const { tags, body, title } = call.args;
  const reordered = { ...call, args: { tags, body, title } };
  assert.deepEqual(dataOf(await permits.ask(working, reordered)).permission, asked);
  await refuses(permits.ask(working, { ...call, args: { title, body } }), 'arguments_differ');
  assert.deepEqual(await events(working), ['queued', 'started', 'permission_asked']);
});

test('arguments must be JSON', async () => {
  const { agentId, runId, cycle, attempt } = await permits.startRun('ada');
  const request = {
    run_id: runId,
    cycle,
    attempt,
    call_id: '1.0',
    request: 'r/1',
    tool: 'say',
    arguments: '{',
    why: 'policy',
  } as const;
  await refuses(permits.play.as(agentId).askPermission(request), 'validation_failed');
});

test('a run waits for its permissions without a lease, and continues after the last answer', async () => {
  const working = await permits.startRun('bob');
  const first = dataOf(await permits.ask(working, post('1.0'))).permission;
  const second = dataOf(await permits.ask(working, post('1.1', 'Second'))).permission;
  assert.equal((await wait(working)).run.state, 'waiting_permission');
  dataOf(await permits.answer(first.permission_id, { answer: 'allow' }));
  assert.equal((await events(working)).at(-1), 'permission_answered');
  dataOf(await permits.answer(second.permission_id, { answer: 'deny', reply: 'Not today' }));
  assert.deepEqual((await events(working)).slice(-2), ['permission_answered', 'queued']);
  const again = await permits.start('bob', { run_id: working.runId });
  assert.equal(again.attempt, working.attempt + 1);
  const { permissions } = await wait(again);
  assert.deepEqual(
    permissions.map(({ state, reply, answered_by }) => [state, reply, answered_by?.role]),
    [
      ['denied', 'Not today', 'admin'],
      ['allowed', null, 'admin'],
    ],
  );
  assert.equal(resultOf(await permits.perform(again, post('1.1', 'Second'))), 'denied person_denied');
  assert.equal(resultOf(await permits.perform(again, post('1.0'))), 'ok');
  assert.equal((await permission(first.permission_id)).state, 'consumed');
});

test('the same answer again changes nothing; a different one is refused', async () => {
  const working = await permits.startRun('cleo');
  const { permission_id: id } = dataOf(await permits.ask(working, post('1.0'))).permission;
  const allowed = dataOf(await permits.answer(id, { answer: 'allow' })).permission;
  assert.deepEqual(dataOf(await permits.answer(id, { answer: 'allow' })).permission, allowed);
  await refuses(permits.answer(id, { answer: 'deny' }), 'permission_answered');
  dataOf(await permits.perform(working, post('1.0')));
  assert.equal(dataOf(await permits.answer(id, { answer: 'allow' })).permission.state, 'consumed');
  await refuses(permits.answer(crypto.randomUUID(), { answer: 'allow' }), 'no_such_permission');
});

test("the rules cannot answer a question: the person's reply is the outcome of the call", async () => {
  const working = await permits.startRun('dan');
  assert.equal(resultOf(await permits.perform(working, QUESTION)), 'permission_needed');
  const { permission: asked } = dataOf(await permits.ask(working, QUESTION, { why: 'question' }));
  assert.deepEqual([asked.why, asked.question], ['question', 'Which bread?']);
  assert.equal(resultOf(await permits.perform(working, QUESTION)), 'permission_pending');
  await refuses(permits.answer(asked.permission_id, { answer: 'allow' }), 'validation_failed');
  await refuses(permits.answer(asked.permission_id, { answer: 'happened' }), 'validation_failed');
  dataOf(await permits.answer(asked.permission_id, { answer: 'allow', reply: 'Rye, please.' }));
  const informed = dataOf(await permits.perform(working, QUESTION));
  assert.deepEqual([informed.outcome.kind, informed.outcome.text, informed.replayed], ['ok', 'Rye, please.', false]);
  const again = dataOf(await permits.perform(working, QUESTION));
  assert.deepEqual([again.outcome, again.replayed], [informed.outcome, true]);
});

test('a person says whether a call with an unknown end happened; that answer permits no new call', async () => {
  const working = await permits.startRun('eve');
  const { permission: asked } = dataOf(await permits.ask(working, post('1.0'), { why: 'unknown' }));
  await refuses(permits.answer(asked.permission_id, { answer: 'allow' }), 'validation_failed');
  assert.equal(dataOf(await permits.answer(asked.permission_id, { answer: 'repeat' })).permission.answer, 'repeat');
  assert.equal(resultOf(await permits.perform(working, post('1.0'))), 'permission_needed');
});

test('a person may also be asked about a call of a tool that only the pod has; what its program still asks for is withdrawn', async () => {
  const working = await permits.startRun('eve');
  const command = { tool: 'command', callId: '1.0', args: { prompt: 'Bake bread.' } };
  await refuses(permits.ask(working, command), 'policy_denied');
  const inner = (callId: string) => permits.ask(working, post(callId));
  const [own, others] = [dataOf(await inner('1.0.t1')), dataOf(await inner('1.1.t1'))];
  const { permission } = dataOf(await permits.ask(working, command, { why: 'unknown' }));
  await refuses(permits.answer(own.permission.permission_id, { answer: 'allow' }), 'permission_stale');
  assert.equal(
    dataOf(await permits.answer(others.permission.permission_id, { answer: 'deny' })).permission.state,
    'denied',
  );
  assert.equal(
    dataOf(await permits.answer(permission.permission_id, { answer: 'happened' })).permission.answer,
    'happened',
  );
  assert.equal(resultOf(await permits.perform(working, command)), 'denied policy_denied');
});

test('a request without an answer expires: the run continues, and the call is denied with its own code', async () => {
  const working = await permits.startRun('fay');
  const { permission_id: id } = dataOf(await permits.ask(working, post('1.0'))).permission;
  assert.equal((await wait(working)).run.state, 'waiting_permission');
  await outlast(village, id);
  const expired = await eventually('the expiry', async () => {
    const row = await db.selectFrom('permission').select('state').where('permission_id', '=', id).executeTakeFirst();
    const run = await db.selectFrom('run').select('state').where('run_id', '=', working.runId).executeTakeFirst();
    return row?.state === 'expired' && run?.state === 'queued';
  });
  assert.ok(expired);
  assert.deepEqual((await events(working)).slice(-2), ['permission_expired', 'queued']);
  await refuses(permits.answer(id, { answer: 'allow' }), 'permission_expired');
  const again = await permits.start('fay', { run_id: working.runId });
  assert.equal(resultOf(await permits.perform(again, post('1.0'))), 'denied permission_expired');
});

test('the end of a run withdraws its open permissions', async () => {
  const working = await permits.startRun('ada');
  const pending = dataOf(await permits.ask(working, post('1.0'))).permission.permission_id;
  const allowed = await permits.allow(working, post('1.1'));
  dataOf(await permits.end(working));
  for (const id of [pending, allowed]) assert.equal((await permission(id)).state, 'withdrawn');
  await refuses(permits.answer(pending, { answer: 'allow' }), 'permission_stale');
  await refuses(permits.ask(working, post('1.2')), 'run_settled');
});

test('after a cancel no call can start, and a waiting run ends at once', async () => {
  const working = await permits.startRun('bob');
  await permits.allow(working, post('1.0'));
  const cancel = (runId: string) => permits.play.admin.cancelRun({ run_id: runId });
  await cancel(working.runId);
  assert.equal(resultOf(await permits.perform(working, post('1.0'))), 'denied run_cancelled');
  const waiting = await permits.startRun('cleo');
  const { permission_id: id } = dataOf(await permits.ask(waiting, post('1.0'))).permission;
  await wait(waiting);
  assert.equal((await cancel(waiting.runId)).run.state, 'cancelled');
  assert.equal((await permission(id)).state, 'withdrawn');
});

test('a member sees the permissions of their own runs, an admin all; pages are newest first', async () => {
  const working = await permits.startRun('dan', permits.member);
  const mine = dataOf(await permits.ask(working, post('1.0'))).permission.permission_id;
  const newer = dataOf(await permits.ask(working, post('1.1'))).permission.permission_id;
  const list = async (client: typeof permits.member, cursor?: string) =>
    await client.listPermissions({ limit: 1, ...(cursor === undefined ? {} : { cursor }) });
  const first = await list(permits.member);
  const second = await list(permits.member, first.next_cursor ?? '');
  assert.deepEqual(
    [first, second].map(({ permissions: [row] }) => row?.permission_id),
    [newer, mine],
  );
  assert.equal(second.next_cursor, null);
  const all = await permits.play.admin.listPermissions({ state: 'pending', run_id: working.runId });
  assert.equal(all.permissions.length, 2);
  await refuses(permits.member.listPermissions({ cursor: 'x' }), 'cursor_invalid');
});
