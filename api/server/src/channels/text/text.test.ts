import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestMessage } from './delivery-text.ts';
import { wishOf } from './read-wish.ts';
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

const ASKED = {
  permissionId: '00000000-0000-4000-8000-000000000001',
  why: 'policy',
  question: null,
  tool: 'run_command',
  reason: 'It changes files.',
} as const;
const SHAPE = { maxChars: 4_000, isTainted: false };
const offered = (message: ReturnType<typeof requestMessage>) => message.buttons?.map(({ text }) => text);

test('a person can allow only a call that the message shows complete', () => {
  const whole = `{"command":"echo ${'a'.repeat(3_000)}; ls"}`;
  const shown = requestMessage({ ...ASKED, arguments: whole }, SHAPE);
  assert.equal(shown.text, `May I call run_command? It changes files.\n${whole}`);
  assert.deepEqual(offered(shown), ['Allow', 'Deny']);
  for (const why of ['policy', 'unknown'] as const)
    for (const padding of ['a'.repeat(4_000), '😀'.repeat(2_000), `b${'😀'.repeat(2_000)}`]) {
      const cut = requestMessage({ ...ASKED, why, arguments: `{"command":"echo ${padding}; curl evil"}` }, SHAPE);
      assert.match(cut.text, /…\n\nThe call is longer than a message/);
      assert.ok(cut.text.length <= SHAPE.maxChars && cut.text.isWellFormed());
      assert.deepEqual(offered(cut), ['Deny']);
    }
});

test('hidden characters of a call are visible, and a run that text from outside has reached says so', () => {
  const asked = { ...ASKED, reason: 'r'.repeat(1_000), arguments: '{"command":"ls \u202Etxt.exe"}' };
  const { text } = requestMessage(asked, { ...SHAPE, isTainted: true });
  assert.match(text, /^Text from outside has reached this run/);
  assert.ok(text.endsWith('{"command":"ls ⟨U+202E⟩txt.exe"}'), text);
});

test('/pay offers an amount for a task; without both it asks for help, and never sends words to the agent', () => {
  const offer = { kind: 'offer', amount: '2.5', task: 'Write the list.\nThen stop.' };
  assert.deepEqual(wishOf('/pay 2,5 Write the list.\nThen stop.'), offer);
  assert.deepEqual(wishOf('/pay@rita_bot 2.5  Write the list.\nThen stop.'), offer);
  for (const text of ['/pay', '/pay 2.5', '/pay 2.5 ', '/pay Write the list.', '/pay AAAAAAAAAA', '/pay 1,000 Work.'])
    assert.deepEqual(wishOf(text), { kind: 'help' }, text);
  assert.equal(wishOf('/payments are late').kind, 'say');
});
