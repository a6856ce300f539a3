import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readExposition } from './exposition.ts';

const read = (text: string) => readExposition(text, new Set(['up', 'load']));

test('reads names, labels with escapes, values, and leaves comments and other metrics out', () => {
  const text = [
    '# HELP up One if it is up.',
    '# TYPE up gauge',
    'up 1',
    'up{} 0 1700000000000',
    String.raw`load{a="x, y",b="say \"}\" \\ \n",} 1.5e3`,
    'other{a="x"} 7',
  ].join('\n');
  assert.deepEqual(read(text), [
    { name: 'up', labels: {}, value: 1 },
    { name: 'up', labels: {}, value: 0 },
    { name: 'load', labels: { a: 'x, y', b: 'say "}" \\ \n' }, value: 1500 },
  ]);
});

test('leaves out lines that are broken, and values that are not finite', () => {
  for (const line of ['up', 'up{', 'up{a} 1', 'up{a="x" 1', 'up{a="x"} one', 'up NaN', 'up +Inf', '{} 1', '\u0000', ''])
    assert.deepEqual(read(`${line}\nload 2`), [{ name: 'load', labels: {}, value: 2 }], line);
});

test('bounds what a hostile exporter can send', () => {
  assert.equal(read('up 1\n'.repeat(10_000)).length, 4_096);
  assert.deepEqual(read(`up{a="${'x'.repeat(5_000)}"} 1`), [], 'a line that is too long');
  const labels = Array.from({ length: 65 }, (_, at) => `l${at}="x"`).join(',');
  assert.deepEqual(read(`up{${labels}} 1`), [], 'too many labels');
  const quotes = `up{a="${'\\'.repeat(4_000)}`;
  assert.deepEqual(read(quotes), [], 'an end that is missing');
  assert.equal(read('up{__proto__="x"} 1')[0]?.labels['a'], undefined);
});
