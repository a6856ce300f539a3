import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Archive } from '@hamlet/contract';
import { archiveSentence, problemSentence } from './archive-labels.ts';

const ARCHIVE: Archive = {
  reported_at: '2026-11-30T03:12:07Z',
  base_at: '2026-11-30T01:00:00Z',
  earliest: '2026-11-28T01:00:00Z',
  latest: '2026-11-30T03:12:00Z',
  bytes: 5,
  limit_bytes: 10,
  days: 7,
  problem: null,
};

test('the sentence says how to restore, that no base backup is complete, or how to switch an archive on', () => {
  assert.match(archiveSentence(ARCHIVE), /at most the last 7 days: make restore UNTIL=/);
  assert.match(archiveSentence({ ...ARCHIVE, latest: null }), /no complete base backup yet/);
  assert.match(archiveSentence(null), /postgres\.archive\.enabled/);
});

test('each problem has its sentence', () => {
  assert.equal(problemSentence(ARCHIVE), null);
  assert.match(problemSentence({ problem: 'full' }) ?? '', /postgres\.archive\.gibibytes/);
  assert.match(problemSentence({ problem: 'gap' }) ?? '', /new base backup is due/);
  assert.match(problemSentence({ problem: 'backup' }) ?? '', /within 15 minutes/);
});
