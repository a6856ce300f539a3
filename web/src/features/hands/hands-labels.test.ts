import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallReport, HandsCall } from '@hamlet/contract';
import { RUN_ID } from '../../client/minds/minds.fixture.ts';
import { changeLabel, endLabel, fileChanges, hasOutput, workerUse } from './hands-labels.ts';

const DIFF = '--- a/x\n+++ b/x\n@@ -1,1 +1,2 @@\n-a\n+b\n+c\n';

function aCall(minute: number, report: CallReport | null, more: Partial<HandsCall> = {}): HandsCall {
  return {
    run_id: RUN_ID,
    call_id: `${minute}.0`,
    agent_id: 'ada',
    tool: 'write_file',
    state: 'ended',
    begun_at: `2026-11-23T12:0${minute}:00Z`,
    ended_at: `2026-11-23T12:0${minute}:01Z`,
    outcome: { kind: 'ok' },
    arguments: '{}',
    report,
    ...more,
  };
}
const undoneOf = (calls: readonly HandsCall[], undos: readonly HandsCall[] = []): readonly boolean[] =>
  fileChanges(calls, undos).map(({ undone }) => undone);

test('the end of a command has exit code, duration and folder', () => {
  assert.equal(endLabel(aCall(0, { exit: 2, duration_ms: 400, cwd: '/w' })), 'exit 2 · 0.4 s · in /w');
  assert.equal(endLabel(aCall(0, { exit: null })), 'ended by a signal');
  assert.equal(endLabel(aCall(0, null, { state: 'begun' })), 'under way');
  assert.equal(endLabel(aCall(0, null, { state: 'unknown' })), 'end unknown');
});

test('a change is undone by a later undo of its number and file, also of another run', () => {
  const written = aCall(1, { path: 'x', diff: DIFF, change: 4 });
  const undo = aCall(2, { path: 'x', diff: DIFF, change: 5, undoes: 4 }, { tool: 'undo_change', run_id: 'other' });
  assert.deepEqual(undoneOf([written]), [false]);
  assert.deepEqual(undoneOf([written], [undo]), [true]);
  assert.deepEqual(undoneOf([written], [{ ...undo, outcome: { kind: 'failed' } }]), [false]);
  assert.deepEqual(undoneOf([written], [{ ...undo, begun_at: '2026-11-23T12:00:00Z' }]), [false]);
  assert.deepEqual(undoneOf([written], [{ ...undo, agent_id: 'bob' }]), [false]);
});

test('an undo that was undone leaves the change in place; a call that failed or changed nothing is no change', () => {
  const written = aCall(1, { path: 'x', diff: DIFF, change: 4 });
  const undo = aCall(2, { path: 'x', diff: DIFF, change: 5, undoes: 4 });
  const again = aCall(3, { path: 'x', diff: DIFF, change: 6, undoes: 5 });
  assert.deepEqual(undoneOf([again, undo, written]), [false, true, false]);
  assert.deepEqual(undoneOf([aCall(1, { path: 'x', diff: '' }), aCall(2, null)]), []);
  assert.deepEqual(undoneOf([aCall(1, { path: 'x', diff: DIFF }, { outcome: { kind: 'failed' } })]), []);
});

test('a change counts its lines and says what it undid', () => {
  const call = aCall(1, { undoes: 4 });
  assert.equal(changeLabel({ diff: DIFF, undone: true, call }), '+2 −1 · undoes change 4 · undone');
});

test('output is shown if there is any, and a worker shows its use', () => {
  assert.deepEqual([hasOutput({}), hasOutput({ stdout: '' }), hasOutput({ stderr: 'x' })], [false, false, true]);
  const usage = { steps: 1, tokens: 1204, cost: '0.02', witnessed: true };
  assert.match(workerUse({ usage }), /^1,204 tokens · 0\.02/);
});
