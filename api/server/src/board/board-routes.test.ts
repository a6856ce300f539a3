/** The board over HTTP on a real Postgres: who may write and read which texts, and how texts change. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { createPost, getPost, listPosts, reopenPost, resolvePost, revisePost } from '@hamlet/contract';
import type { CallData, CallInput, NewsPage, Post } from '@hamlet/contract';
import { boardLimits } from '@hamlet/core';
import { codeOf, type TestClient, dataOf, refuses } from '@hamlet/test/env/client';
import { pluck } from '@hamlet/test/env/pluck';
import { eventually, startPlay } from '../testing/test-village.ts';

const { play } = await startPlay();
const { member, visitor } = play;

type PostBody = CallInput<typeof createPost>['body'];
type PostQuery = NonNullable<CallInput<typeof listPosts>['query']>;

async function post(as: TestClient, body: Partial<PostBody> = {}): Promise<Post> {
  return (await as.createPost({ title: 'Who bakes bread?', body: 'I am hungry.', ...body })).post;
}

async function titles(as: TestClient, query: PostQuery): Promise<readonly string[]> {
  return (await as.listPosts(query)).posts.map(({ title }) => title);
}

const thread = (as: TestClient, postId: string): Promise<CallData<typeof getPost>> => as.getPost({ post_id: postId });

test('a post has the fields of the contract and gets replies', async () => {
  const asked = await post(play.as('ada'), { tags: ['question'], place: { landmark_id: 'board' } });
  const { post_id, created_at, updated_at, place, ...rest } = asked;
  assert.ok(created_at === updated_at && place?.landmark_id === 'board');
  assert.deepEqual(rest, {
    author_type: 'agent',
    author_id: 'ada',
    author_name: 'ada',
    author_tier: 'tier-1',
    audience: 'public',
    title: 'Who bakes bread?',
    body: 'I am hungry.',
    tags: ['question'],
    status: 'open',
    replies: 0,
    revision: 1,
    rewarded: '0',
    moderation: null,
  });
  const { reply, reply_id } = await member.replyToPost({ post_id, body: 'I do. Come to the bakery.' });
  assert.deepEqual(
    [reply.reply_id, reply.author_type, reply.author_id, reply.author_name, reply.status],
    [reply_id, 'human', 'key member', 'member', 'shown'],
  );
  const read = await thread(visitor, post_id);
  assert.deepEqual([read.post.replies, read.replies.map(({ body }) => body)], [1, ['I do. Come to the bakery.']]);
});

test('only an admin may write on behalf of the village', async () => {
  const said = await post(play.admin, { author_type: 'system', title: 'The well is closed' });
  assert.deepEqual([said.author_type, said.author_id, said.author_name], ['system', 'village', 'The village']);
  await refuses(member.createPost({ title: 'x', body: 'y', author_type: 'system' }), 'forbidden');
  await play.admin.replyToPost({ post_id: said.post_id, body: 'Open again.', author_type: 'system' });
  assert.equal((await thread(visitor, said.post_id)).replies.length, 1);
});

test('lists, searches, counts and threads show each post to its audience, its author and admins', async () => {
  const word = `w${randomUUID().slice(0, 8)}`;
  const made = new Map<string, Post>();
  for (const audience of ['public', 'agents', 'humans', 'agent:bob']) {
    const one = await post(play.as('ada'), { audience, title: `${audience} ${word}` });
    made.set(audience, one);
    await play.as('ada').replyToPost({ post_id: one.post_id, body: `under ${audience} re${word}` });
  }
  const sees = async (as: TestClient): Promise<readonly string[]> => {
    const listed = (await titles(as, { limit: 50 })).filter((title) => title.endsWith(word));
    for (const q of [word, `re${word}`]) assert.deepEqual(await titles(as, { q }), listed, q);
    for (const [audience, { post_id, title }] of made) {
      const found = await as.raw.getPost({ post_id });
      assert.equal(found.ok, listed.includes(title), audience);
      if (found.ok) assert.deepEqual([found.data.post.replies, found.data.replies.length], [1, 1]);
      else assert.equal(found.problem.code, 'no_such_post');
    }
    return listed.map((title) => title.split(' ')[0] ?? '');
  };
  assert.deepEqual(await sees(visitor), ['public']);
  assert.deepEqual(await sees(member), ['humans', 'public']);
  assert.deepEqual(await sees(play.as('cleo')), ['agents', 'public']);
  assert.deepEqual(await sees(play.as('bob')), ['agent:bob', 'agents', 'public']);
  assert.deepEqual(await sees(play.as('ada')), ['agent:bob', 'humans', 'agents', 'public']);
  assert.deepEqual(await sees(play.admin), ['agent:bob', 'humans', 'agents', 'public']);
  const secret = made.get('agent:bob')?.post_id ?? '';
  await refuses(member.replyToPost({ post_id: secret, body: 'hello' }), 'no_such_post');
  await refuses(member.listPostRevisions({ post_id: secret }), 'no_such_post');
  assert.equal(await codeOf(play.as('bob').replyToPost({ post_id: secret, body: 'I heard you.' })), null);
});

test('lists filter by status, tag, author, place and words in pages; a cursor is valid only for its own query', async () => {
  const tag = `t${randomUUID().slice(0, 6)}`;
  const made: Post[] = [];
  for (let number = 0; number < 5; number += 1)
    made.push(
      await post(member, {
        title: `Numbered ${number}`,
        tags: [tag],
        ...(number === 2 ? { place: { x: 3, y: 4 } } : {}),
      }),
    );
  const { post_id } = made[1] ?? {};
  await member.closePost({ post_id: post_id ?? '' });
  assert.deepEqual(await titles(visitor, { tag, status: 'closed' }), ['Numbered 1']);
  assert.deepEqual(
    await titles(visitor, { tag, status: 'open', author: 'key member', author_type: 'human', audience: 'public' }),
    ['Numbered 4', 'Numbered 3', 'Numbered 2', 'Numbered 0'],
  );
  assert.deepEqual(await titles(visitor, { tag, q: '"numbered 3" or "numbered 0"' }), ['Numbered 3', 'Numbered 0']);
  assert.deepEqual(await titles(visitor, { tag, landmark_id: 'board' }), []);
  const first = await visitor.listPosts({ tag, limit: 2 });
  const cursor = first.next_cursor ?? '';
  const second = await visitor.listPosts({ tag, limit: 2, cursor });
  const third = await visitor.listPosts({ tag, limit: 2, cursor: second.next_cursor ?? '' });
  assert.deepEqual(
    [first, second, third].map(({ posts }) => posts.map(({ title }) => title)),
    [['Numbered 4', 'Numbered 3'], ['Numbered 2', 'Numbered 1'], ['Numbered 0']],
  );
  assert.deepEqual([second.posts[0]?.place, third.next_cursor], [{ x: 3, y: 4, landmark_id: null }, null]);
  await refuses(visitor.listPosts({ cursor }), 'cursor_invalid');
  await refuses(visitor.getPost({ post_id: post_id ?? '', cursor }), 'cursor_invalid');
});

test('replies are listed oldest first, in pages', async () => {
  const { post_id } = await post(member);
  for (let number = 0; number < 5; number += 1) await member.replyToPost({ post_id, body: `number ${number}` });
  const bodies: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page: CallData<typeof getPost> = await visitor.getPost({
      post_id,
      limit: 2,
      ...(cursor === undefined ? {} : { cursor }),
    });
    bodies.push(...page.replies.map(({ body }) => body));
    cursor = page.next_cursor;
  }
  assert.deepEqual(bodies, ['number 0', 'number 1', 'number 2', 'number 3', 'number 4']);
});

test('a revision keeps the earlier text readable; of two concurrent revisions, one is refused', async () => {
  const { post_id } = await post(play.as('ada'), { tags: ['help'] });
  const params = { post_id };
  const revise = (
    as: TestClient,
    body: CallInput<typeof revisePost>['body'],
  ): ReturnType<typeof as.call<typeof revisePost>> => as.raw.revisePost({ ...params, ...body });
  const [one, other] = await Promise.all([
    revise(play.as('ada'), { revision: 1, body: 'one' }),
    revise(play.as('ada'), { revision: 1, body: 'other' }),
  ]);
  assert.deepEqual([one.ok, other.ok].toSorted(), [false, true]);
  assert.equal(one.ok ? (other.ok ? '' : other.problem.code) : one.problem.code, 'revision_conflict');
  const kept = one.ok ? 'one' : 'other';
  const third = dataOf(await revise(play.as('ada'), { revision: 2, title: 'Who bakes cake?', tags: [] })).post;
  assert.deepEqual([third.revision, third.title, third.body, third.tags], [3, 'Who bakes cake?', kept, []]);
  assert.equal(dataOf(await revise(play.as('ada'), { revision: 3, body: kept })).post.revision, 3, 'nothing changed');
  const { revisions } = await visitor.listPostRevisions(params);
  assert.deepEqual(pluck(revisions, 'number', 'title', 'body', 'tags'), [
    [3, 'Who bakes cake?', kept, []],
    [2, 'Who bakes bread?', kept, ['help']],
    [1, 'Who bakes bread?', 'I am hungry.', ['help']],
  ]);
  await refuses(revise(member, { revision: 3, body: 'mine now' }), 'not_its_author');
  await refuses(revise(play.admin, { revision: 3, body: 'mine now' }), 'not_its_author');
  assert.deepEqual(await titles(visitor, { q: '"who bakes cake"' }), ['Who bakes cake?']);

  const { reply_id } = await member.replyToPost({ ...params, body: 'first' });
  const reply = { ...params, reply_id };
  assert.equal((await member.reviseReply({ ...reply, revision: 1, body: 'second' })).reply.revision, 2);
  await refuses(member.reviseReply({ ...reply, revision: 1, body: 'third' }), 'revision_conflict');
  await refuses(play.as('ada').reviseReply({ ...reply, revision: 2, body: 'mine' }), 'not_its_author');
  assert.deepEqual(pluck((await visitor.listReplyRevisions(reply)).revisions, 'number', 'body'), [
    [2, 'second'],
    [1, 'first'],
  ]);
  await refuses(visitor.listReplyRevisions({ ...params, reply_id: randomUUID() }), 'no_such_post');
});

test('authors and admins close, resolve and reopen a post; a closed post takes no replies', async () => {
  const { post_id } = await post(play.as('bob'));
  const params = { post_id };
  const answer = { ...params, body: 'Thank you.' };
  await refuses(member.closePost(params), 'not_its_author');
  assert.equal((await play.as('bob').resolvePost(params)).post.status, 'resolved');
  assert.equal(await codeOf(play.as('bob').replyToPost(answer)), null);
  assert.equal((await play.admin.closePost(params)).post.status, 'closed');
  assert.equal((await play.admin.closePost(params)).post.status, 'closed');
  await refuses(member.replyToPost(answer), 'post_closed');
  await refuses(play.as('bob').revisePost({ ...params, revision: 1, body: 'x' }), 'post_closed');
  for (const route of [reopenPost, resolvePost])
    await refuses(play.as('bob').call(route, { params }), 'not_its_author', 'an admin closed it');
  assert.equal((await play.admin.reopenPost(params)).post.status, 'open');
  await play.as('bob').closePost(params);
  assert.equal(
    (await play.as('bob').reopenPost(params)).post.status,
    'open',
    'the author reopens a post that the author closed',
  );
  assert.equal(await codeOf(member.replyToPost(answer)), null);
  await refuses(member.resolvePost({ post_id: randomUUID() }), 'no_such_post');
});

test('an unacceptable text is refused with a message that names the limit', async () => {
  await refuses(member.createPost({ title: 'x', body: 'y', audience: 'agent:nobody' }), 'no_such_agent');
  await refuses(member.createPost({ title: 'x', body: 'y', place: { landmark_id: 'nowhere' } }), 'no_such_landmark');
  await refuses(member.createPost({ title: 'x', body: 'y', place: { x: 9_999, y: 0 } }), 'out_of_bounds');
  for (const body of [
    { title: ' ', body: 'y' },
    { title: 'x', body: 'a\u0000b' },
    { title: 'x', body: 'y', tags: ['No'] },
    { title: 'x', body: 'y', audience: 'admins' },
  ])
    await refuses(member.createPost(body), 'validation_failed', JSON.stringify(body));
  const { post } = await member.createPost({ title: 'Half \ud83e', body: 'Lion 🦁 \udd81', tags: [] });
  assert.deepEqual([post.title, post.body], ['Half \ufffd', 'Lion 🦁 \ufffd']);
});

test('an agent of the lowest tier may write less than one of a higher tier', async () => {
  const lowest = boardLimits({ kind: 'agent', rank: 0, knownForS: 0 });
  const refusedFor = (body: Partial<PostBody>, about: RegExp): Promise<void> =>
    refuses(play.as('eve').createPost({ title: 'x', body: 'y', ...body }), 'board_content_limited', about);
  const links = 'https://a.example '.repeat(lowest.links + 1);
  await refusedFor({ body: links }, /^At most 2 links/);
  await refusedFor({ body: '@ada @bob @cleo look' }, /^At most 2 names/);
  await refusedFor({ body: 'x'.repeat(lowest.bodyChars + 1) }, /^The text has 2001/);
  await refusedFor({ tags: ['crypto'] }, /^The tag crypto/);
  await post(play.as('ada'), { body: links, tags: ['crypto'] });
  for (let number = 0; number < lowest.posts; number += 1) await post(play.as('eve'), { title: `Post ${number}` });
  const full = await fetch(`${play.url}/board/posts`, {
    method: 'POST',
    headers: {
      authorization: 'Bearer test-token-of-agent-eve',
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    },
    body: JSON.stringify({ title: 'one more', body: 'y' }),
  });
  assert.deepEqual([full.status, ((await full.json()) as { code: string }).code], [429, 'board_rate_limited']);
  const wait = Number(full.headers.get('retry-after'));
  assert.ok(wait > 3_000 && wait <= 3_600, `${wait}`);
  // Concurrent requests cannot exceed the limit.
  const at = await Promise.all(
    Array.from({ length: 20 }, () => play.as('fay').raw.createPost({ title: 'x', body: 'y' })),
  );
  assert.equal(at.filter(({ ok }) => ok).length, lowest.posts);
});

test('requests with the same idempotency key create one post', async () => {
  const call = (): ReturnType<typeof member.call<typeof createPost>> =>
    member.raw.createPost({ title: 'Once', body: 'quux' }, { idempotencyKey: 'once' });
  const [first, second] = [dataOf(await call()), dataOf(await call())];
  assert.equal(first.post_id, second.post_id);
  assert.deepEqual(await titles(visitor, { q: 'quux' }), ['Once']);
});

test('news list the posts that concern an agent, and whether it has answered them', async () => {
  const dan = play.as('dan');
  const params = { agent_id: 'dan' };
  const news = async (after?: string): Promise<NewsPage> =>
    await dan.listBoardNews({ ...params, ...(after === undefined ? {} : { after }) });
  assert.deepEqual((await news()).news, []);
  const own = await post(dan, { title: 'From dan' });
  const toDan = await post(member, { audience: 'agent:dan', title: 'For dan' });
  await post(member, { title: 'About @dan', body: 'and @nobody' });
  await post(member, { audience: 'humans', title: 'Behind his back: @dan' });
  await dan.replyToPost({ post_id: own.post_id, body: 'my own' });
  await member.replyToPost({ post_id: own.post_id, body: 'an answer' });
  const received = await eventually('the news', async () => {
    const page = await news();
    return page.news.length === 3 ? page : null;
  });
  assert.deepEqual(
    received.news.map(({ post: { title }, reply, why, answered }) => [title, reply?.body ?? null, why, answered]),
    [
      ['For dan', null, 'addressed', false],
      ['About @dan', null, 'mention', false],
      ['From dan', 'an answer', 'reply', false],
    ],
  );
  await dan.replyToPost({ post_id: toDan.post_id, body: 'Here I am.' });
  assert.deepEqual(pluck((await news()).news, 'answered'), [true, false, false]);
  const end = received.next_after ?? '';
  assert.deepEqual((await news(end)).news, []);
  assert.equal((await news(end)).next_after, end);
  await play.as('cleo').replyToPost({ post_id: own.post_id, body: 'another' });
  await eventually(
    'what came since',
    async () => (await news(end)).news.map(({ reply }) => reply?.body).join() === 'another',
  );
  await refuses(play.as('cleo').listBoardNews({ agent_id: 'cleo', after: end }), 'cursor_invalid');
});
