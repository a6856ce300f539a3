import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GIVEN_FILES_MAX, readFileList, withFileList } from './given-file.ts';

const file = (name: string) => ({ path: `given/0a1b2c3d4e5f/${name}`, mediaType: 'text/csv', bytes: 12 });

test('the list of the files of a message is read back as text and given names', () => {
  const text = 'Add them up.\n\nFiles of this message:\nI mean the two below.';
  const files = ['sums.csv', 'söme (2) sums.csv'].map(file);
  const message = withFileList(text, files);
  assert.match(
    message,
    /below\.\n\nFiles of this message:\n- \/workspace\/given\/0a1b2c3d4e5f\/sums\.csv \(text\/csv, 12 bytes\)\n- /,
  );
  const read = readFileList(message);
  assert.equal(read.text, text);
  assert.deepEqual(
    read.files.map(({ name, bytes }) => [name, bytes]),
    [
      ['sums.csv', 12],
      ['söme (2) sums.csv', 12],
    ],
  );
});

test('a message without such a list stays as it is', () => {
  assert.equal(withFileList('Bake.', []), 'Bake.');
  const many = withFileList(
    'Bake.',
    Array.from({ length: GIVEN_FILES_MAX + 1 }, (_, at) => file(`${at}`)),
  );
  for (const message of [
    'Bake.',
    'Bake.\n\nFiles of this message:\n',
    'Bake.\n\nFiles of this message:\n- /workspace/given/0a1b/x (text/csv, 1 bytes)\nand more',
    'Bake.\n\nFiles of this message:\n- /workspace/elsewhere/x (text/csv, 1 bytes)',
    many,
  ])
    assert.deepEqual(readFileList(message), { text: message, files: [] });
});
