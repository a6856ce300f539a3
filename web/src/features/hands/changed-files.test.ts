import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changedFiles, fileLabel } from './changed-files.ts';
import { aHandsCall } from './hands-call.fixture.ts';

const edit = (minute: number, path: string, diff: string) => aHandsCall(minute, { path, diff, change: minute });
const REPLACED = '@@ -1,1 +1,1 @@\n-a\n+b\n';

test('edits of one file become one change, and a file whose edits cancel each other is undone', () => {
  const again = '@@ -1,1 +1,2 @@\n-b\n+c\n+d\n';
  const back = edit(4, 'y', '@@ -1,1 +1,1 @@\n-b\n+a\n');
  const files = changedFiles([edit(2, 'x', again), edit(1, 'x', REPLACED), edit(3, 'y', REPLACED), back], []);
  assert.deepEqual(
    files.map((file) => [file.path, file.diffs, fileLabel(file)]),
    [
      ['x', ['@@ -1,1 +1,2 @@\n-a\n+c\n+d\n'], '+2 −1 · 2 edits'],
      ['y', [], '+0 −0 · 2 edits · undone'],
    ],
  );
});

test('a cut diff shows each edit', () => {
  const cut = '@@ -1,1 +1,1 @@\n-a\n[… 9 characters left out …]';
  assert.deepEqual(changedFiles([edit(1, 'x', REPLACED), edit(2, 'x', cut)], [])[0]?.diffs, [REPLACED, cut]);
});
