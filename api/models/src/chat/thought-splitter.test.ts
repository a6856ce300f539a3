import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Finish } from './chat-delta.ts';
import { EMPTY_ANSWER, foldDelta } from './fold-answer.ts';
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
  ['North or south?\n</think>\n\nNorth.', 'North or south?\n', 'North.'],
  ['North.</think>Go < north </thi </think> now.', 'North.', 'Go < north </thi </think> now.'],
  ['cut off</think>', 'cut off', ''],
  ['</think>\n\nNorth.', '', 'North.'],
  ['The tag `</think>` ends thoughts.</think>', '', 'The tag `</think>` ends thoughts.</think>'],
  ['<thin ice</thi', '', '<thin ice</thi'],
];

/** Splits a text that arrives in pieces of `size` characters. */
function split(written: string, size: number, { isOpened = false, finish = 'stop' as Finish } = {}) {
  const splitter = new ThoughtSplitter(isOpened);
  const pieces: SplitPiece[] = [];
  for (let at = 0; at < written.length; at += size) pieces.push(...splitter.take(written.slice(at, at + size)));
  pieces.push(...splitter.end(finish));
  return pieces;
}

for (const [written, thought, answer] of CASES)
  test(`${JSON.stringify(written)} is split for every length of its pieces`, () => {
    for (let size = 1; size <= written.length; size += 1) {
      const { reasoning, content } = split(written, size).reduce(foldDelta, EMPTY_ANSWER);
      assert.deepEqual([reasoning, content], [thought, answer], `${size}`);
    }
  });

const OPENED: readonly (readonly [string, Finish, string, string])[] = [
  ['North?\n</think>\n\nNorth.', 'stop', 'North?\n', 'North.'],
  ['<think>North?</think>North.', 'stop', 'North?', 'North.'],
  ['North or', 'length', 'North or', ''],
  ['North.</th', 'stop', 'North.</th', 'North.</th'],
];

for (const [written, finish, thought, answer] of OPENED)
  test(`${JSON.stringify(written)} begins with thoughts if the prompt opens them and the end is ${finish}`, () => {
    for (let size = 1; size <= written.length; size += 1) {
      const pieces = split(written, size, { isOpened: true, finish });
      const { reasoning, content } = pieces.reduce(foldDelta, EMPTY_ANSWER);
      assert.deepEqual([reasoning, content], [thought, answer], `${size}`);
      assert.ok(!pieces.some(({ endsThoughts }) => endsThoughts), 'no text is taken back');
    }
  });

test('a pair in two pieces stays whole, and a half becomes U+FFFD', () => {
  const characters = new WholeCharacters();
  const pieces = ['a\ud83e', '\udd81b\ud83e', 'c\udd81', '\ud83e'].map((piece) => characters.take(piece));
  assert.deepEqual([...pieces, characters.end()], ['a', '🦁b', '\ufffdc\ufffd', '', '\ufffd']);
});
