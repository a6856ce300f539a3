import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foldedText } from './folded-text.ts';

test('a text stands as it is, and another value over several lines with all its digits', () => {
  assert.deepEqual(foldedText('"a \\"b\\"\\nc"'), { text: 'a "b"\nc', first: null, lines: 2 });
  assert.equal(foldedText('{"n":12345678901234567890}').text, '{\n  "n": 12345678901234567890\n}');
});

test('a long value begins with its first lines', () => {
  const long = foldedText(JSON.stringify(Array.from({ length: 40 }, (_, at) => at)));
  assert.equal(long.lines, 42);
  assert.equal(long.first?.split('\n').length, 12);
  assert.equal(foldedText(JSON.stringify('x'.repeat(2_000))).first?.length, 1_500);
});
