import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BoardEvent } from '@hamlet/contract';
import { aPost, aReply } from './board.fixture.ts';
import { afterMessage, EMPTY_BOARD, learn, MAX_POSTS, takesAlong } from './board-live.ts';
import type { Session } from '../app-state.ts';

const at = { epoch: 'e1', offset: 7 };
const event = (change: Partial<BoardEvent>): BoardEvent => ({
  type: 'event',
  epoch: 'e1',
  offset: 8,
  what: 'posted',
  post_id: 'p1',
  reply_id: null,
  post: aPost(),
  reply: null,
  ...change,
});

test('a snapshot replaces the state and makes lists read again', () => {
  const state = afterMessage(EMPTY_BOARD, {
    type: 'snapshot',
    ...at,
    posts: [aPost({ post_id: 'p1' }), aPost({ post_id: 'p2' })],
  });
  assert.deepEqual([...state.posts.keys()], ['p1', 'p2']);
  assert.deepEqual([state.at, state.generation], [at, 1]);
});

test('an event carries the whole post and reply, and advances the mark', () => {
  const state = afterMessage(
    EMPTY_BOARD,
    event({ what: 'replied', reply_id: 'r1', post: aPost({ replies: 1 }), reply: aReply() }),
  );
  assert.equal(state.posts.get('p1')?.replies, 1);
  assert.equal(state.replies.get('p1')?.get('r1')?.body, aReply().body);
  assert.deepEqual(state.at, { epoch: 'e1', offset: 8 });
});

test('a post that the viewer can no longer see becomes null', () => {
  const before = afterMessage(EMPTY_BOARD, event({}));
  const after = afterMessage(before, event({ what: 'hidden', offset: 9, post: null }));
  assert.equal(after.posts.get('p1'), null);
  assert.ok(after.posts.has('p1'));
});

test('a reset keeps known posts and makes lists read again; a mark changes nothing else', () => {
  const before = afterMessage(EMPTY_BOARD, event({}));
  const reset = afterMessage(before, { type: 'reset', epoch: 'e2', offset: 0 });
  assert.deepEqual([reset.generation, reset.posts.size], [before.generation + 1, 1]);
  const mark = afterMessage(reset, { type: 'mark', epoch: 'e2', offset: 40 });
  assert.deepEqual([mark.generation, mark.at?.offset, mark.events], [reset.generation, 40, reset.events]);
});

test('the number of stored posts is limited', () => {
  let state = EMPTY_BOARD;
  for (let index = 0; index < MAX_POSTS + 20; index++)
    state = learn(state, `p${index}`, aPost({ post_id: `p${index}` }));
  assert.equal(state.posts.size, MAX_POSTS);
  assert.equal(state.posts.has('p0'), false);
});

const account = (id: string): Session => ({ kind: 'account', account: { account_id: id, name: id, role: 'member' } });

test('unsent replies stay only for their writer', () => {
  const cases: readonly (readonly [string, string | null, Session, boolean])[] = [
    ['the session ended', 'mo', { kind: 'visitor', ended: true }, false],
    ['its holder signs in again', 'mo', account('mo'), false],
    ['another person signs in', 'mo', account('kim'), true],
    ['its holder signs out', 'mo', { kind: 'visitor', ended: false }, true],
    ['a visitor signs in', null, account('mo'), false],
    ['the viewer is not known yet', 'mo', { kind: 'unknown', asked: true }, false],
  ];
  for (const [what, writer, session, gone] of cases) assert.equal(takesAlong(writer, session), gone, what);
});
