import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readEventStream } from './event-stream.ts';

function bodyOf(chunks: readonly string[]): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(encoder.encode(chunk));
      controller.close();
    },
  });
}

async function readAll(chunks: readonly string[]): Promise<unknown[]> {
  return Array.fromAsync(readEventStream(bodyOf(chunks)));
}

test('the reader returns the same messages for every split into chunks, and ignores comments', async () => {
  const text = ': open\n\nid: 7\nevent: wake\ndata: {"a":1}\n\n: \n\ndata: one\ndata: two\r\n\r\n';
  const expected = [
    { event: 'wake', id: '7', data: '{"a":1}' },
    { event: 'message', id: null, data: 'one\ntwo' },
  ];
  for (let size = 1; size <= text.length; size += 1) {
    const chunks = Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
      text.slice(index * size, (index + 1) * size),
    );
    assert.deepEqual(await readAll(chunks), expected, `chunks of ${size}`);
  }
});

test('an unfinished message is not returned', async () => {
  assert.deepEqual(await readAll(['event: wake\ndata: {"a"']), []);
});

test('a message that exceeds the size limit is refused', async () => {
  await assert.rejects(readAll(['data: ', 'x'.repeat(2 << 20)]), /larger than 1 MiB/);
});
