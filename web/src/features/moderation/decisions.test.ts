import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FlagRecord, ModerationRecord } from '@hamlet/contract';
import { aPost, aReply } from '../../client/board/board.fixture.ts';
import { decisionsFor } from './decisions.ts';

const who = { type: 'human', id: 'account a', name: 'Ann' } as const;
const flag: FlagRecord = { by: who, reason: 'spam', note: null, weight: 1, at: '2026-11-22T10:00:00.000Z' };
const decided = (change: Partial<ModerationRecord>): ModerationRecord => ({
  moderation_id: 'm1',
  decision: 'hide',
  reason: 'spam',
  note: null,
  by: who,
  at: '2026-11-22T10:00:00.000Z',
  undone: false,
  ...change,
});

test('only decisions that change something are offered', () => {
  const post = aPost();
  assert.deepEqual(decisionsFor({ post, reply: null, flags: [flag], decisions: [] }), ['keep', 'hide']);
  assert.deepEqual(decisionsFor({ post, reply: null, flags: [], decisions: [decided({ decision: 'keep' })] }), [
    'hide',
    'undo',
  ]);
  assert.deepEqual(
    decisionsFor({ post: aPost({ status: 'moderated' }), reply: null, flags: [flag], decisions: [decided({})] }),
    ['restore', 'undo'],
  );
});

test('an admin confirms or restores a text that flags have hidden', () => {
  const moderation = { reason: 'spam', note: null, by: 'flags', at: '2026-11-22T10:00:00.000Z' } as const;
  assert.deepEqual(
    decisionsFor({ post: aPost({ status: 'moderated', moderation }), reply: null, flags: [flag], decisions: [] }),
    ['hide', 'restore'],
  );
});

test('a reply has its own state, and an undone decision cannot be undone again', () => {
  assert.deepEqual(
    decisionsFor({
      post: aPost({ status: 'moderated' }),
      reply: aReply(),
      flags: [],
      decisions: [decided({ undone: true }), decided({ decision: 'undo' })],
    }),
    ['hide'],
  );
});
