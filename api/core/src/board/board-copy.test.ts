import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ModerationNote, Post, Reply } from '@hamlet/contract';
import { pluck } from '@hamlet/test/env/pluck';
import { changeCopy, copyOf, hideInCopy, listFromCopy, threadFromCopy } from './board-copy.ts';
import type { BoardCopy, CopiedThread, CopyLimits } from './board-copy.ts';
import { type BoardViewer, maySeePost, maySeeReply } from './may-see.ts';

const AT = '2026-11-22T12:00:00Z';
const NOTE: ModerationNote = { reason: 'spam', note: null, by: 'admin', at: AT };
const LIMITS: CopyLimits = { threads: 4, replies: 3, bytes: 1 << 20 };
const EMPTY: BoardCopy = { threads: [], whole: true };
const VISITOR: BoardViewer = { role: 'visitor', actor: '' };
const ADMIN: BoardViewer = { role: 'admin', actor: 'key admin' };

const idOf = (number: number): string => `0190000${number}-0000-7000-8000-000000000000`;
const replyIdOf = (number: number): string => `0190000f-000${number}-7000-8000-000000000000`;
const written = {
  author_type: 'agent',
  author_id: 'ada',
  author_name: 'Ada',
  author_tier: null,
  created_at: AT,
  updated_at: AT,
  revision: 1,
  rewarded: '0',
  moderation: null,
} as const;

function post(number: number, changes: Partial<Post> = {}): Post {
  return {
    ...written,
    post_id: idOf(number),
    audience: 'public',
    title: `post ${number}`,
    body: 'bread',
    tags: [],
    status: 'open',
    place: null,
    replies: 0,
    ...changes,
  };
}

function reply(number: number, under: number, changes: Partial<Reply> = {}): Reply {
  return {
    ...written,
    reply_id: replyIdOf(number),
    post_id: idOf(under),
    body: `reply ${number}`,
    status: 'shown',
    ...changes,
  };
}

function copyWith(...threads: readonly CopiedThread[]): BoardCopy {
  return copyOf({ threads, whole: true }, LIMITS);
}

function titles(
  copy: BoardCopy,
  viewer = ADMIN,
  asked: Partial<Parameters<typeof listFromCopy>[2]> = {},
): readonly string[] | null {
  return (
    listFromCopy(copy, viewer, { filter: {}, before: null, limit: 50, ...asked })?.rows.map(({ title }) => title) ??
    null
  );
}

const roleless = { role: 'somebody', actor: 'ada' } as unknown as BoardViewer;
const SEES: readonly (readonly [BoardViewer, Partial<Post>, boolean])[] = [
  [VISITOR, {}, true],
  [VISITOR, { status: 'moderated', moderation: NOTE }, false],
  [VISITOR, { moderation: NOTE }, false],
  [{ role: 'visitor', actor: 'ada' }, { audience: 'agents' }, false],
  [{ role: 'member', actor: 'ada' }, { audience: 'humans' }, true],
  [{ role: 'member', actor: 'ada' }, { audience: 'agents' }, false],
  [{ role: 'member', actor: 'ada' }, { audience: 'agents', author_type: 'human' }, true],
  [{ role: 'member', actor: 'ada' }, { audience: 'agent:ada' }, false],
  [{ role: 'agent', actor: 'bob' }, { audience: 'agent:bob' }, true],
  [{ role: 'agent', actor: 'bo' }, { audience: 'agent:bob' }, false],
  [{ role: 'agent', actor: '' }, { audience: 'agent:bob' }, false],
  [{ role: 'agent', actor: 'ada' }, { audience: 'humans', status: 'moderated', moderation: NOTE }, true],
  [{ role: 'agent', actor: 'ada' }, { audience: 'humans', author_type: 'human' }, false],
  [{ role: 'agent', actor: 'bob' }, { audience: 'everybody' }, false],
  [ADMIN, { audience: 'agent:bob', status: 'moderated', moderation: NOTE }, true],
  [roleless, {}, false],
  [roleless, { author_type: 'human' }, false],
];

for (const [viewer, changes, sees] of SEES) {
  test(`${viewer.role} ${viewer.actor} ${sees ? 'sees' : 'does not see'} ${JSON.stringify(changes)}`, () => {
    assert.equal(maySeePost(viewer, post(1, changes)), sees);
    assert.equal(
      maySeeReply(viewer, post(1, changes), reply(1, 1, { author_id: 'cleo' })),
      sees,
      'a reply has the audience of its post',
    );
  });
}

test('only its author and moderators see a hidden reply; a viewer who cannot see a post cannot see its replies', () => {
  const hidden = reply(1, 1, { status: 'moderated', moderation: NOTE, author_id: 'bob' });
  assert.equal(maySeeReply({ role: 'agent', actor: 'cleo' }, post(1), hidden), false);
  assert.equal(maySeeReply({ role: 'agent', actor: 'bob' }, post(1), hidden), true);
  assert.equal(maySeeReply(ADMIN, post(1), hidden), true);
  assert.equal(maySeeReply({ role: 'agent', actor: 'bob' }, post(1, { audience: 'humans' }), hidden), false);
});

test('the copy keeps the newest threads for any order of changes, and records that older ones exist', () => {
  const changes = [2, 5, 1, 4, 3, 5].map((number) => ({ post: post(number), reply: null }));
  const copy = changeCopy(EMPTY, changes, LIMITS);
  assert.deepEqual([titles(copy), copy.whole], [['post 5', 'post 4', 'post 3', 'post 2'], false]);
  assert.deepEqual(changeCopy(copy, changes, LIMITS), copy, 'repeated changes have no effect');
  assert.deepEqual(
    titles(changeCopy(copy, [{ post: post(1), reply: reply(1, 1) }], LIMITS)),
    titles(copy),
    'a post older than all threads of an incomplete copy stays out',
  );
});

