/** Flags, decisions, undone decisions, and money that names a post, over HTTP on a real Postgres. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { moderatePost, type CallInput, type ModerationItem, type Post } from '@hamlet/contract';
import { FLAGS_HIDE_AT } from '@hamlet/core';
import { readAudit } from '@hamlet/store';
import { type TestClient, refuses } from '@hamlet/test/env/client';
import { pluck } from '@hamlet/test/env/pluck';
import { startPlay } from '../testing/test-village.ts';

const { village, play } = await startPlay();
const { member, visitor } = play;
const owner = village.openDb();

const post = async (as: TestClient) => (await as.createPost({ title: 'Buy my coins', body: 'Cheap.' })).post;

async function reply(as: TestClient, postId: string): Promise<string> {
  return (await as.replyToPost({ post_id: postId, body: 'Cheaper.' })).reply_id;
}

function decide(postId: string, body: CallInput<typeof moderatePost>['body']) {
  return play.admin.moderatePost({ post_id: postId, ...body });
}

function flag(as: TestClient, postId: string, replyId: string | null = null) {
  return as.flagPost({ post_id: postId, reason: 'spam', note: 'again', reply_id: replyId });
}

const queue = async (state: 'waiting' | 'decided') => (await play.admin.listModeration({ state })).items;

async function seenBy(as: TestClient, postId: string): Promise<Post | null> {
  const found = await as.raw.getPost({ post_id: postId });
  return found.ok ? found.data.post : null;
}

test('only its author and admins see a hidden text, with the reason; restoring it shows it as before', async () => {
  const { post_id } = await post(play.as('ada'));
  await play.as('ada').closePost({ post_id });
  const hidden = await decide(post_id, { reason: 'spam', note: 'an advertisement' });
  assert.deepEqual(
    [hidden.post.status, hidden.moderation.decision, hidden.moderation.by, hidden.moderation.undone],
    ['moderated', 'hide', { type: 'human', id: 'key admin', name: 'admin' }, false],
  );
  for (const who of [visitor, member, play.as('bob')]) {
    assert.equal(await seenBy(who, post_id), null);
    assert.deepEqual((await who.listPosts({ q: 'coins' })).posts, []);
  }
  const { moderation } = (await seenBy(play.as('ada'), post_id)) ?? {};
  assert.deepEqual([moderation?.reason, moderation?.note, moderation?.by], ['spam', 'an advertisement', 'admin']);
  assert.equal((await seenBy(play.admin, post_id))?.status, 'moderated');
  await refuses(play.as('ada').revisePost({ post_id, revision: 1, body: 'x' }), 'post_moderated');
  await refuses(play.as('ada').replyToPost({ post_id, body: 'x' }), 'post_moderated');
  await refuses(play.as('ada').closePost({ post_id }), 'post_moderated');
  await refuses(decide(post_id, { reason: 'spam' }), 'nothing_to_decide');
  const restored = await decide(post_id, { decision: 'restore', reason: 'other', note: 'it was a joke' });
  assert.deepEqual([restored.post.status, restored.post.moderation], ['closed', null]);
  assert.equal((await seenBy(visitor, post_id))?.status, 'closed');
  await refuses(decide(post_id, { decision: 'restore', reason: 'other' }), 'nothing_to_decide');
  await refuses(decide(post_id, { decision: 'keep', reason: 'other' }), 'nothing_to_decide');
  await refuses(decide(randomUUID(), { reason: 'spam' }), 'no_such_post');
});

test('an admin undoes a decision, then the previous one', async () => {
  const { post_id } = await post(play.as('ada'));
  await refuses(decide(post_id, { decision: 'undo', reason: 'other' }), 'nothing_to_decide');
  await decide(post_id, { reason: 'abuse' });
  await decide(post_id, { decision: 'restore', reason: 'other' });
  const again = await decide(post_id, { decision: 'undo', reason: 'other' });
  assert.deepEqual([again.post.status, again.post.moderation?.reason], ['moderated', 'abuse']);
  assert.equal((await decide(post_id, { decision: 'undo', reason: 'other' })).post.status, 'open');
  await refuses(decide(post_id, { decision: 'undo', reason: 'other' }), 'nothing_to_decide');
  const line = (await queue('decided')).find((item) => item.post.post_id === post_id);
  assert.deepEqual(pluck(line?.decisions ?? [], 'decision', 'undone'), [
    ['undo', false],
    ['undo', false],
    ['restore', true],
    ['hide', true],
  ]);
  const audited = (await readAudit(owner, post_id, 10)).map(({ action }) => action);
  assert.deepEqual(audited, ['board.undo', 'board.undo', 'board.restore', 'board.hide', 'board.post']);
});

test('a reply can be hidden on its own, and then it does not count', async () => {
  const { post_id } = await post(play.as('ada'));
  const reply_id = await reply(play.as('bob'), post_id);
  await reply(member, post_id);
  await decide(post_id, { reason: 'spam', reply_id });
  const shown = await visitor.getPost({ post_id });
  assert.deepEqual([shown.post.replies, shown.replies.map(({ author_id }) => author_id)], [1, ['key member']]);
  assert.equal((await play.as('bob').getPost({ post_id })).replies[0]?.status, 'moderated');
  await refuses(play.as('bob').reviseReply({ post_id, reply_id, revision: 1, body: 'x' }), 'post_moderated');
  await decide(post_id, { decision: 'undo', reason: 'other', reply_id });
  assert.equal((await seenBy(visitor, post_id))?.replies, 2);
});

test('flags of enough weight hide a text until an admin decides; the decision changes the weight of the flaggers', async () => {
  const { post_id } = await post(play.as('bob'));
  await refuses(flag(play.as('bob'), post_id), 'own_post');
  await refuses(flag(member, randomUUID()), 'no_such_post');
  assert.equal((await flag(member, post_id)).hidden, false);
  await refuses(flag(member, post_id), 'already_flagged');
  assert.equal(
    (await flag(play.as('ada'), post_id)).hidden,
    false,
    "ada has a tier: her flag weighs as much as a person's",
  );
  assert.equal((await flag(play.as('cleo'), post_id)).hidden, false, 'a newcomer has no weight');
  const [line] = (await queue('waiting')).filter((item) => item.post.post_id === post_id);
  assert.deepEqual(
    [line?.weight, line?.flags.map(({ by, weight }) => [by.id, weight])],
    [
      4,
      [
        ['cleo', 0],
        ['ada', 2],
        ['key member', 2],
      ],
    ],
  );
  assert.equal((await seenBy(play.admin, post_id))?.flags, 4);
  assert.equal((await seenBy(visitor, post_id))?.flags, undefined);
  assert.equal((await flag(play.admin, post_id)).hidden, true);
  const hidden = await seenBy(play.as('bob'), post_id);
  assert.deepEqual(
    [hidden?.status, hidden?.moderation?.by, hidden?.moderation?.reason],
    ['moderated', 'flags', 'spam'],
  );
  assert.equal(await seenBy(visitor, post_id), null);
  await refuses(flag(play.as('dan'), post_id), 'no_such_post');
  // Restoring a text dismisses its flags. Undoing that decision reopens the flags and hides the text.
  assert.equal((await decide(post_id, { decision: 'restore', reason: 'other' })).post.status, 'open');
  assert.equal(
    (await queue('waiting')).some((item) => item.post.post_id === post_id),
    false,
  );
  const undone = (await decide(post_id, { decision: 'undo', reason: 'other' })).post;
  assert.deepEqual([undone.status, undone.moderation?.by, undone.flags], ['moderated', 'flags', FLAGS_HIDE_AT + 4]);
  assert.equal((await decide(post_id, { reason: 'spam', note: 'confirmed' })).post.moderation?.by, 'admin');
  await refuses(flag(play.admin, post_id), 'post_moderated');
});

test('keeping a text dismisses its flags; an actor whose flags are always dismissed ends up without weight', async () => {
  for (let time = 0; time < 3; time += 1) {
    const { post_id } = await post(play.as('ada'));
    await flag(member, post_id);
    assert.equal((await decide(post_id, { decision: 'keep', reason: 'other', note: 'fine' })).post.flags, 0);
  }
  const { post_id } = await post(play.as('ada'));
  const reply_id = await reply(play.as('bob'), post_id);
  await flag(member, post_id, reply_id);
  const [line] = (await queue('waiting')).filter(({ reply: about }) => about?.reply_id === reply_id);
  assert.deepEqual([line?.weight, line?.flags[0]?.note, line?.waiting_since !== null], [0, 'again', true]);
});

test('the queue is read in pages; a cursor is valid only for its own state', async () => {
  const seen: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page: { items: ModerationItem[]; next_cursor: string | null } = await play.admin.listModeration({
      state: 'decided',
      limit: 2,
      ...(cursor === undefined ? {} : { cursor }),
    });
    seen.push(...page.items.map(({ post: { post_id }, reply: about }) => about?.reply_id ?? post_id));
    if (page.next_cursor !== null)
      await refuses(play.admin.listModeration({ state: 'waiting', cursor: page.next_cursor }), 'cursor_invalid');
    cursor = page.next_cursor;
  }
  assert.deepEqual(
    seen,
    (await queue('decided')).map(({ post: { post_id }, reply: about }) => about?.reply_id ?? post_id),
  );
  assert.ok(seen.length >= 7 && new Set(seen).size === seen.length);
});

test('a reward can name a post or reply in which the agent took part, and is counted there', async () => {
  const { post_id } = await post(member);
  const reply_id = await reply(play.as('cleo'), post_id);
  const give = (agentId: string, related: string, amount = '2.5') =>
    play.admin.rewardAgent({ agent_id: agentId, amount, reason: 'a good answer', related_post_id: related });
  await give('cleo', reply_id);
  await give('cleo', post_id, '1');
  await play.admin.penalizeAgent({ agent_id: 'cleo', amount: '0.5', reason: 'late', related_post_id: reply_id });
  const { post: counted, replies } = await visitor.getPost({ post_id });
  assert.deepEqual([counted.rewarded, replies[0]?.rewarded], ['1', '2']);
  await refuses(give('dan', reply_id), 'not_part_of_post');
  await refuses(give('dan', post_id), 'not_part_of_post');
  await refuses(give('cleo', randomUUID()), 'no_such_post');
  const secret = (await play.as('ada').createPost({ title: 'psst', body: 'x', audience: 'agent:bob' })).post_id;
  await refuses(member.rewardAgent({ agent_id: 'ada', amount: '1', reason: 'x', post_id: secret }), 'no_such_post');
  const idempotencyKey = randomUUID();
  for (let time = 0; time < 2; time += 1) {
    await play.admin.rewardAgent(
      { agent_id: 'cleo', amount: '3', reason: 'once', related_post_id: reply_id },
      { idempotencyKey },
    );
    await owner.deleteFrom('idempotency_key').execute();
  }
  assert.equal((await visitor.getPost({ post_id })).replies[0]?.rewarded, '5', 'a retry after a day is counted once');
});
