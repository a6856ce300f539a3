import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GIVEN_FILE_MAX_BYTES, GIVEN_FILES_MAX } from '@hamlet/contract';
import { admitFiles } from './attached-files.ts';

const file = (name: string, size = 10) => ({ name, size });
const names = (chosen: readonly ReturnType<typeof file>[], have = 0): readonly string[] =>
  admitFiles(chosen, have).taken.map(({ name }) => name);

test('files that fit are taken, up to the limit of a message', () => {
  assert.deepEqual(names([file('a.txt', 1), file('b.txt', GIVEN_FILE_MAX_BYTES)]), ['a.txt', 'b.txt']);
  const five = Array.from({ length: GIVEN_FILES_MAX + 1 }, (_, at) => file(`${at}.txt`));
  assert.deepEqual(names(five), ['0.txt', '1.txt', '2.txt', '3.txt']);
  assert.match(admitFiles(five, 0).problems.join(), /^1 file was not attached, .* at most 4: send it with/);
  assert.match(admitFiles(five, GIVEN_FILES_MAX).problems.join(), /^5 files were not attached, .* send them with/);
});

test('a file that does not fit is left out with its reason, and takes no place', () => {
  const chosen = [
    file('large.bin', GIVEN_FILE_MAX_BYTES + 1),
    file('empty.txt', 0),
    file('hid\u202eden.txt'),
    ...['a', 'b', 'c', 'd'].map((name) => file(name)),
  ];
  const { taken, problems } = admitFiles(chosen, 0);
  assert.equal(taken.length, GIVEN_FILES_MAX);
  assert.match(problems[0] ?? '', /^large\.bin has more than 512 KB/);
  assert.match(problems[1] ?? '', /^empty\.txt is empty/);
  assert.match(problems[2] ?? '', /^hid⟨U\+202E⟩den\.txt .*rename the file/);
  assert.ok(
    admitFiles(
      Array.from({ length: 500 }, () => file('x', 0)),
      0,
    ).problems.length <= 4,
    'problems are bounded',
  );
});
