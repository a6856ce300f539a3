import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KubeError } from './kube-error.ts';
import { LineSplitter, watchEventOf } from './watch-stream.ts';

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

test('a line of 16 MiB arrives whole, and one character more is an error', () => {
  const longest = new Uint8Array(16 << 20).fill(0x61);
  const splitter = new LineSplitter();
  assert.deepEqual(splitter.push(longest), []);
  assert.deepEqual(
    splitter.push(new TextEncoder().encode('\n')).map((line) => line.length),
    [16 << 20],
  );
  splitter.push(longest);
  assert.throws(() => splitter.push(new TextEncoder().encode('a')), RangeError);
});

test('an event needs an object with a version, and a change also a name', () => {
  const metadata = { name: 'a', namespace: 'n', uid: 'u', resourceVersion: '7' };
  assert.deepEqual(watchEventOf({ type: 'DELETED', object: { metadata } }), { type: 'DELETED', object: { metadata } });
  assert.deepEqual(watchEventOf({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '9' } } }), {
    type: 'BOOKMARK',
    version: '9',
  });
  for (const line of [
    null,
    'ADDED',
    7,
    {},
    { type: 'ADDED' },
    { type: 'ADDED', object: null },
    { type: 'ADDED', object: 'a' },
    { type: 'ADDED', object: { metadata: null } },
    { type: 'ADDED', object: { metadata: { ...metadata, resourceVersion: 7 } } },
    { type: 'ADDED', object: { metadata: { resourceVersion: '7' } } },
    { type: 'BOOKMARK', object: { metadata: { name: 'a' } } },
    { type: 'RENAMED', object: { metadata } },
  ])
    assert.throws(() => watchEventOf(line), SyntaxError, JSON.stringify(line));
});

test('an ERROR event is the error of its status, even without an object', () => {
  const statusOf = (object: unknown): unknown => {
    try {
      return watchEventOf({ type: 'ERROR', object });
    } catch (error) {
      return error instanceof KubeError ? error.status : error;
    }
  };
  assert.deepEqual(
    [statusOf({ code: 410 }), statusOf('gone'), statusOf(null), statusOf(undefined)],
    [410, 500, 500, 500],
  );
});
