import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TimelineEntry } from '@hamlet/contract';
import { newLines, timelineLine } from './timeline.ts';

const NONE = { session: null, run: null, firing: null, post: null, purchase: null, judgement: null, state: null };
const entryOf = (id: string, parts: object): TimelineEntry =>
  ({ id, at: '2026-11-29T12:00:00.123Z', ...NONE, ...parts }) as TimelineEntry;
const runOf = (state: string): TimelineEntry =>
  entryOf('1', { kind: 'run', run: { prompt: 'Count the owls', state, session_id: null } });
const POST = entryOf('2', { kind: 'post', post: { reply_id: null, title: 'Bread \u001b[31m' } });

test('an entry is a line with real time, kind and words without control characters', () => {
  assert.equal(timelineLine(runOf('done')), '2026-11-29T12:00:00Z  run        finished “Count the owls”');
  assert.ok(!timelineLine(POST).includes('\u001b'));
});

test('following prints each entry once, oldest first, and a run again in its next state', () => {
  const printed = new Map<string, string>();
  assert.deepEqual(newLines([POST, runOf('running')], printed), [runOf('running'), POST]);
  assert.deepEqual(newLines([POST, runOf('running')], printed), []);
  assert.deepEqual(newLines([POST, runOf('done')], printed), [runOf('done')]);
});

test('following for long remembers at most 1,000 entries', () => {
  const printed = new Map<string, string>();
  for (let page = 0; page < 60; page += 1) {
    const entries = Array.from({ length: 30 }, (_, n) =>
      entryOf(`${page}-${n}`, { kind: 'post', post: { reply_id: null, title: 'Bread' } }),
    );
    assert.equal(newLines(entries, printed).length, 30);
  }
  assert.deepEqual([printed.size, printed.has('0-29'), printed.has('59-0')], [1_000, false, true]);
});