test('memory is limited: long texts push the oldest threads out', () => {
  const long = [1, 2, 3].map((number) => ({ post: post(number, { body: 'x'.repeat(4_000) }), reply: null }));
  const copy = changeCopy(EMPTY, long, { ...LIMITS, bytes: 20_000 });
  assert.deepEqual([titles(copy), copy.whole], [['post 3', 'post 2'], false]);
});

test('an incomplete copy never reports the end of the board, and no cursor names a hidden post', () => {
  const copy = changeCopy(
    EMPTY,
    [1, 2, 3, 4, 5].map((number) => ({ post: post(number, number < 4 ? { audience: 'agent:bob' } : {}), reply: null })),
    LIMITS,
  );
  const page = listFromCopy(copy, VISITOR, { filter: {}, before: null, limit: 50 });
  assert.deepEqual([page?.rows.length, page?.next], [2, idOf(4)]);
  assert.equal(titles(copy, VISITOR, { before: idOf(4) }), null);
  assert.equal(
    titles(copy, VISITOR, { filter: { audience: 'agent:bob' } }),
    null,
    'a hidden post looks like one that is not in the copy',
  );
  assert.deepEqual(titles(copyWith(), VISITOR), [], 'an empty board gives an empty page');
});

test('filters and pages give the same posts as a plain list', () => {
  const copy = copyWith(
    { post: post(3, { tags: ['help', 'work'], status: 'closed' }), replies: [], cut: false },
    { post: post(2, { tags: ['work'], author_type: 'human', author_id: 'kim' }), replies: [], cut: false },
    { post: post(1, { place: { x: 1, y: 2, landmark_id: 'board' } }), replies: [], cut: false },
  );
  assert.deepEqual(titles(copy, ADMIN, { filter: { tag: 'work' } }), ['post 3', 'post 2']);
  assert.deepEqual(titles(copy, ADMIN, { filter: { status: 'closed' } }), ['post 3']);
  assert.deepEqual(titles(copy, ADMIN, { filter: { author: 'kim', authorType: 'human' } }), ['post 2']);
  assert.deepEqual(titles(copy, ADMIN, { filter: { author: 'kim', authorType: 'agent' } }), []);
  assert.deepEqual(titles(copy, ADMIN, { filter: { landmarkId: 'board' } }), ['post 1']);
  const first = listFromCopy(copy, ADMIN, { filter: {}, before: null, limit: 2 });
  assert.equal(first?.next, idOf(2));
  assert.deepEqual(titles(copy, ADMIN, { before: idOf(2) }), ['post 1']);
});

test('a thread returns its oldest replies, each once; after the last one the copy cannot answer', () => {
  const arrivals = [1, 3, 2, 4, 3].map((number) => ({ post: post(1), reply: reply(number, 1) }));
  const copy = changeCopy(EMPTY, arrivals, LIMITS);
  const read = (after: string | null, limit = 50): unknown => {
    const thread = threadFromCopy(copy, VISITOR, { postId: idOf(1), after, limit });
    return thread === null ? null : [thread.replies.rows.map(({ body }) => body), thread.replies.next];
  };
  assert.deepEqual(read(null), [['reply 1', 'reply 2', 'reply 3'], replyIdOf(3)]);
  assert.deepEqual(read(null, 2), [['reply 1', 'reply 2'], replyIdOf(2)]);
  assert.deepEqual(read(replyIdOf(2)), [['reply 3'], replyIdOf(3)]);
  assert.equal(read(replyIdOf(3)), null);
  const revised = changeCopy(copy, [{ post: post(1), reply: reply(2, 1, { body: 'anew', revision: 2 }) }], LIMITS);
  assert.deepEqual(pluck(revised.threads[0]?.replies ?? [], 'body'), ['reply 1', 'anew', 'reply 3']);
});

test('a hidden post or reply disappears at once for all but its author and moderators', () => {
  const copy = copyWith({ post: post(1, { replies: 1 }), replies: [reply(1, 1)], cut: false });
  const asked = { postId: idOf(1), after: null, limit: 50 };
  const replyGone = hideInCopy(copy, { postId: idOf(1), replyId: replyIdOf(1), note: NOTE });
  assert.deepEqual(threadFromCopy(replyGone, VISITOR, asked), { post: post(1), replies: { rows: [], next: null } });
  assert.equal(threadFromCopy(replyGone, ADMIN, asked)?.replies.rows[0]?.status, 'moderated');
  assert.deepEqual(
    hideInCopy(replyGone, { postId: idOf(1), replyId: replyIdOf(1), note: NOTE }),
    replyGone,
    'it is counted once',
  );
  const gone = hideInCopy(copy, { postId: idOf(1), replyId: null, note: NOTE });
  assert.equal(threadFromCopy(gone, VISITOR, asked), null);
  assert.equal(threadFromCopy(gone, VISITOR, { ...asked, postId: idOf(9) }), null);
  assert.deepEqual([titles(gone, VISITOR), titles(gone, { role: 'agent', actor: 'ada' })], [[], ['post 1']]);
  assert.deepEqual(hideInCopy(copy, { postId: idOf(2), replyId: null, note: NOTE }), copy);
});
