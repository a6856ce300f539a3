import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChatDelta } from '../../chat/chat-delta.ts';
import { assertOk, bytewise, PLAIN_REQUEST, RICH_REQUEST, TEXT, upTo, type Bench } from './bench.ts';

export function answers(bench: Bench): void {
  const { wire, expects, tools } = bench.subject;

  test('a whole answer has text, usage and raw', async () => {
    const answer = assertOk(await bench.chat(PLAIN_REQUEST, wire.plain(TEXT)));
    assert.deepEqual([answer.content, answer.finish, answer.toolCalls], ['The mill is north.', 'stop', []]);
    const { promptTokens, completionTokens, totalTokens, estimated } = answer.usage;
    assert.deepEqual([promptTokens, completionTokens, totalTokens, estimated], [11, 7, 18, false]);
    assert.equal(typeof answer.raw, 'object');
    assert.deepEqual(answer.target, { provider: bench.subject.name, model: 'up-model' });
  });

  test('the provider receives the request in its own form', async () => {
    await bench.chat(tools ? RICH_REQUEST : PLAIN_REQUEST, wire.plain(TEXT));
    const request = bench.server.requests.at(-1);
    assert.ok(request !== undefined);
    assert.equal(request.path, expects.path);
    assert.partialDeepStrictEqual(request.headers, expects.headers);
    assert.deepEqual(request.body, expects.body);
  });

  test('a streamed answer equals a whole one', async () => {
    const plain = assertOk(await bench.chat(PLAIN_REQUEST, wire.plain(TEXT)));
    const streamed = assertOk(await bench.stream(PLAIN_REQUEST, wire.stream(TEXT)));
    assert.deepEqual({ ...streamed, raw: null }, { ...plain, raw: null });
  });
}

export function streams(bench: Bench): void {
  const { wire } = bench.subject;

  test('a stream yields pieces while the provider still writes', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const whole = wire.stream(TEXT);
    const first = upTo(whole, 'The mill', []).chunks.length;
    const chunks = [...whole.chunks.slice(0, first), { until: promise }, ...whole.chunks.slice(first)];
    bench.answer({ ...whole, chunks });
    const deltas: ChatDelta[] = [];
    for await (const delta of bench.model().stream(PLAIN_REQUEST)) {
      deltas.push(delta);
      if (delta.kind === 'text') resolve();
    }
    assert.equal(deltas.at(-1)?.kind, 'end');
    assert.equal(deltas[0]?.kind, 'begin');
  });

  test('an answer that reached its token limit has the finish reason length', async () => {
    const answer = { ...TEXT, finish: 'length' } as const;
    assert.equal(assertOk(await bench.chat(PLAIN_REQUEST, wire.plain(answer))).finish, 'length');
    assert.equal(assertOk(await bench.stream(PLAIN_REQUEST, wire.stream(answer))).finish, 'length');
  });

  test('usage that the provider does not report is estimated and marked', async () => {
    const answer = { ...TEXT, usage: null };
    for (const outcome of [
      await bench.chat(PLAIN_REQUEST, wire.plain(answer)),
      await bench.stream(PLAIN_REQUEST, wire.stream(answer)),
    ]) {
      const { usage } = assertOk(outcome);
      assert.equal(usage.estimated, true);
      assert.ok(usage.promptTokens > 0 && usage.completionTokens > 0);
    }
  });

  test('characters and lines that are split across chunks arrive intact', async () => {
    const answer = { text: ['Zur Mühle 🌾', ' — dort', '。'] };
    const options = { ports: { fetch: bytewise } };
    assert.equal(
      assertOk(await bench.stream(PLAIN_REQUEST, wire.stream(answer), options)).content,
      'Zur Mühle 🌾 — dort。',
    );
    assert.equal(
      assertOk(await bench.chat(PLAIN_REQUEST, wire.plain(answer), options)).content,
      'Zur Mühle 🌾 — dort。',
    );
  });
}
