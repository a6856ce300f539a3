import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ellipsis, wrapText } from './label-art.ts';

/** Measures every letter as 1 wide. */
const measure = (text: string): number => text.length;

test('wrapping', () => {
  const cases: readonly (readonly [string, string[]])[] = [
    ['', []],
    ['hello', ['hello']],
    ['hello there', ['hello', 'there']],
    ['a b c d', ['a b c d']],
    ['  white \n space  ', ['white', 'space']],
    ['one two three four five six', ['one two', 'three fo…']],
    ['incomprehensibilities', ['incompre…']],
    ['go incomprehensibilities now', ['go', 'incompre…']],
  ];
  for (const [text, lines] of cases)
    assert.deepEqual(wrapText(text, { maxWidth: 9, maxLines: 2 }, measure), lines, text);
});

test('no text exceeds the maximum width or number of lines', () => {
  const words = 'Shall we meet at the café laterandthengohometogether and read'.split(' ');
  for (let count = 0; count <= words.length; count++) {
    for (const maxWidth of [3, 7, 12, 40]) {
      const lines = wrapText(words.slice(0, count).join(' '), { maxWidth, maxLines: 2 }, measure);
      assert.ok(lines.length <= 2);
      for (const line of lines) assert.ok(line.length <= maxWidth, `${line} is wider than ${maxWidth}`);
    }
  }
});

test('an ellipsis appears only if text is cut', () => {
  assert.equal(ellipsis('bread', 5, measure), 'bread');
  assert.equal(ellipsis('breads', 5, measure), 'brea…');
});
