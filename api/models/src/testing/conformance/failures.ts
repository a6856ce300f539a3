import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertFailed, assertOk, PLAIN_REQUEST, TEST_KEY, TEXT, upTo, type Bench } from './bench.ts';
import type { WireAnswer } from '../wire-server.ts';
import type { ReportedCode } from '../wires/wire.ts';

export function failures(bench: Bench): void {
  const { wire } = bench.subject;
  for (const [code, answer] of Object.entries(wire.errors) as [ReportedCode, WireAnswer][]) {
    test(`the provider's own error for ${code}`, async () => {
      const plain = assertFailed(await bench.chat(PLAIN_REQUEST, answer));
      const streamed = assertFailed(await bench.stream(PLAIN_REQUEST, answer));
      for (const { error, partial } of [plain, streamed]) {
        assert.deepEqual([error.code, error.status], [code, answer.status ?? 200], error.message);
        assert.ok(error.message.length > 0 && !error.message.includes('<'), error.message);
        assert.equal(partial.usage.totalTokens, 0);
      }
      if (code === 'rate')
        assert.ok((plain.error.retryAfterMs ?? 0) > 0, 'the error contains the wait that the provider requests');
    });
  }

  test('a retryable failure is retried, and the answer of the second attempt counts', async () => {
    bench.answer(wire.errors.overloaded, wire.plain(TEXT));
    const answer = assertOk(await bench.model({ attempts: 2 }).chat(PLAIN_REQUEST));
    assert.equal(answer.content, 'The mill is north.');
    assert.deepEqual(
      answer.failedAttempts.map(({ error }) => error.code),
      ['overloaded'],
    );
    bench.server.verify();
  });

  test('a permanent failure is not retried', async () => {
    assert.equal(assertFailed(await bench.chat(PLAIN_REQUEST, wire.errors.auth, { attempts: 3 })).error.code, 'auth');
  });

  test('an overload in the middle of a stream keeps the earlier text', async () => {
    const outcome = assertFailed(
      await bench.stream(PLAIN_REQUEST, upTo(wire.stream(TEXT), ' is north', [wire.overloadInStream]), { attempts: 3 }),
    );
    assert.deepEqual([outcome.error.code, outcome.partial.content], ['overloaded', 'The mill is north']);
    assert.ok(outcome.partial.usage.completionTokens > 0);
  });

  test('errors and raw contain no key, even if the provider repeats it', async () => {
    const echo = JSON.stringify({
      error: { message: `the key ${TEST_KEY} and Bearer ${TEST_KEY} are wrong`, type: TEST_KEY },
    });
    const failed = assertFailed(await bench.chat(PLAIN_REQUEST, { status: 401, chunks: [echo] }));
    const mid = assertFailed(
      await bench.chat(PLAIN_REQUEST, { status: 500, chunks: [`${'x'.repeat(590)}${TEST_KEY}`] }),
    );
    const answer = assertOk(await bench.chat(PLAIN_REQUEST, wire.plain({ text: [`key ${TEST_KEY}`] })));
    for (const value of [failed, mid, answer.raw])
      assert.ok(
        !JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? `${item}` : item)).includes(
          TEST_KEY.slice(0, 12),
        ),
      );
  });
}
