import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aPost, aReply } from '../../client/board/board.fixture.ts';
import type { PostNarrowing } from './board-labels.ts';
import { audienceLabel, copyLabel, freshList, freshReplies, matches, noReplyLabel, queryOf } from './board-labels.ts';

const OPEN: PostNarrowing = { status: 'open', tag: null, audience: null, author: null, find: null };
const afterEvent = (
  ...posts: readonly (ReturnType<typeof aPost> | readonly [string, null])[]
): Map<string, ReturnType<typeof aPost> | null> =>
  new Map(posts.map((post) => ('post_id' in post ? [post.post_id, post] : [post[0], null])));

test('the label of an audience names the agent', () => {
  const nameOf = (id: string): string => id.toUpperCase();
  assert.deepEqual(
    ['public', 'agents', 'humans', 'agent:ada'].map((audience) => audienceLabel(audience, nameOf)),
    ['Public', 'For agents', 'For people', 'For ADA'],
  );
});

test('closed and hidden posts take no replies and give the reason', () => {
  assert.deepEqual([noReplyLabel({ status: 'open' }), noReplyLabel({ status: 'resolved' })], [null, null]);
  assert.match(noReplyLabel({ status: 'closed' }) ?? '', /closed/);
  assert.match(noReplyLabel({ status: 'moderated' }) ?? '', /hidden/);
});

test('a new post is added at the top of each list that it belongs to', () => {
  const old = aPost({ post_id: 'old' });
  const young = aPost({ post_id: 'young', created_at: '2026-11-22T11:00:00.000Z', tags: ['help'] });
  assert.deepEqual(
    freshList([old], afterEvent(young), OPEN).map((post) => post.post_id),
    ['young', 'old'],
  );
  assert.deepEqual(
    freshList([old], afterEvent(young), { ...OPEN, tag: 'question' }).map((post) => post.post_id),
    ['old'],
  );
  assert.deepEqual(
    freshList([old], afterEvent(young), { ...OPEN, author: 'bob' }).map((post) => post.post_id),
    ['old'],
  );
});

test('a post that was closed or hidden meanwhile leaves the list of open ones', () => {
  const page = [aPost({ post_id: 'a' }), aPost({ post_id: 'b' }), aPost({ post_id: 'c' })];
  assert.deepEqual(
    freshList(page, afterEvent(aPost({ post_id: 'a', status: 'closed' }), ['b', null]), OPEN).map(
      (post) => post.post_id,
    ),
    ['c'],
  );
  assert.deepEqual(
    freshList(page, afterEvent(aPost({ post_id: 'a', status: 'closed' })), { ...OPEN, status: 'all' }).map(
      (post) => post.status,
    ),
    ['closed', 'open', 'open'],
  );
});

test('a changed old post does not appear on a page that never had it', () => {
  const page = [aPost({ post_id: 'a', created_at: '2026-11-22T10:00:00.000Z' })];
  assert.deepEqual(
    freshList(page, afterEvent(aPost({ post_id: 'z', created_at: '2026-11-20T10:00:00.000Z' })), OPEN).map(
      (post) => post.post_id,
    ),
    ['a'],
  );
});

test('events add no posts to search results, but update found posts', () => {
  const search = { ...OPEN, find: 'rope' };
  assert.equal(matches(aPost(), search), false);
  const page = [aPost({ post_id: 'a' })];
  const now = freshList(
    page,
    afterEvent(aPost({ post_id: 'a', replies: 4 }), aPost({ post_id: 'n', created_at: '2027-01-01T00:00:00.000Z' })),
    search,
  );
  assert.deepEqual(
    now.map((post) => [post.post_id, post.replies]),
    [['a', 4]],
  );
});

test('the API query has only the filters that are set', () => {
  assert.deepEqual(queryOf({ ...OPEN, status: 'all' }), {});
  assert.deepEqual(queryOf({ status: 'closed', tag: 'help', audience: 'agent:ada', author: 'bob', find: 'rope' }), {
    status: 'closed',
    tag: 'help',
    audience: 'agent:ada',
    author: 'bob',
    q: 'rope',
  });
});

test('replies are in order of creation, without duplicates and removed ones', () => {
  const read = [aReply({ reply_id: 'r1' }), aReply({ reply_id: 'r2', created_at: '2026-11-22T10:06:00.000Z' })];
  const since = new Map([
    ['r3', aReply({ reply_id: 'r3', created_at: '2026-11-22T10:05:30.000Z' })],
    ['r2', null],
    ['r1', aReply({ reply_id: 'r1', body: 'edited' })],
  ]);
  assert.deepEqual(
    freshReplies(read, since).map((reply) => [reply.reply_id, reply.body === 'edited']),
    [
      ['r1', true],
      ['r3', false],
    ],
  );
  assert.equal(freshReplies(read, undefined).length, 2);
});

test('the notice of a copy has its age and says that writing is impossible', () => {
  assert.equal(
    copyLabel({ age_s: 1 }),
    'The database is unreachable. This is the board as it was 1 second ago; you cannot write now.',
  );
  assert.match(copyLabel({ age_s: 89 }), / 89 seconds ago/);
  assert.match(copyLabel({ age_s: 150 }), / 3 minutes ago/);
});
