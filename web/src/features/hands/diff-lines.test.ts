import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DIFF_LINES_MAX, diffLines } from './hands-labels.ts';

test('a diff becomes lines with their kind, and the names of the files are left out', () => {
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

test('lines of a file that look like its name are lines of the change', () => {
  const { lines, added, removed } = diffLines('--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n--- a\n+++ b\n');
  assert.deepEqual([lines.length, added, removed], [3, 1, 1]);
});

test('a long change is cut, and says by how much; a text that is no diff is shown as it is', () => {
  const long = diffLines(Array.from({ length: DIFF_LINES_MAX + 7 }, () => '+x').join('\n'));
  assert.deepEqual([long.lines.length, long.added, long.left], [DIFF_LINES_MAX, DIFF_LINES_MAX + 7, 7]);
  assert.deepEqual(diffLines('[… 9 characters left out …]').lines, [
    { kind: 'note', text: '[… 9 characters left out …]' },
  ]);
});
