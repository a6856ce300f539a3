import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BoardMessage } from '@hamlet/contract';
import type { Viewer } from '@hamlet/store';
import { until } from '@hamlet/test/env/until';
import { pluck } from '@hamlet/test/env/pluck';
import { createBoardFeed } from './board-feed.ts';

const VIEWER: Viewer = { role: 'visitor', actor: '' };
const EPOCH = 'e'.repeat(32);

test('a viewer of a quiet board gets regular marks, so that it can distinguish silence from a lost connection', async () => {
  const feed = createBoardFeed({
    pages: {
      epoch: EPOCH,
      read: async (_viewer, after) => ({ texts: [], last: after, upTo: after }),
      snapshot: async () => ({ type: 'snapshot', epoch: EPOCH, offset: 7, posts: [] }),
      resumeFrom: async () => null,
    },
    relay: { head: 7, nudge: () => {}, onHead: () => {}, catchUp: async () => {}, stop: async () => {} },
    log: () => {},
  });
  const sent: BoardMessage[] = [];
  const out = {
    bufferedAmount: 0,
    send: (text: string) => void sent.push(BoardMessage.parse(JSON.parse(text))),
    close: () => {},
  };
  const reader = feed.follow({ viewer: VIEWER, after: undefined, out });
  reader.mark();
  await until('the snapshot', async () => sent.length > 0);
  reader.mark();
  reader.mark();
  assert.deepEqual(
    pluck(sent, 'type', 'offset'),
    [
      ['snapshot', 7],
      ['mark', 7],
      ['mark', 7],
    ],
    'no mark comes before the snapshot',
  );
  reader.close();
});
