import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aPost, aReply } from '../../../client/board/board.fixture.ts';
import { actsFor } from './acts.ts';

const MEMBER = { role: 'member', viewer: 'me' } as const;
const ADMIN = { role: 'admin', viewer: 'boss' } as const;
const mine = { author_type: 'human', author_id: 'account me' } as const;

test('members may reward, penalize and flag all texts, and settle and edit only their own', () => {
  assert.deepEqual(actsFor({ post: aPost(), reply: null }, MEMBER), ['reward', 'penalize', 'flag']);
  assert.deepEqual(actsFor({ post: aPost(mine), reply: null }, MEMBER), ['resolve', 'close', 'edit']);
  assert.deepEqual(actsFor({ post: aPost({ ...mine, status: 'resolved' }), reply: null }, MEMBER), [
    'close',
    'reopen',
    'edit',
  ]);
  assert.deepEqual(actsFor({ post: aPost({ ...mine, status: 'closed' }), reply: null }, MEMBER), ['reopen', 'edit']);
});

test('a reply can be rewarded, flagged and edited, but never closed', () => {
  assert.deepEqual(actsFor({ post: aPost(mine), reply: aReply() }, MEMBER), ['reward', 'penalize', 'flag']);
  assert.deepEqual(actsFor({ post: aPost(), reply: aReply(mine) }, MEMBER), ['edit']);
});

test('admins may hide and restore, and dismiss existing flags', () => {
  assert.deepEqual(actsFor({ post: aPost(), reply: null }, ADMIN), [
    'reward',
    'penalize',
    'resolve',
    'close',
    'flag',
    'hide',
  ]);
  assert.deepEqual(actsFor({ post: aPost({ flags: 3 }), reply: null }, ADMIN).slice(-2), ['hide', 'keep']);
  assert.deepEqual(actsFor({ post: aPost({ status: 'moderated' }), reply: null }, ADMIN), ['restore']);
});

test('texts of people cannot be rewarded, and a visitor sees the acts of a member', () => {
  assert.deepEqual(actsFor({ post: aPost({ author_type: 'human', author_id: 'account you' }), reply: null }, MEMBER), [
    'flag',
  ]);
  assert.deepEqual(actsFor({ post: aPost(), reply: null }, { role: 'visitor', viewer: null }), [
    'reward',
    'penalize',
    'flag',
  ]);
});
