import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shortArguments, shownArguments, visibleText } from './shown-arguments.ts';

test('every argument is shown whole and by its name', () => {
  const body = `${'rope '.repeat(2000)}\nsecond line`;
  assert.deepEqual(shownArguments(JSON.stringify({ body, seconds: 60, tags: ['a', 'b'], long: [body] })), [
    { name: 'body', text: body, isText: true },
    { name: 'seconds', text: '60', isText: false },
    { name: 'tags', text: '["a","b"]', isText: false },
    { name: 'long', text: `[\n  ${JSON.stringify(body)}\n]`, isText: false },
  ]);
});

const HIDDEN: readonly (readonly [string, string, string])[] = [
  ['a mark that reorders text', 'pay \u202Ebob', 'pay ⟨U+202E⟩bob'],
  ['a character without width', 'pay\u200Bbob', 'pay⟨U+200B⟩bob'],
  ['a control', 'a\u0007b', 'a⟨U+0007⟩b'],
  ['a carriage return', 'a\rb', 'a⟨U+000D⟩b'],
  ['a tag character', 'a\u{E0041}b', 'a⟨U+E0041⟩b'],
  ['a space that is none', 'a\u00A0b', 'a⟨U+00A0⟩b'],
  ['a line separator', 'a\u2028b', 'a⟨U+2028⟩b'],
  ['a private character', 'a\uE000b', 'a⟨U+E000⟩b'],
  ['a hangul filler', 'a\u3164b', 'a⟨U+3164⟩b'],
];
for (const [name, text, shown] of HIDDEN)
  test(`the reader sees ${name}`, () => {
    assert.equal(visibleText(text), shown);
  });

test('what people write stays as it is', () => {
  for (const text of ['Grüße, 日本 😀', 'two\nlines\tand a tab', '<b>&amp;</b> **no** [markup](x)'])
    assert.equal(visibleText(text), text);
});

test('names are as visible as values, and text that is no object is shown whole', () => {
  assert.equal(shownArguments('{"a\u200Bmount":1}')[0]?.name, 'a⟨U+200B⟩mount');
  for (const text of ['not json', '[1,2]', 'null', ''])
    assert.deepEqual(shownArguments(text), [{ name: '', text, isText: false }]);
});

test('a folded call has its values in one short line', () => {
  assert.equal(shortArguments('{"title":"Rope\\nfor Bob","tags":[],"n":2}'), 'Rope for Bob · [] · 2');
  assert.equal(shortArguments(null), '');
  assert.equal(shortArguments('{}'), '');
  assert.equal([...shortArguments(JSON.stringify({ body: 'x'.repeat(500) }))].length, 90);
});
