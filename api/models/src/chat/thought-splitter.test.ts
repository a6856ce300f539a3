import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ThoughtSplitter, type SplitPiece } from './thought-splitter.ts';
import { WholeCharacters } from './whole-characters.ts';

const CASES: readonly (readonly [string, string, string])[] = [
  ['<think>North?</think>\n\nNorth.', 'North?', 'North.'],
  ['  <thinking>a < b</thinking>c', 'a < b', 'c'],
  ['[THINK]a[/THINK]b', 'a', 'b'],
  ['<think></think>\nb', '', 'b'],
  ['<think>cut off </thi', 'cut off </thi', ''],
  ['The tag <think>a</think> stands for thoughts.', '', 'The tag <think>a</think> stands for thoughts.'],
  ['<thin ice', '', '<thin ice'],
  ['<thi', '', '<thi'],
  ['  ', '', '  '],
];

for (const [written, thought, answer] of CASES)
  test(`${JSON.stringify(written)} is split for every length of its pieces`, () => {
    for (let size = 1; size <= written.length; size += 1) {
      const splitter = new ThoughtSplitter();
      const pieces: SplitPiece[] = [];
      for (let at = 0; at < written.length; at += size) pieces.push(...splitter.take(written.slice(at, at + size)));
      pieces.push(...splitter.end());
      const joined = (kind: string): string =>
        pieces
          .filter((piece) => piece.kind === kind)
          .map(({ text }) => text)
          .join('');
      assert.deepEqual([joined('reasoning'), joined('text')], [thought, answer], `${size}`);
    }
  });

test('a pair in two pieces stays whole, and a half becomes U+FFFD', () => {
  const characters = new WholeCharacters();
  const pieces = ['a\ud83e', '\udd81b\ud83e', 'c\udd81', '\ud83e'].map((piece) => characters.take(piece));
  assert.deepEqual([...pieces, characters.end()], ['a', '🦁b', '\ufffdc\ufffd', '', '\ufffd']);
});
