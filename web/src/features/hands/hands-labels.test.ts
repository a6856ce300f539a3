import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HandsCall } from '@hamlet/contract';
import { aHandsCall as aCall } from './hands-call.fixture.ts';
import { DIFF_LINES_MAX, diffLines, endLabel, fileChanges, hasOutput, workerUse } from './hands-labels.ts';

const DIFF = '--- a/x\n+++ b/x\n@@ -1,1 +1,2 @@\n-a\n+b\n+c\n';

const undoneOf = (calls: readonly HandsCall[], undos: readonly HandsCall[] = []): readonly boolean[] =>
  fileChanges(calls, undos).map(({ undone }) => undone);

test('the label of an ended command has exit code, duration and folder', () => {
  assert.equal(endLabel(aCall(0, { exit: 2, duration_ms: 400, cwd: '/w' })), 'exit 2 · 0.4 s · in /w');
  assert.equal(endLabel(aCall(0, { exit: null })), 'ended by a signal');
  assert.equal(endLabel(aCall(0, null, { state: 'begun' })), 'under way');
  assert.equal(endLabel(aCall(0, null, { state: 'unknown' })), 'end unknown');
});

test('a later undo of the same number and file undoes a change, even from another run', () => {
  const written = aCall(1, { path: 'x', diff: DIFF, change: 4 });
  const undo = aCall(2, { path: 'x', diff: DIFF, change: 5, undoes: 4 }, { tool: 'undo_change', run_id: 'other' });
  assert.deepEqual(undoneOf([written]), [false]);
  assert.deepEqual(undoneOf([written], [undo]), [true]);
  assert.deepEqual(undoneOf([written], [{ ...undo, outcome: { kind: 'failed' } }]), [false]);
  assert.deepEqual(undoneOf([written], [{ ...undo, begun_at: '2026-11-23T12:00:00Z' }]), [false]);
  assert.deepEqual(undoneOf([written], [{ ...undo, agent_id: 'bob' }]), [false]);
});

test('undoing an undo restores the change; a failed call, or one that changed nothing, does not count as a change', () => {
  const written = aCall(1, { path: 'x', diff: DIFF, change: 4 });
  const undo = aCall(2, { path: 'x', diff: DIFF, change: 5, undoes: 4 });
  const again = aCall(3, { path: 'x', diff: DIFF, change: 6, undoes: 5 });
  assert.deepEqual(undoneOf([again, undo, written]), [false, true, false]);
  assert.deepEqual(undoneOf([aCall(1, { path: 'x', diff: '' }), aCall(2, null)]), []);
  assert.deepEqual(undoneOf([aCall(1, { path: 'x', diff: DIFF }, { outcome: { kind: 'failed' } })]), []);
});

test('output is shown if there is any, and a worker shows its usage', () => {
  assert.deepEqual([hasOutput({}), hasOutput({ stdout: '' }), hasOutput({ stderr: 'x' })], [false, false, true]);
  const usage = { steps: 1, tokens: 1204, cost: '0.02', witnessed: true };
  assert.match(workerUse({ usage }), /^1,204 tokens · 0\.02/);
});

test('a diff becomes lines with their kind, without the file names', () => {
  const diff = '--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n\\ No newline at end of file\n';
  assert.deepEqual(diffLines(diff), {
    lines: [
      { kind: 'hunk', text: '@@ -1,2 +1,2 @@' },
      { kind: 'same', text: 'one' },
      { kind: 'removed', text: 'two' },
      { kind: 'added', text: '2' },
      { kind: 'note', text: 'No newline at end of file' },
    ],
    added: 1,
    removed: 1,
    left: 0,
  });
});

test('lines of a file that look like a diff header stay lines of the change', () => {
  const { lines, added, removed } = diffLines('--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n--- a\n+++ b\n');
  assert.deepEqual([lines.length, added, removed], [3, 1, 1]);
});

test('a long change is cut with the number of hidden lines; text that is not a diff is shown unchanged', () => {
  const long = diffLines(Array.from({ length: DIFF_LINES_MAX + 7 }, () => '+x').join('\n'));
  assert.deepEqual([long.lines.length, long.added, long.left], [DIFF_LINES_MAX, DIFF_LINES_MAX + 7, 7]);
  assert.deepEqual(diffLines('[… 9 characters left out …]').lines, [
    { kind: 'note', text: '[… 9 characters left out …]' },
  ]);
});
