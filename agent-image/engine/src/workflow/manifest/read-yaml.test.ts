import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { test } from 'node:test';
import { readYaml } from './read-yaml.ts';
import { MAX_BYTES } from './yaml-tokens.ts';

/** The problems of a text as `code line:column message`. */
function problems(text: string): readonly string[] {
  const read = readYaml(text);
  if (read.ok) return [];
  return read.problems.map(({ code, line, column, message }) => `${code} ${line}:${column} ${message}`);
}

test('a value has a place for each of its keys and values', () => {
  const read = readYaml('# first\nagents:\n  - id: a\n    tools: [x,\n      y]\nflow: { deep: { id: "b" } }\n');
  assert.ok(read.ok);
  const place = (...[path, at]: Parameters<typeof read.placeOf>): string => {
    const { line, column } = read.placeOf(path, at);
    return `${line}:${column}`;
  };
  assert.deepEqual(read.value, { agents: [{ id: 'a', tools: ['x', 'y'] }], flow: { deep: { id: 'b' } } });
  assert.equal(place([]), '2:1');
  assert.equal(place(['agents', 0]), '3:5');
  assert.equal(place(['agents', 0, 'id']), '3:9');
  assert.equal(place(['agents', 0, 'id'], 'key'), '3:5');
  assert.equal(place(['agents', 0, 'tools', 1]), '5:7');
  assert.equal(place(['flow', 'deep', 'id']), '6:21');
  assert.equal(place(['agents', 0, 'model']), '3:5', 'a missing value is at what it is missing from');
  assert.equal(place(['agents', 7, 'id']), '3:3');
});

test('an empty text, and one with comments alone, is an empty value', () => {
  for (const text of ['', '\n', '# nothing\n']) {
    const read = readYaml(text);
    assert.deepEqual(read.ok && [read.value, read.placeOf(['a'])], [{}, { line: 1, column: 1 }]);
  }
});

test('faults of the syntax come with their places', () => {
  assert.deepEqual(problems('a: [1, 2\nb: 3\n')[0]?.slice(0, 17), 'config_syntax 2:1');
  assert.deepEqual(problems('a: 1\nb:\n  - c\n   d: 1\n').length > 0, true);
  assert.deepEqual(problems('a: 1\nb: 2\na: 3\n'), ['config_syntax 3:1 Map keys must be unique']);
  assert.deepEqual(problems('a: 1\n---\nb: 2\n'), ['config_syntax 2:1 the file has several documents']);
  const tab = readYaml('a:\n\tb: 1\n');
  assert.equal(tab.ok || tab.problems[0]?.hint, 'Indent with spaces.');
});

test('parts of YAML that manifests do without are refused', () => {
  assert.deepEqual(problems('a: &x [1]\nb: *x\n'), ['config_syntax 1:4 anchors are refused']);
  assert.deepEqual(problems('b: *x\n'), ['config_syntax 1:4 aliases are refused']);
  assert.deepEqual(problems('a: 1\nb: !!js/function "x"\n'), ['config_syntax 2:4 tags are refused']);
  assert.deepEqual(problems('? !!str a\n: 1\n'), ['config_syntax 1:3 tags are refused']);
  assert.deepEqual(problems('%YAML 1.1\n---\na: yes\n'), ['config_syntax 1:1 directives are refused']);
  assert.deepEqual(problems('[a]: 1\n').length, 1);
  assert.deepEqual(problems('a: { __proto__: { b: 1 } }\n'), ['config_syntax 1:6 the key __proto__ is refused']);
  const read = readYaml('<<: { a: 1 }\n1: x\nyes: no\n');
  assert.deepEqual(read.ok && read.value, { '<<': { a: 1 }, '1': 'x', yes: 'no' });
});

test('numbers that JSON does not have, or that would lose digits, are refused', () => {
  assert.deepEqual(problems('a: .inf\nb: [.nan]\nc: 12345678901234567890\nd: 1.5e3\n'), [
    'config_syntax 1:4 JSON has no such number',
    'config_syntax 2:5 JSON has no such number',
    'config_syntax 3:4 JSON has no such number',
  ]);
});

test('hostile texts are refused within moments', (t) => {
  const bombs = {
    aliases: ['a: &a [x, x]', ...Array.from({ length: 40 }, (_, i) => `b${i}: &b${i} [*a, *a]`)].join('\n'),
    flowDepth: `a: ${'['.repeat(200_000)}`,
    mapDepth: `a: ${'{a: '.repeat(100_000)}`,
    blockDepth: Array.from({ length: 1_000 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n'),
    dashes: '- '.repeat(100_000),
    keys: Array.from({ length: 100_000 }, (_, index) => `k${index}: 1`).join('\n'),
    values: `a: [${'1,'.repeat(300_000)}]`,
    bytes: `a: "${'x'.repeat(MAX_BYTES)}"`,
    quotes: `a: '${"''".repeat(300_000)}`,
    colons: ':'.repeat(300_000),
    questions: '? '.repeat(100_000),
    comments: '#\n'.repeat(10_000),
  };
  for (const [name, text] of Object.entries(bombs)) {
    const started = performance.now();
    const read = readYaml(text);
    t.diagnostic(`${name}: ${(performance.now() - started).toFixed(0)} ms`);
    assert.equal(read.ok, name === 'quotes' || name === 'comments', name);
  }
});
