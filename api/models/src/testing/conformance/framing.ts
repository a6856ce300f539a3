import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WireAnswer, WireChunk } from '../wire-server.ts';
import { assertOk, PLAIN_REQUEST, TEXT, type Bench } from './bench.ts';

type Rewrite = (chunk: string) => string;

function rewritten({ chunks, ...rest }: WireAnswer, rewrite: Rewrite): WireAnswer {
  return { ...rest, chunks: chunks.map((chunk: WireChunk) => (typeof chunk === 'string' ? rewrite(chunk) : chunk)) };
}

function joined({ chunks, ...rest }: WireAnswer, rewrite: Rewrite): WireAnswer {
  return { ...rest, chunks: [rewrite(chunks.join(''))] };
}

/** Events in forms that official clients accept. */
const FORMS: readonly (readonly [string, (stream: WireAnswer) => WireAnswer])[] = [
  ['empty events between them', (stream) => rewritten(stream, (chunk) => `data:\n\ndata: \n\n${chunk}`)],
  [
    'comments and fields of the connection',
    (stream) => rewritten(stream, (chunk) => `: wait\n\nretry: 9\n\nid: 1\n${chunk}`),
  ],
  ['no space after the colon', (stream) => rewritten(stream, (chunk) => chunk.replaceAll('data: ', 'data:'))],
  ['CRLF', (stream) => rewritten(stream, (chunk) => chunk.replaceAll('\n', '\r\n'))],
  ['CR', (stream) => rewritten(stream, (chunk) => chunk.replaceAll('\n', '\r'))],
  ['no blank line at the end', (stream) => joined(stream, (all) => all.replace(/\n*(data: \[DONE\]\n\n)?$/, ''))],
  ['a type of content that says JSON', ({ chunks }) => ({ headers: { 'content-type': 'application/json' }, chunks })],
];

/** The forms in which servers wrap an answer. The bytes of the provider decide, and not the request. */
export function framing(bench: Bench): void {
  const { wire } = bench.subject;
  const { whole = wire.plain } = wire;

  if (wire.isEvents !== false)
    for (const [title, form] of FORMS)
      test(`a stream is read with ${title}`, async () => {
        const { content } = assertOk(await bench.stream(PLAIN_REQUEST, form(wire.stream(TEXT))));
        assert.equal(content, 'The mill is north.');
      });

  test('a stream is read although a whole answer was asked for, and the other way round', async () => {
    for (const answer of [
      assertOk(await bench.chat(PLAIN_REQUEST, wire.stream(TEXT))),
      assertOk(await bench.stream(PLAIN_REQUEST, whole(TEXT))),
    ]) {
      assert.deepEqual([answer.content, answer.finish, answer.usage.totalTokens], ['The mill is north.', 'stop', 18]);
    }
  });

  if (wire.isEvents !== false)
    test('a whole answer that ends like a stream is read', async () => {
      const ended = joined(whole(TEXT), (all) => `${all}\n\ndata: [DONE]\n\n`);
      for (const outcome of [await bench.chat(PLAIN_REQUEST, ended), await bench.stream(PLAIN_REQUEST, ended)])
        assert.equal(assertOk(outcome).content, 'The mill is north.');
    });
}
