import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { GIVEN_FILE_MAX_BYTES } from '@hamlet/contract';
import { readGivenFiles } from './given-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'hamlet-given-'));
after(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

test('a file goes with its name, its bytes, and a type that says whether it is text', () => {
  const largest = Buffer.alloc(GIVEN_FILE_MAX_BYTES, 0xff);
  const read = readGivenFiles([file('söme sums.csv', 'a;b\n1;2\n'), file('picture.png', largest)]);
  assert.deepEqual(
    read.map(({ name, media_type: type, content }) => [name, type, Buffer.from(content, 'base64').length]),
    [
      ['söme sums.csv', 'text/plain', 8],
      ['picture.png', 'application/octet-stream', GIVEN_FILE_MAX_BYTES],
    ],
  );
});

test('a file that cannot be sent is refused with the fix before anything is sent', () => {
  mkdirSync(join(folder, 'sub'));
  const small = file('small.txt', 'x');
  const refusals: readonly (readonly [readonly string[], RegExp])[] = [
    [[join(folder, 'missing.txt')], /cannot read .*missing\.txt: ENOENT/],
    [[join(folder, 'sub')], /sub is not a file: name each file of a folder/],
    [[file('empty.txt', '')], /empty\.txt is empty/],
    [[file('large.bin', Buffer.alloc(GIVEN_FILE_MAX_BYTES + 1))], /large\.bin has 513 KiB, and a file at most 512 KiB/],
    [[file('hid\u202eden.txt', 'x')], /cannot use this name: rename the file/],
    [Array.from({ length: 5 }, () => small), /at most 4 files, not 5/],
  ];
  for (const [paths, refusal] of refusals) assert.throws(() => readGivenFiles(paths), refusal);
});
