import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChatDelta } from '../../chat/chat-delta.ts';
import { collectAnswer } from '../../chat/fold-answer.ts';
import { createModel } from '../../routing/create-model.ts';
import { ANSWER_LIMITS } from '../../transport/answer-limits.ts';
import { SYSTEM_PORTS } from '../../transport/model-ports.ts';
import { assertFailed, assertOk, PLAIN_REQUEST, TEXT, upTo, type Bench } from './bench.ts';

export function connections(bench: Bench): void {
  const { wire } = bench.subject;

  test('a stream that breaks before the first visible token is retried', async () => {
    const whole = wire.stream(TEXT);
    bench.answer(
      { ...whole, chunks: [...whole.chunks.slice(0, 1).filter((chunk) => !String(chunk).includes('mill')), 'cut'] },
      whole,
    );
    const answer = assertOk(await collectAnswer(bench.model({ attempts: 2 }).stream(PLAIN_REQUEST)));
    assert.equal(answer.content, 'The mill is north.');
    assert.deepEqual(
      answer.failedAttempts.map(({ error }) => error.code),
      ['network'],
    );
    bench.server.verify();
  });

  test('a stream that breaks after the first visible token is not retried, and its text is returned', async () => {
    for (const then of [['cut'], []] as const) {
      const outcome = assertFailed(
        await bench.stream(PLAIN_REQUEST, upTo(wire.stream(TEXT), ' is north', then), { attempts: 3 }),
      );
      assert.deepEqual([outcome.error.code, outcome.partial.content], ['network', 'The mill is north']);
      assert.equal(outcome.partial.usage.completionTokens > 0, true);
    }
  });

  test('a server that is down is unreachable', async () => {
    const kit = { limits: ANSWER_LIMITS, ports: SYSTEM_PORTS };
    const adapter = bench.subject.open('http://127.0.0.1:1', kit);
    const setup = { targets: [{ adapter, model: 'up-model', price: null }], fallbackOn: [], ...kit };
    const model = createModel({ ...setup, retry: { attempts: 2, firstDelayMs: 1, maxDelayMs: 1 } });
    const { error, partial } = assertFailed(await model.chat(PLAIN_REQUEST));
    assert.deepEqual([error.code, partial.failedAttempts.length, partial.usage.totalTokens], ['unreachable', 1, 0]);
    assert.match(error.message, /no server listens there/);
  });

  test('a request that is cancelled before it starts is not sent', async () => {
    const before = bench.server.requests.length;
    const outcome = assertFailed(await bench.model().chat({ ...PLAIN_REQUEST, signal: AbortSignal.abort() }));
    assert.deepEqual([outcome.error.code, bench.server.requests.length], ['cancelled', before]);
  });

  test('cancelling a running request closes the connection', async () => {
    const stop = new AbortController();
    bench.answer(upTo(wire.stream(TEXT), 'The mill', ['hold']));
    const deltas: ChatDelta[] = [];
    for await (const delta of bench.model({ attempts: 3 }).stream({ ...PLAIN_REQUEST, signal: stop.signal })) {
      deltas.push(delta);
      if (delta.kind === 'text') stop.abort();
    }
    const last = deltas.at(-1);
    assert.equal(last?.kind === 'failed' ? last.error.code : last?.kind, 'cancelled');
    await bench.server.requests.at(-1)?.gone;
    bench.server.verify();
  });

  test('a caller that stops reading closes the connection', async () => {
    bench.answer(upTo(wire.stream(TEXT), 'The mill', ['hold']));
    for await (const delta of bench.model().stream(PLAIN_REQUEST)) if (delta.kind === 'text') break;
    await bench.server.requests.at(-1)?.gone;
  });
}
