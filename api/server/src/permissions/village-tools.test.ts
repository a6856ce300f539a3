/** Every tool that the API performs takes effect once and is audited with run and call; its rules also apply to direct requests. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actAsAgent, createPost, VILLAGE_TOOL_NAMES, VILLAGE_TOOLS } from '@hamlet/contract';
import { readAudit } from '@hamlet/store';
import { codeOf, dataOf, refuses } from '@hamlet/test/env/client';
import { PermissionPlay, resultOf, type Working, startPermits } from './testing/permission-play.ts';
import { wayOf } from './village-calls.ts';
import { assertBooks } from '../money/testing/purse-play.ts';

const HOUR_MS = 3_600_000;
const STRICT_RULES = JSON.stringify([
  { tools: ['read', 'speak', 'act', 'publish', 'spend'], verdict: 'allow' },
  { tools: ['publish'], when: 'turn', verdict: 'deny', reason: 'Post in runs only' },
  { tools: ['pick_up'], when: 'turn', verdict: 'ask' },
  { tools: ['spend'], when: 'run', verdict: 'ask', reason: 'A person decides on spending in a run' },
]);

const { village, permits } = await startPermits({ villageSpeed: 20 });
const db = village.openDb();
const strict = permits.at((await village.startReplica({ HAMLET_TOOL_RULES: STRICT_RULES })).peopleUrl);
for (const agent_id of ['ada', 'bob', 'cleo'] as const)
  await permits.play.admin.rewardAgent({ agent_id, amount: 50, reason: 'to spend' });

/** Performs a call twice: the second time nothing happens. Returns the data of its outcome. */
async function twice(
  working: Working,
  call: Parameters<PermissionPlay['perform']>[1],
): Promise<Readonly<Record<string, unknown>>> {
  const first = dataOf(await permits.perform(working, call));
  const second = dataOf(await permits.perform(working, call));
  assert.deepEqual([first.outcome.kind, first.replayed], ['ok', false], first.outcome.text);
  assert.deepEqual([second.outcome, second.replayed], [first.outcome, true]);
  return first.outcome.data ?? {};
}

async function actsOf(object: string, { runId }: Working, callId: string): Promise<readonly string[]> {
  const acts = await readAudit(db, object, 1_000);
  return acts
    .filter(({ detail }) => {
      const { run_id, call_id } = detail as { readonly run_id?: string; readonly call_id?: string };
      return run_id === runId && call_id === callId;
    })
    .map(({ action }) => action);
}

test('the table has a way for every tool that the API performs, and for no other', () => {
  for (const name of VILLAGE_TOOL_NAMES) {
    const { runs, ...tool } = VILLAGE_TOOLS[name];
    assert.equal(wayOf(name) !== null, runs === 'village' && !('asks' in tool) && !('begins' in tool), name);
  }
});

test('post, reply and close act once each, with link, audit and a witnessed event of the run', async () => {
  const working = await permits.startRun('ada');
  const args = { title: 'Who bakes?', body: 'I need bread.', tags: ['question'] };
  const { post_id, link } = await twice(working, { tool: 'post_to_board', callId: '1.0', args });
  assert.equal(link, `/?view=board&post=${String(post_id)}`);
  await twice(working, { tool: 'reply_on_board', callId: '1.1', args: { post_id, body: 'Still looking.' } });
  await twice(working, { tool: 'close_post', callId: '1.2', args: { post_id, as: 'resolved' } });
  const { post, replies } = await permits.play.admin.getPost({ post_id: String(post_id) });
  assert.deepEqual([post.author_id, post.status, replies.length], ['ada', 'resolved', 1]);
  assert.deepEqual(await actsOf(String(post_id), working, '1.0'), ['board.post']);
  assert.deepEqual(await actsOf('ada', working, '1.0'), ['run.call']);
  const { events } = await permits.play.admin.listRunEvents({ run_id: working.runId });
  const settled = events.filter(({ event }) => event === 'call_settled');
  assert.deepEqual(
    settled.map(({ witnessed, detail }) => [witnessed, detail['call_id' as never], detail['outcome' as never]]),
    [
      [true, '1.0', 'ok'],
      [true, '1.1', 'ok'],
      [true, '1.2', 'ok'],
    ],
  );
});

test('say, pick up, give and use make one event of the world each, stored together with its audit', async () => {
  const working = await permits.startRun('bob');
  const text = 'The bread is ready, said once.';
  await twice(working, { tool: 'say', callId: '1.0', args: { text } });
  const talks = await db.selectFrom('world_event').select('event').where('kind', '=', 'talk').execute();
  assert.equal(talks.filter(({ event }) => JSON.stringify(event).includes(text)).length, 1);
  assert.deepEqual((await actsOf('bob', working, '1.0')).toSorted(), ['act.talk', 'run.call']);
  const item_id = await permits.play.fetchItem('bob');
  await twice(working, { tool: 'give', callId: '2.0', args: { item_id } });
  await twice(working, { tool: 'pick_up', callId: '2.1', args: { item_id } });
  const again = await permits.perform(working, { tool: 'pick_up', callId: '2.2', args: { item_id } });
  assert.match(resultOf(again), /^failed /);
  assert.equal(
    resultOf(await permits.perform(working, { tool: 'use_place', callId: '3.0', args: { target: 'nowhere' } })),
    'failed nothing_to_use',
  );
});

