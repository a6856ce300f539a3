import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byName, filesOfPatch, PATCH_FILES_MAX, sizeLabel, textOf } from './result-labels.ts';

test('sizes are formatted like those of a file manager', () => {
  assert.deepEqual([1, 820, 12_300, 1_468_006, 2_684_354_560].map(sizeLabel), [
    '1 byte',
    '820 bytes',
    '12 KB',
    '1.4 MB',
    '2.5 GB',
  ]);
});

test('a patch is shown file by file, with the kind of change', () => {
  const patch = [
    'diff --git a/bread.py b/bread.py',
    'index 1..2 100644',
    '--- a/bread.py',
    '+++ b/bread.py',
    '@@ -1 +1 @@',
    '-HEAT = 180',
    '+HEAT = 240',
    'diff --git a/new.txt b/new.txt',
    'new file mode 100644',
    '--- /dev/null',
    '+++ b/new.txt',
    '@@ -0,0 +1 @@',
    '+new',
    'diff --git a/old.png b/old.png',
    'deleted file mode 100644',
    'GIT binary patch',
    'literal 0',
    '',
  ].join('\n');
  assert.deepEqual(
    filesOfPatch(patch).files.map(({ path, note, diff }) => [path, note, diff.split('\n').length]),
    [
      ['bread.py', '', 4],
      ['new.txt', 'new', 3],
      ['old.png', 'deleted, binary', 1],
    ],
  );
});

test('any text can be parsed, and the number of files and lines is limited', () => {
  assert.equal(filesOfPatch('no patch').files[0]?.path, 'changes');
  const { files, left } = filesOfPatch('diff --git a/x b/x\n'.repeat(PATCH_FILES_MAX + 5));
  assert.deepEqual([files.length, left], [PATCH_FILES_MAX, 5]);
});

test('binary content is not shown as text', () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  assert.deepEqual(textOf(bytes('häus'), 2), { text: 'hä', left: 2 });
  assert.equal(textOf(new Uint8Array([0x50, 0, 1]), 10), null);
  assert.equal(textOf(new Uint8Array([0xff, 0xfe]), 10), null);
});

test('deliverables of one name are versions of each other, the newest first', () => {
  const made = (name: string, version: number) => ({ name, version });
  const newestFirst = [made('monthly.py', 2), made('notes.md', 1), made('monthly.py', 1)];
  assert.deepEqual(byName(newestFirst), [[made('monthly.py', 2), made('monthly.py', 1)], [made('notes.md', 1)]]);
});
