import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { httpEmbedder } from './http-embedder.ts';

type Asked = Readonly<{ model: string; input: readonly string[] }>;

/** The answer to a request; a number is a status. */
let answer: (asked: Asked) => unknown = () => 500;
const asked: number[] = [];
const server = createServer((request, response) => {
  void json(request).then((body) => {
    const input = body as Asked;
    asked.push(input.input.length);
    const result = answer(input);
    if (typeof result === 'number') response.writeHead(result).end();
    else response.end(JSON.stringify(result));
  });
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
after(() => void server.close());

const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`;
const vectorsOf = ({ input }: Asked): unknown => ({
  data: input.map((text, index) => ({ index, embedding: Array(8).fill(text.length) })).toReversed(),
});

test('each text gets its vector, in requests of 64 texts in any order of the answer', async () => {
  answer = vectorsOf;
  const texts = Array.from({ length: 100 }, (_, index) => 'x'.repeat(index));
  const vectors = await httpEmbedder({ baseUrl, model: 'small', dimensions: 8 }).embed(texts);
  assert.deepEqual(
    vectors.map((vector) => vector[0]),
    texts.map((text) => text.length),
  );
  assert.deepEqual(asked, [64, 36]);
});

test('a server that fails, or answers with other dimensions or without a vector, is named and left alone for 30 s', async () => {
  const cases: readonly (readonly [(asked: Asked) => unknown, RegExp])[] = [
    [() => 503, /small answered 503/],
    [() => ({ data: [{ index: 0, embedding: [1, 2, 3] }] }), /gave 3 numbers for a text, not 8/],
    [() => ({ data: [] }), /gave 0 numbers/],
    [() => ({ error: 'none' }), /data/],
  ];
  for (const [wrong, message] of cases) {
    let now = 0;
    const embedder = httpEmbedder({ baseUrl, model: 'small', dimensions: 8, now: () => now });
    answer = wrong;
    await assert.rejects(embedder.embed(['text']), message);
    answer = vectorsOf;
    const requests = asked.length;
    await assert.rejects(embedder.embed(['text']), /failed a moment ago/);
    assert.equal(asked.length, requests);
    now = 30_000;
    assert.equal((await embedder.embed(['text'])).length, 1);
  }
});
