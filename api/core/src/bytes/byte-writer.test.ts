import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteReader } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';

test('a number is encoded in the fewest bytes, so equal states have equal bytes', () => {
  for (const [value, bytes] of [
    [0, 1],
    [1, 1],
    [126, 1],
    [127, 1],
    [128, 2],
    [16_383, 2],
    [16_384, 3],
    [2 ** 21 - 1, 3],
    [2 ** 21, 4],
    [2 ** 28 - 1, 4],
    [2 ** 28, 5],
    [2 ** 32 - 1, 5],
  ] as const) {
    const writer = new ByteWriter();
    writer.varint(value);
    assert.equal(writer.finish().length, bytes, `${value}`);
    assert.equal(new ByteReader(writer.finish()).varint(), value);
  }
  for (const [value, bytes] of [
    [0, 1],
    [-1, 1],
    [63, 1],
    [-64, 1],
    [64, 2],
    [-65, 2],
  ] as const) {
    const writer = new ByteWriter();
    writer.signed(value);
    assert.equal(writer.finish().length, bytes, `${value}`);
    assert.equal(new ByteReader(writer.finish()).signed(), value);
  }
});

test('a writer grows with its content, and keeps its memory after clear', () => {
  const writer = new ByteWriter();
  for (const length of [255, 256, 257, 5_000]) {
    const bytes = Uint8Array.from({ length }, (_, index) => index % 251);
    writer.clear();
    writer.bytes(bytes);
    writer.u32(0xdead_beef);
    assert.equal(writer.length, length + 4);
    assert.deepEqual(writer.finish().subarray(0, length), bytes);
    assert.equal(new ByteReader(writer.finish().subarray(length)).u32(), 0xdead_beef);
  }
});

test('a text is written as its length in bytes and its UTF-8', () => {
  for (const text of [
    '',
    'a',
    'agent-1',
    'é',
    'ascii before an é',
    '\u007f',
    '\u0080',
    '漢字',
    '😀',
    'x'.repeat(127),
    'x'.repeat(128),
    `${'x'.repeat(126)}é`,
    'é'.repeat(64),
  ]) {
    const writer = new ByteWriter();
    writer.u8(7);
    writer.text(text);
    const expected = new ByteWriter();
    expected.u8(7);
    expected.varint(Buffer.byteLength(text));
    expected.bytes(Buffer.from(text));
    assert.deepEqual(writer.finish(), expected.finish(), text);
    assert.equal(new ByteReader(writer.finish().subarray(1)).text(), text);
  }
});
