/** Posts that a run writes: deliverables for the readers of the post, and links to pages that the run opened. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { beginCall, endCall, keepArtifact, type OpenedPage } from '@hamlet/contract';
import { dataOf, refuses } from '@hamlet/test/env/client';
import { PermissionPlay, resultOf, type Working } from '../permissions/testing/permission-play.ts';
import { firstAdmin, invite } from '../testing/play/people-play.ts';
import { type AgentId, startPlay } from '../testing/test-village.ts';

const { play } = await startPlay();
const permits = new PermissionPlay(play.url);
const grace = await firstAdmin(play.url);
const mia = await invite(grace, play.url, { name: 'Mia', role: 'member' });
const noah = await invite(grace, play.url, { name: 'Noah', role: 'member' });
const { visitor } = play;
const OPENED: OpenedPage = { url: 'https://bakery.example/rye', title: 'Rye', at: '2026-11-25T10:00:00Z' };
const PATCH = new Uint8Array(Buffer.from('diff --git a/x b/x\n'));

/** A run with a call that opened a page and delivered a patch. Returns the id of the patch. */
async function deliver(working: Working): Promise<string> {
  const { agentId, runId, cycle, attempt } = working;
  const client = play.as(agentId);
  const call = { params: { run_id: runId, call_id: '1.0' } };
  const body = { cycle, attempt, tool: 'read_file', arguments: '{"path":"a"}', boot: 'b1' };
  dataOf(await client.call(beginCall, { ...call, body }));
  const kept = await client.call(keepArtifact, {
    params: { ...call.params, sha256: createHash('sha256').update(PATCH).digest('hex') },
    query: { cycle, attempt, name: 'fix.patch', media_type: 'text/x-diff', deliverable: 'patch' },
    body: PATCH,
  });
  const end = { outcome: { kind: 'ok' as const, text: 'Done.' }, report: { opened: [OPENED] } };
  dataOf(await client.call(endCall, { ...call, body: { cycle, attempt, ...end } }));
  return dataOf(kept).artifact.artifact_id;
}

const startRun = (agentId: AgentId): Promise<Working> => permits.startRun(agentId, mia.client);
const post = (args: object) => ({ tool: 'post_to_board', callId: '2.0', args: { title: 'The fix', ...args } });

async function posted(working: Working, args: object): Promise<string> {
  const answer = dataOf(await permits.perform(working, post(args)));
  assert.equal(answer.outcome.kind, 'ok', JSON.stringify(answer));
  return String(answer.outcome.data?.['post_id']);
}

test('a post publishes a deliverable to its readers even if they may not read the run; deleting the post ends that', async () => {
  const working = await startRun('ada');
  const artifact_id = await deliver(working);
  const post_id = await posted(working, { body: 'Here it is.', deliverables: [artifact_id] });
  const params = { post_id, artifact_id };
  const shown = (await visitor.getPost({ post_id })).post;
  assert.deepEqual(
    shown.deliverables?.map(({ name, deliverable, bytes }) => [name, deliverable, bytes]),
    [['fix.patch', 'patch', PATCH.length]],
  );
  const content = await visitor.raw.getPostDeliverable(params);
  assert.deepEqual(Buffer.from(dataOf(content)), Buffer.from(PATCH));
  assert.equal(content.response.headers.get('content-security-policy'), "sandbox; default-src 'none'");
  assert.match(content.response.headers.get('content-disposition') ?? '', /^attachment; filename="fix\.patch"/);
  const direct = noah.client.raw.getArtifactContent({ artifact_id });
  await refuses(direct, 'no_such_artifact', 'the run stays closed');
  await mia.client.forgetArtifact({ artifact_id });
  await refuses(visitor.getPostDeliverable(params), 'no_such_artifact');
});

test('the audience of a post decides who reads its deliverable; a post without the deliverable gives no access', async () => {
  const working = await startRun('bob');
  const artifact_id = await deliver(working);
  const post_id = await posted(working, { body: 'For one.', audience: 'agent:cleo', deliverables: [artifact_id] });
  const open = (client: typeof visitor, id = post_id) => client.raw.getPostDeliverable({ post_id: id, artifact_id });
  for (const client of [visitor, noah.client, play.as('dan')]) await refuses(open(client), 'no_such_post');
  assert.ok((await open(play.as('cleo'))).ok);
  const other = (await play.as('bob').createPost({ title: 'Another', body: 'No deliverable.' })).post_id;
  await refuses(open(visitor, other), 'no_such_artifact');
});

test('a run publishes only deliverables of itself, its workers or its session; requests without a run publish none', async () => {
  const first = await startRun('cleo');
  const artifact_id = await deliver(first);
  const body = { title: 'Mine', body: 'Look.', deliverables: [artifact_id] };
  for (const client of [play.as('cleo'), play.as('dan'), mia.client])
    await refuses(client.createPost(body), 'no_such_artifact');
  await permits.end(first);
  const second = await startRun('cleo');
  const answer = await permits.perform(second, post({ body: 'Look.', deliverables: [artifact_id] }));
  assert.match(resultOf(answer), /no_such_artifact/);
});

test('posts and replies of a run list exactly the pages that it opened and links to', async () => {
  const working = await startRun('dan');
  await deliver(working);
  const text = `From ${OPENED.url}#price, not from https://never.example/opened.`;
  const post_id = await posted(working, { body: text });
  const reply = { tool: 'reply_on_board', callId: '3.0', args: { post_id, body: 'See https://never.example/opened' } };
  assert.equal(resultOf(await permits.perform(working, reply)), 'ok');
  const { post: shown, replies } = await visitor.getPost({ post_id });
  assert.deepEqual([shown.sources, replies[0]?.sources], [[OPENED], []]);
  const own = (await mia.client.createPost({ title: 'Hello', body: text })).post;
  assert.equal(own.sources, undefined, 'a post by a person lists no pages');
});
