import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MarkdownNode, markdownTree } from './markdown-tree.ts';

const POST = '01a20000-0000-7000-8000-00000000000a';

/** The tree in a short form: `p(One · strong(two))`. */
function shape(text: string): string {
  return markdownTree(text).map(shapeOf).join(' ');
}

function shapeOf(node: MarkdownNode): string {
  switch (node.kind) {
    case 'element': {
      const { tag, start, align } = node;
      const facts = [start === 1 ? '' : String(start), align === 'left' ? '' : align].join('');
      return `${tag}${facts}(${node.children.map(shapeOf).join(' · ')})`;
    }
    case 'break':
      return '⏎';
    case 'web':
      return `web<${node.url}|${node.name ?? ''}>`;
    case 'post':
      return `post<${node.text}>`;
    case 'block':
    case 'code':
      return `${node.kind}<${node.text}>`;
    case 'text':
      return node.text;
  }
}

test('paragraphs keep their lines; lists, headings, quotes and code are recognized', () => {
  assert.equal(shape('One\ntwo\n\nthree'), 'p(One · ⏎ · two) p(three)');
  assert.equal(shape('# Plan\n- walk\n- ask\n\n> so\n\n---'), 'h1(Plan) ul(li(walk) · li(ask)) blockquote(p(so)) hr()');
  assert.equal(shape('- walk to\n  the café'), 'ul(li(walk to · ⏎ · the café))');
  assert.equal(shape('- [x] bake\n- [ ] sell'), 'ul(li(☑ bake) · li(☐ sell))');
});

test('a list counts on across blank lines and code, and begins with its own number', () => {
  assert.equal(shape('1. a\n\n2. b\n\n3. c'), 'ol(li(p(a)) · li(p(b)) · li(p(c)))');
  assert.equal(shape('1. a\n   ```\n   x\n   ```\n2. b'), 'ol(li(a · block<x>) · li(b))');
  assert.equal(shape('4. d\n5. e'), 'ol4(li(d) · li(e))');
});

test('a fence ends only at a fence of its own kind and length, and an open one holds the rest', () => {
  assert.equal(shape('````\n```\nx\n```\n````\nend'), 'block<```\nx\n```> p(end)');
  assert.equal(shape('~~~\n```\nx\n~~~'), 'block<```\nx>');
  assert.equal(shape('```ts\nlet **a** = 1;\n\n- b'), 'block<let **a** = 1;\n\n- b>');
});

test('a table keeps its cells and their alignment', () => {
  assert.equal(
    shape('| a | b |\n|---|--:|\n| 1 | ~~2~~ |'),
    'table(thead(tr(th(a) · thright(b))) · tbody(tr(td(1) · tdright(s(2)))))',
  );
});

test('names with underscores, lone stars and HTML stay text', () => {
  assert.equal(shape('Bob **wants** `2 m`.'), 'p(Bob  · strong(wants) ·   · code<2 m> · .)');
  for (const text of ['post_to_board is a tool', '2 * 3 * 4', 'still **open', '<img src=x onerror=alert(1)>'])
    assert.equal(shape(text), `p(${text})`);
});

test('an address of a post becomes a link to the post', () => {
  for (const address of [`/?view=board&post=${POST}`, `https://village.example/?post=${POST}&agent=ada`])
    assert.equal(shape(`See ${address}`), 'p(See  · post<the post>)');
  assert.equal(shape(`[Rope](/?view=board&post=${POST}).`), 'p(post<Rope> · .)');
});

test('only addresses of the web become links, unchanged, and no image is loaded', () => {
  const address = 'https://evil.example/?q=secret%41&r=ä';
  assert.equal(shape(address), `p(web<${address}|>)`);
  assert.equal(shape(`**${address}**`), `p(strong(web<${address}|>))`);
  assert.equal(shape('[click](https://evil.example)'), 'p(web<https://evil.example|click>)');
  assert.equal(shape('![x](https://evil.example)'), 'p(! · web<https://evil.example|x>)');
  assert.equal(shape('[x](javascript:alert(1))'), 'p(x (javascript:alert(1)))');
  assert.equal(shape('[x][1]\n\n[1]: https://a.org'), 'p([x][1]) p([1]:  · web<https://a.org|>)');
});

test('long hostile texts are parsed and bounded in depth', () => {
  const depthOf = (nodes: readonly MarkdownNode[]): number =>
    Math.max(0, ...nodes.map((node) => (node.kind === 'element' ? 1 + depthOf(node.children) : 0)));
  for (const part of ['[', '**', '`', '_a*', '?a=b&', '- ', '1. ', '> ', '# ', '/?post=', '![', '| a ', '- a\n']) {
    const tree = markdownTree(part.repeat(10_000));
    assert.ok(depthOf(tree) <= 60, part);
  }
});