test('buy and bid are asked, allowed and paid once; the books agree', async () => {
  const working = await permits.startRun('cleo');
  const item = { kind: 'quota', limit: 'tokens_per_hour', amount: 10_000 };
  const buy = { tool: 'buy', callId: '1.0', args: { item, seconds: 3_600, max_price: '1' } };
  assert.equal(resultOf(await permits.perform(working, buy)), 'permission_needed');
  await permits.allow(working, buy);
  const balance = async () => Number((await permits.play.admin.getBalance({ agent_id: 'cleo' })).available);
  const before = await balance();
  const { price } = await twice(working, buy);
  assert.ok(Math.abs(before - (await balance()) - Number(price)) < 1e-6);
  const startsMs = Date.now() + HOUR_MS;
  const { auction_id } = await permits.play.admin.openAuction({
    lane: 'gpu-0',
    starts_at: new Date(startsMs).toISOString(),
    ends_at: new Date(startsMs + HOUR_MS).toISOString(),
    closes_at: new Date(startsMs - 60_000).toISOString(),
    reserve: '2',
  });
  const bid = { tool: 'bid', callId: '1.1', args: { auction_id, amount: 3 } };
  await permits.allow(working, bid);
  await twice(working, bid);
  assert.ok(Math.abs(before - (await balance()) - Number(price) - 3) < 1e-6);
  await assertBooks(db);
  assert.deepEqual((await actsOf('cleo', working, '1.0')).toSorted(), [
    'permission.allow',
    'permission.ask',
    'purchase.buy',
    'run.call',
  ]);
});

test('wrong arguments and refusals are outcomes of a call; a temporary refusal leaves the permission unused', async () => {
  const working = await permits.startRun('ada');
  const result = async (tool: string, callId: string, args: unknown) =>
    resultOf(await permits.perform(working, { tool, callId, args }));
  assert.equal(await result('say', '1.0', { text: '' }), 'failed invalid_input');
  assert.equal(await result('say', '1.1', 'not JSON'), 'failed invalid_input');
  assert.equal(await result('say', '1.2', `${'['.repeat(40)}${']'.repeat(40)}`), 'failed invalid_input');
  const post_id = crypto.randomUUID();
  assert.equal(await result('reply_on_board', '1.3', { post_id, body: 'x' }), 'failed no_such_post');
  assert.equal(await result('buy', '1.4', { item: { kind: 'priority' }, seconds: 60 }), 'permission_needed');
});

test('without a cluster a proposed Schedule fails with the reason, and its call has ended', async () => {
  const working = await permits.startRun('ada');
  const args = { prompt: 'Water the garden.', every: '6h', reason: 'It is dry.' };
  const call = { tool: 'propose_schedule', callId: '1.0', args };
  await permits.allow(working, call);
  assert.equal(resultOf(await permits.perform(working, call)), 'failed cluster_needed');
  assert.equal(dataOf(await permits.perform(working, call)).replayed, true);
});

test('a direct request is refused if a rule forbids it or requires a person; others work', async () => {
  const dan = strict.play.as('dan');
  const post = { body: { title: 'Direct', body: 'Not in a run.' } };
  await refuses(dan.call(createPost, post), 'policy_denied');
  const { post_id } = dataOf(await permits.play.as('dan').call(createPost, post));
  await refuses(dan.replyToPost({ post_id, body: 'No.' }), 'policy_denied');
  await refuses(dan.closePost({ post_id }), 'policy_denied');
  const act = (body: Parameters<typeof dan.call<typeof actAsAgent>>[1]['body']) =>
    codeOf(dan.actAsAgent({ agent_id: 'dan', ...body }));
  assert.equal(await act({ kind: 'pick_up', item_id: 'apple-1' }), 'policy_denied');
  assert.equal(await act({ kind: 'use_board', text: 'A note' }), 'policy_denied');
  assert.equal(await act({ kind: 'emote', emote: 'wave' }), null);
  assert.equal(await act({ kind: 'talk', text: 'Good morning.' }), null);
  assert.equal(await codeOf(dan.moveAgent({ agent_id: 'dan', dx: 0, dy: 0 })), null);
  await strict.play.admin.createPost({ title: 'By an admin', body: 'Rules are for agents.' });
});

test("while an agent works on a run, a direct purchase needs the run's permission too", async () => {
  const item = { kind: 'quota', limit: 'tokens_per_hour', amount: 10_000 } as const;
  const buy = () => codeOf(permits.play.as('bob').buyCompute({ item, seconds: 60 }));
  assert.equal(await buy(), null);
  const working = await permits.startRun('bob');
  assert.equal(await buy(), 'policy_denied');
  dataOf(await permits.end(working));
  assert.equal(await buy(), null);
});
