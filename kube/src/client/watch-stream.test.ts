import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LineSplitter } from './watch-stream.ts';

const LINES = ['{"a":"Zürich"}', '{"b":"🦉🦉"}', '{"c":""}'];

test('lines and characters may be split anywhere', () => {
  const bytes = new TextEncoder().encode(`${LINES.join('\n')}\n`);
  for (let size = 1; size <= bytes.length; size += 1) {
    const splitter = new LineSplitter();
    const seen: string[] = [];
    for (let at = 0; at < bytes.length; at += size) seen.push(...splitter.push(bytes.subarray(at, at + size)));
    assert.deepEqual(seen, LINES, `in chunks of ${size}`);
  }
});

test('an unfinished line is not returned, and blank lines are skipped', () => {
  const splitter = new LineSplitter();
  assert.deepEqual(splitter.push(new TextEncoder().encode('\n\n{"a":')), []);
  assert.deepEqual(splitter.push(new TextEncoder().encode('1}\n')), ['{"a":1}']);
});

test('a line without an end is an error, and does not fill the memory', () => {
  const splitter = new LineSplitter();
  const chunk = new Uint8Array(4 << 20).fill(0x61);
  assert.throws(() => {
    for (let count = 0; count < 6; count += 1) splitter.push(chunk);
  }, RangeError);
});
