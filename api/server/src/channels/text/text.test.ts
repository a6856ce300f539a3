import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitText } from './split-text.ts';
import { telegramHtml } from './telegram-html.ts';

test('a long text is cut at lines, then at words, then anywhere, and never within a surrogate pair', () => {
  assert.deepEqual(splitText('short', 64), ['short']);
  assert.deepEqual(splitText('', 64), []);
  const lines = Array.from({ length: 40 }, (_, n) => `line ${n} of the text`).join('\n');
  const parts = splitText(lines, 100);
  assert.ok(parts.every((part) => part.length <= 100 && part.startsWith('line ')));
  assert.equal(parts.join('\n'), lines, 'nothing is lost');
  const words = 'word '.repeat(60).trim();
  assert.equal(splitText(words, 64).join(' '), words);
  const faces = '😀'.repeat(100);
  const cut = splitText(faces, 65);
  assert.equal(cut.join(''), faces);
  assert.ok(cut.every((part) => part.length <= 65 && part.isWellFormed()));
});

test('a block of code that is cut ends in its part and begins again in the next', () => {
  const code = `before\n\`\`\`\n${Array.from({ length: 30 }, (_, n) => `let x${n} = ${n};`).join('\n')}\n\`\`\`\nafter`;
  const parts = splitText(code, 120);
  assert.ok(parts.length > 3);
  for (const part of parts) {
    assert.ok(part.length <= 120, `${part.length}`);
    assert.equal(part.split('```').length % 2, 1, 'each part closes its blocks');
  }
  const text = parts.join('\n').replaceAll('```', '');
  for (let n = 0; n < 30; n += 1) assert.match(text, new RegExp(`let x${n} = ${n};`));
});

test('Markdown becomes the tags of Telegram; every other sign is escaped', () => {
  assert.equal(
    telegramHtml('# Title\nSome **bold** and `a < b`.'),
    '<b>Title</b>\nSome <b>bold</b> and <code>a &lt; b</code>.',
  );
  assert.equal(telegramHtml('```ts\nif (a && b) {}\n```'), '<pre>if (a &amp;&amp; b) {}</pre>');
  assert.equal(telegramHtml('[a](https://x.org/?a=1&b=2)'), '<a href="https://x.org/?a=1&amp;b=2">a</a>');
  assert.equal(telegramHtml('[a](javascript:x) <script>'), '[a](javascript:x) &lt;script&gt;');
  assert.equal(telegramHtml('```\nopen'), '<pre>open</pre>', 'a block without an end');
  assert.equal(telegramHtml('**a `b** c`'), '<b>a `b</b> c`', 'tags never overlap');
});
