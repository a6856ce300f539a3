import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Block, type Inline, textBlocks } from './text-blocks.ts';

const POST = '01a20000-0000-7000-8000-00000000000a';
const line = (text: string): readonly Inline[] => {
  const [block] = textBlocks(text);
  assert.ok(block?.kind === 'paragraph');
  return block.lines[0] ?? [];
};
const kinds = (text: string): readonly Block['kind'][] => textBlocks(text).map(({ kind }) => kind);

test('paragraphs keep their lines; lists, headings and code are recognized', () => {
  assert.deepEqual(kinds('One\ntwo\n\nthree'), ['paragraph', 'paragraph']);
  assert.deepEqual(kinds('# Plan\nFirst:\n- walk\n- ask\n1. post\n```\ncode\n```\nend'), [
    'heading',
    'paragraph',
    'list',
    'list',
    'code',
    'paragraph',
  ]);
  assert.deepEqual(textBlocks('- walk to\n  the café\n- ask'), [
    {
      kind: 'list',
      ordered: false,
      items: [[{ kind: 'text', text: 'walk to the café' }], [{ kind: 'text', text: 'ask' }]],
    },
  ]);
});

test('code is shown unchanged, even before its closing mark arrives', () => {
  assert.deepEqual(textBlocks('```ts\nlet **a** = 1;\n\n- b'), [{ kind: 'code', text: 'let **a** = 1;\n\n- b' }]);
});

test('bold text and code are recognized in a line; names with underscores and lone stars stay text', () => {
  assert.deepEqual(line('Bob wants **rope**, `2 m`.'), [
    { kind: 'text', text: 'Bob wants ' },
    { kind: 'strong', text: 'rope' },
    { kind: 'text', text: ', ' },
    { kind: 'code', text: '2 m' },
    { kind: 'text', text: '.' },
  ]);
  for (const text of ['post_to_board is a tool', '2 * 3 * 4', 'still **open', '<img src=x onerror=alert(1)>'])
    assert.deepEqual(line(text), [{ kind: 'text', text }]);
});

test('an address of a post becomes a link to the post', () => {
  for (const address of [`/?view=board&post=${POST}`, `https://village.example/?post=${POST}&agent=ada`])
    assert.deepEqual(line(`See ${address}`), [
      { kind: 'text', text: 'See ' },
      { kind: 'post', postId: POST, text: 'the post' },
    ]);
  assert.deepEqual(line(`[Rope](/?view=board&post=${POST}).`)[0], { kind: 'post', postId: POST, text: 'Rope' });
});

test('a web address is a link only if the run opened it, and no image is loaded', () => {
  const web = (text: string, url: string, name: string | null = null): Inline => ({ kind: 'web', text, url, name });
  const address = 'https://evil.example/?q=secret';
  assert.deepEqual(line(address), [web(address, address)]);
  assert.deepEqual(line(`**${address}**`), [web(address, address)]);
  const named = '[click](https://evil.example)';
  assert.deepEqual(line(named), [web(named, 'https://evil.example', 'click')]);
  assert.deepEqual(line(`!${named}`), [{ kind: 'text', text: '!' }, web(named, 'https://evil.example', 'click')]);
  assert.deepEqual(line('[x](javascript:alert(1))'), [{ kind: 'text', text: '[x](javascript:alert(1))' }]);
});

test('parsing a long hostile text takes linear time', () => {
  for (const part of ['[', '**', '`', '?a=b&', '- ', '# ', '/?post='])
    assert.ok(textBlocks(part.repeat(20_000)).length > 0);
});
