import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chunksOf } from './chunk.ts';

const numbers = (seed: number) => (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;

const LINES = [
  '',
  '',
  '# Title',
  '## Part with words',
  '```',
  'export function first(): void {',
  '  indented();',
  '}',
  'A sentence of a paragraph that is neither long nor short.',
  'word '.repeat(90),
  'x'.repeat(4_000),
  '🙂'.repeat(900),
];

test('pieces have all lines once and in order, exactly as they are, within the bound', () => {
  for (let seed = 1; seed <= 200; seed += 1) {
    const random = numbers(seed);
    const lines = Array.from({ length: Math.floor(random() * 200) }, () => LINES[Math.floor(random() * LINES.length)]);
    const text = lines.join('\n');
    const path = ['a.md', 'a.ts', 'a.txt'][seed % 3] ?? '';
    const chunks = chunksOf(path, text);
    const covered = new Map<number, string>();
    let last = 1;
    for (const chunk of chunks) {
      assert.ok(chunk.text.length <= 1_600 && chunk.text.isWellFormed(), `seed ${seed}`);
      assert.ok(chunk.from >= last && chunk.to >= chunk.from, `seed ${seed}: the order`);
      last = chunk.to;
      for (const [index, line] of chunk.text.split('\n').entries())
        covered.set(chunk.from + index, (covered.get(chunk.from + index) ?? '') + line);
    }
    const kept = lines.flatMap((line, index) => ((line ?? '').trim() === '' ? [] : [[index + 1, line] as const]));
    for (const [number, line] of kept) assert.equal(covered.get(number), line, `seed ${seed}, line ${number}`);
  }
});

test('Markdown is cut at its headings, which later pieces name, and not inside of code', () => {
  const long = 'Words about it. '.repeat(60);
  const text = `# Book\n\n${long}\n\n## Boats\n\n${long}\n\n### Oars\n\n\`\`\`\n# no heading\n${long}\n\`\`\`\n\n${long}\n`;
  assert.deepEqual(
    chunksOf('a.md', text).map(({ headings, from, text: piece }) => [
      from,
      headings,
      piece.split('\n')[0]?.slice(0, 12),
    ]),
    [
      [1, '', '# Book'],
      [5, 'Book', '## Boats'],
      [9, 'Book › Boats', '### Oars'],
      [16, 'Book › Boats › Oars', 'Words about '],
    ],
  );
});

test('code is cut where a symbol begins after an empty line; small neighbours are one piece', () => {
  const body = Array.from({ length: 30 }, (_, index) => `  const value${index} = ${index}; // indented`).join('\n');
  const symbol = (name: string) => `export function ${name}() {\n${body}\n\n  return;\n}\n`;
  const text = `import a from 'a';\n\n${symbol('first')}\n${symbol('second')}`;
  assert.deepEqual(
    chunksOf('a.ts', text).map((chunk) => chunk.text.match(/function \w+/g)),
    [['function first'], ['function second']],
  );
  assert.equal(chunksOf('a.ts', 'one();\n\ntwo();\n\nthree();\n').length, 1);
  assert.deepEqual(chunksOf('a.txt', ' \n\n\t\n'), []);
});
