import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bareCloseTag, ThoughtSplitter, type SplitPiece, type TextStart } from './thought-splitter.ts';
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

/** The answer of a model whose prompt has opened the thoughts. */
const OPENED: readonly (readonly [string, string, string])[] = [
  ['North or south?\n</think>\n\nNorth.', 'North or south?\n', 'North.'],
  ['\na < b </thinking>c', '\na < b ', 'c'],
  ['a[/THINK] b', 'a', 'b'],
  ['</think>\n\nNorth.', '', 'North.'],
  ['a</thi</think>b</think>c', 'a</thi', 'b</think>c'],
  ['\n<think>North?</thinking></think>North.', 'North?</thinking>', 'North.'],
  ['The tag <think> stands for thoughts.</think>So it is.', 'The tag <think> stands for thoughts.', 'So it is.'],
  ['{"a":1}</think>b', '{"a":1}', 'b'],
  ['cut off </thi', 'cut off </thi', ''],
  ['<thi', '<thi', ''],
];

/** The same model, asked for JSON. */
const JSON_OPENED: readonly (readonly [string, string, string])[] = [
  [' {"bird":"</think>"}', '', ' {"bird":"</think>"}'],
  ['[1]', '', '[1]'],
  ['A heron.</think>{"bird":"heron"}', 'A heron.', '{"bird":"heron"}'],
  ['[THINK]a[/THINK][1]', 'a', '[1]'],
  ['\n"heron"', '', '\n"heron"'],
  ['"</think>"', '', '"</think>"'],
  ['null', '', 'null'],
  ['-1.5', '', '-1.5'],
  ['[INST] wants a bird.</think>\n\n{"bird":"heron"}', '[INST] wants a bird.', '{"bird":"heron"}'],
  ['{"bird":"heron"}?</thinking>{"bird":"owl"}', '{"bird":"heron"}?', '{"bird":"owl"}'],
  ['"heron" fits.</think>"heron"', '"heron" fits.', '"heron"'],
  ['not a heron</think>', 'not a heron', ''],
  ['{"bird":"he', '', '{"bird":"he'],
  ['"heron" may', '"heron" may', ''],
  ['<thi', '<thi', ''],
];

const STARTS: readonly (readonly [string, TextStart, typeof CASES])[] = [
  ['', {}, CASES],
  [' after an opened thought', { isOpened: true }, OPENED],
  [' after an opened thought, as JSON', { isOpened: true, isJson: true }, JSON_OPENED],
  [' as JSON', { isJson: true }, [['{"a":1}', '', '{"a":1}']]],
];

for (const [name, start, cases] of STARTS)
  for (const [written, thought, answer] of cases)
    test(`${JSON.stringify(written)}${name} is split for every length of its pieces`, () => {
      for (let size = 1; size <= written.length; size += 1) {
        const splitter = new ThoughtSplitter(start);
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

test('opened thoughts and their answer leave piece by piece, with the next piece at the latest', () => {
  const splitter = new ThoughtSplitter({ isOpened: true });
  const pieces = ['Nor', 'th', '?</', 'think>', '\n\n', 'Nor', 'th.'].map((text) => [...splitter.take(text)]);
  assert.deepEqual(
    pieces.map(([piece]) => piece && `${piece.kind} ${piece.text}`),
    ['reasoning Nor', 'reasoning th', 'reasoning ?', undefined, undefined, 'text Nor', 'text th.'],
  );
  assert.ok(splitter.isPast);
});

test('a demand for JSON streams opened thoughts that cannot be JSON, and gives any other text at its end', () => {
  const start = { isOpened: true, isJson: true };
  assert.deepEqual([...new ThoughtSplitter(start).take('A her')], [{ kind: 'reasoning', text: 'A her' }]);
  const splitter = new ThoughtSplitter(start);
  assert.deepEqual([...splitter.take('{"bird":'), ...splitter.take('"heron"}')], []);
  assert.deepEqual([...splitter.end()], [{ kind: 'text', text: '{"bird":"heron"}' }]);
});

test('a text whose thoughts the server separates begins with its answer, also after a demand for JSON', () => {
  const splitter = new ThoughtSplitter({ isOpened: true, isJson: true });
  assert.deepEqual([...splitter.take('{"bird"')], []);
  splitter.noteSeparated();
  assert.deepEqual([...splitter.end()], [{ kind: 'text', text: '{"bird"' }]);
});

test('many blanks in pieces of one character are read once, before an answer, a tag and opened thoughts', () => {
  const blanks = 400_000;
  const kept = ' '.repeat(blanks);
  const cases = [
    [{}, 'North.', `text ${kept}North.`],
    [{}, '<think>a', 'reasoning a'],
    [{ isOpened: true }, 'North?', `reasoning ${kept}North?`],
    [{ isOpened: true, isJson: true }, '1', `text ${kept}1`],
  ] as const;
  for (const [start, last, expected] of cases) {
    const splitter = new ThoughtSplitter(start);
    for (let count = 0; count < blanks; count += 1) assert.ok(splitter.take(' ').next().done);
    const pieces = [...splitter.take(last), ...splitter.end()];
    assert.ok(pieces.map(({ kind, text }) => `${kind} ${text}`).join() === expected, last);
  }
});

test('a closing tag is bare unless its opening one comes before it', () => {
  const tags = ['a</think>b', 'a</thinking>', '[/THINK]', '</think><think>'].map(bareCloseTag);
  assert.deepEqual(tags, ['</think>', '</thinking>', '[/THINK]', '</think>']);
  for (const text of ['', 'a', 'The tag <think>a</think> stands', '<think>a</think></think>', '</thin'])
    assert.equal(bareCloseTag(text), null, text);
});

test('a pair in two pieces stays whole, and a half becomes U+FFFD', () => {
  const characters = new WholeCharacters();
  const pieces = ['a\ud83e', '\udd81b\ud83e', 'c\udd81', '\ud83e'].map((piece) => characters.take(piece));
  assert.deepEqual([...pieces, characters.end()], ['a', '🦁b', '\ufffdc\ufffd', '', '\ufffd']);
});
