/** GET /me/needs: everything that waits for a person, for those who may settle it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Need, NeedKind } from '@hamlet/contract';
import { dataOf, type TestClient } from '@hamlet/test/env/client';
import { PermissionPlay } from '../permissions/testing/permission-play.ts';
import { firstAdmin } from '../testing/play/people-play.ts';
import { clientOf, startPlay, TOKENS } from '../testing/test-village.ts';

const { play, village } = await startPlay();
const permits = new PermissionPlay(play.url);
const { admin } = permits.play;
const member = clientOf(play.url, TOKENS.member);
const db = village.openDb();

const needsOf = async (client: TestClient): Promise<readonly Need[]> => (await client.listMyNeeds()).needs;
const ofKind = async (client: TestClient, kind: NeedKind) =>
  (await needsOf(client)).filter((need) => need.kind === kind);
const setRun = (runId: string, values: object) =>
  db.updateTable('run').set(values).where('run_id', '=', runId).execute();

await permits.play.everybody();

test('a result waits for the person who offered money, and for no admin, until it is accepted', async () => {
  const { run } = await member.createRun({ agent_id: 'bob', prompt: 'Bake bread', offer: { amount: '0.5' } });
  const { cycle, attempt } = await permits.start('bob', run);
  const end = { state: 'done', summary: 'Baked.', answer: 'Baked.' } as const;
  await permits.play.as('bob').settleRun({ run_id: run.run_id, cycle, attempt, ...end });
  const [need, ...others] = await needsOf(member);
  assert.deepEqual(
    { ...need, since: '' },
    {
      kind: 'result',
      id: run.run_id,
      agent_id: 'bob',
      since: '',
      line: 'finished a task for which you offered 0.5 ai$',
      link: `/?view=runs&run=${run.run_id}`,
      remedy: { route: 'acceptOffer', label: 'Accept and pay 0.5 ai$' },
    },
  );
  assert.deepEqual([others, await ofKind(admin, 'result')], [[], []]);
  assert.deepEqual(await member.countWaitingWork(), { permissions: 0, questions: 0, results: 1 });
  await member.acceptOffer({ run_id: run.run_id });
  assert.deepEqual(await needsOf(member), []);
});

test('requests come first, even if they are the newest, and a member sees only those of their own runs', async () => {
  const { post } = await admin.createPost({ title: 'Rude', body: 'words' });
  await member.flagPost({ post_id: post.post_id, reason: 'spam' });
  const working = await permits.startRun('dan');
  const question = { tool: 'ask_human', callId: '1.0', args: { question: 'Which colour?' } };
  const { permission } = dataOf(await permits.ask(working, question, { why: 'question' }));
  assert.deepEqual(
    (await needsOf(admin)).map(({ kind, id, agent_id, remedy }) => ({ kind, id, agent_id, remedy })),
    [
      { kind: 'question', id: permission.permission_id, agent_id: 'dan', remedy: null },
      { kind: 'moderation', id: post.post_id, agent_id: null, remedy: null },
    ],
  );
  assert.deepEqual(await needsOf(member), []);
  const listed = async (client: TestClient) =>
    (await client.listPermissions({ permission_id: permission.permission_id })).permissions.length;
  assert.deepEqual([await listed(admin), await listed(member)], [1, 0], 'a card reads its request alone');
});

test('a run near a limit waits for more, and stops waiting when its limits are raised', async () => {
  const working = await permits.startRun('ada', member);
  assert.deepEqual(await needsOf(member), []);
  const { budgets } = (await member.getRun({ run_id: working.runId })).run;
  assert.ok(budgets !== null);
  await setRun(working.runId, { tokens: Math.ceil(budgets.tokens * 0.85) });
  const [need] = await needsOf(member);
  assert.deepEqual([need?.kind, need?.line], ['budget', 'has used 85 % of the tokens of a task']);
  assert.deepEqual(need?.remedy, { route: 'raiseRun', label: 'Add tokens' });
  await member.raiseRun({ run_id: working.runId, budgets: 'refill' });
  assert.deepEqual(await needsOf(member), []);
});

test('a run that waits for its model is listed if a person can help, with the page on which they can', async () => {
  const { run } = await member.createRun({ agent_id: 'bob', prompt: 'Bake bread' });
  const park = (code: string) =>
    setRun(run.run_id, { parked_until: new Date(Date.now() + 3_600_000), parked_code: code });
  const seen = async (client: TestClient) => (await ofKind(client, 'parked')).map(({ line, link }) => [line, link]);
  await park('overloaded');
  assert.deepEqual(await seen(admin), [], 'an overloaded provider recovers');
  await park('token_quota_exhausted');
  const line = 'cannot continue a task: its tokens for now are used up';
  assert.deepEqual(await seen(member), [[line, '/?agent=bob&tab=money']]);
  assert.deepEqual(await seen(admin), [[line, '/?view=market']]);
  await park('auth');
  assert.deepEqual(await seen(admin), [['cannot continue a task: the provider refuses the key', '/?view=models']]);
  await setRun(run.run_id, { parked_until: null, parked_code: null });
  await member.cancelRun({ run_id: run.run_id });
});

/** A run of the member that failed so. */
async function failed(agentId: 'cleo' | 'fay', code: string): Promise<string> {
  const { runId, cycle, attempt } = await permits.startRun(agentId, member);
  const end = { state: 'failed', summary: 'Stopped.', error: { code, message: 'Stopped.' } } as const;
  await permits.play.as(agentId).settleRun({ run_id: runId, cycle, attempt, ...end });
  return runId;
}

test('a run that stopped in a loop waits until another run of the agent follows; at a limit, one click continues it', async () => {
  const looped = await failed('cleo', 'tests_keep_failing');
  const [loop] = await ofKind(member, 'stopped');
  assert.deepEqual([loop?.id, loop?.remedy], [looped, null]);
  assert.match(loop?.line ?? '', /^stopped a task at a loop: the same tests failed/);
  const limited = await failed('cleo', 'budget_steps');
  const [limit, ...others] = await ofKind(member, 'stopped');
  assert.deepEqual([limit?.id, limit?.remedy], [limited, { route: 'createRun', label: 'Continue' }]);
  assert.deepEqual(others, []);
  const { run } = await member.createRun({ agent_id: 'cleo', prompt: 'Continue this task.', continues: limited });
  assert.deepEqual(await ofKind(member, 'stopped'), []);
  await member.cancelRun({ run_id: run.run_id });
});

test('an agent whose last three runs failed waits for an admin', async () => {
  await failed('fay', 'model_auth');
  await failed('fay', 'run_did_nothing');
  assert.deepEqual(await ofKind(admin, 'failing'), []);
  await failed('fay', 'model_auth');
  const [need] = await ofKind(admin, 'failing');
  assert.deepEqual(
    [need?.id, need?.line, need?.link],
    ['fay', 'failed its last three tasks', '/?view=runs&who=fay&state=failed'],
  );
  assert.deepEqual(await ofKind(member, 'failing'), []);
});

test('a key shows only what its scopes open', async () => {
  const kinds = (await needsOf(admin)).map(({ kind }) => kind);
  assert.ok(kinds.includes('question') && kinds.includes('moderation') && kinds.includes('failing'));
  const grace = await firstAdmin(play.url);
  const { token } = await grace.client.createMyKey({ name: 'reader', scopes: ['read'], days: 1 });
  const read = (await needsOf(clientOf(play.url, token))).map(({ kind }) => kind);
  assert.deepEqual(
    read,
    kinds.filter((kind) => kind === 'question'),
  );
});
