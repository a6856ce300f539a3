import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChatDelta, Spent } from './chat-delta.ts';
import { estimateCost } from './cost-estimate.ts';
import { EMPTY_ANSWER, foldDelta, outcomeOf } from './fold-answer.ts';
import { completeUsage } from './token-usage.ts';

const SPENT: Spent = {
  usage: completeUsage({ promptTokens: 3, completionTokens: 2 }, { messages: [] }, ''),
  costEstimate: null,
};
const TARGET = { provider: 'p', model: 'm' };
const fold = (deltas: readonly ChatDelta[]) => outcomeOf(deltas.reduce(foldDelta, EMPTY_ANSWER));
const BEGIN: ChatDelta = { kind: 'begin', attempt: 1, target: TARGET };
const END: ChatDelta = { kind: 'end', finish: 'stop', raw: null, ...SPENT };

test('the same text and arguments fold into the same answer for any split into pieces', () => {
  const text = 'Zur Mühle 🌾 \\u00e9';
  const json = '{"place":"the \\"old\\" mill"}';
  const whole = fold([
    BEGIN,
    { kind: 'text', text },
    { kind: 'tool', slot: 0, id: 'a', name: 'go', arguments: json },
    END,
  ]);
  for (let cut = 0; cut <= json.length; cut += 1) {
    const pieces: readonly ChatDelta[] = [
      BEGIN,
      { kind: 'text', text: text.slice(0, cut) },
      { kind: 'tool', slot: 0, id: 'a', name: 'go', arguments: json.slice(0, cut) },
      { kind: 'text', text: text.slice(cut) },
      { kind: 'tool', slot: 0, arguments: json.slice(cut) },
      END,
    ];
    assert.deepEqual(fold(pieces), whole);
  }
});

test('calls are in the order of their slots, and empty arguments become an empty object', () => {
  const outcome = fold([
    BEGIN,
    { kind: 'tool', slot: 4, id: 'b', name: 'say', arguments: '' },
    { kind: 'tool', slot: 1, id: 'a', name: 'go', arguments: '{"x":' },
    { kind: 'tool', slot: 4, id: 'ignored', name: 'ignored', arguments: '' },
    { kind: 'tool', slot: 1, arguments: '1}' },
    END,
  ]);
  assert.ok(outcome.ok);
  assert.deepEqual(outcome.answer.toolCalls, [
    { id: 'a', name: 'go', arguments: '{"x":1}' },
    { id: 'b', name: 'say', arguments: '{}' },
  ]);
});

test('a new attempt withdraws the reasoning of the last one but keeps its cost', () => {
  const error = { code: 'network', message: 'cut', provider: 'p' } as const;
  const outcome = fold([
    BEGIN,
    { kind: 'reasoning', text: 'hm' },
    { kind: 'retry', error, delayMs: 1, ...SPENT },
    { kind: 'begin', attempt: 2, target: { provider: 'q', model: 'n' } },
    { kind: 'text', text: 'yes' },
    END,
  ]);
  assert.ok(outcome.ok);
  const { reasoning, content, target, failedAttempts } = outcome.answer;
  assert.deepEqual([reasoning, content, target], ['', 'yes', { provider: 'q', model: 'n' }]);
  assert.deepEqual(failedAttempts, [{ target: TARGET, error, ...SPENT }]);
});

test('folding a stream without an end throws', () => {
  assert.throws(() => fold([BEGIN, { kind: 'text', text: 'half' }]), /no end/);
});

test('missing usage is estimated and marked', () => {
  const request = { messages: [{ role: 'user' as const, content: 'x'.repeat(40) }] };
  const { promptTokens, completionTokens, totalTokens, estimated } = completeUsage({}, request, 'y'.repeat(9));
  assert.deepEqual([promptTokens, completionTokens, totalTokens, estimated], [14, 3, 17, true]);
  const reported = completeUsage({ promptTokens: 5, completionTokens: 1, cachedPromptTokens: 9 }, request, '');
  assert.deepEqual([reported.totalTokens, reported.cachedPromptTokens, reported.estimated], [6, 5, false]);
});

/** Small and seeded, so that a failure repeats. */
function* numbers(seed: number): Generator<number> {
  for (let state = seed; ;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state;
  }
}

test('the cost is exact, monotonic, deterministic, and rounded up by less than a millionth', () => {
  const random = numbers(20_261_123);
  const next = (most: number): number => (random.next().value ?? 0) % most;
  for (let round = 0; round < 2_000; round += 1) {
    const promptTokens = next(2_000_000);
    const cachedPromptTokens = next(promptTokens + 1);
    const usage = completeUsage(
      { promptTokens, completionTokens: next(200_000), cachedPromptTokens },
      { messages: [] },
      '',
    );
    const price = {
      currency: 'USD',
      promptMicros: BigInt(next(90_000_000)),
      cachedPromptMicros: BigInt(next(9_000_000)),
      cacheWriteMicros: 0n,
      completionMicros: BigInt(next(90_000_000)),
    };
    const { micros } = estimateCost(usage, price);
    assert.equal(estimateCost({ ...usage }, { ...price }).micros, micros);
    const exact =
      BigInt(promptTokens - cachedPromptTokens) * price.promptMicros +
      BigInt(cachedPromptTokens) * price.cachedPromptMicros +
      BigInt(usage.completionTokens) * price.completionMicros;
    const excess = micros * 1_000_000n - exact;
    assert.ok(excess >= 0n && excess < 1_000_000n, `${excess}`);
    const more = { ...usage, completionTokens: usage.completionTokens + 1 };
    assert.ok(estimateCost(more, price).micros >= micros);
  }
});

test('an estimate replaces an impossible count, so that a broken counter does not use up the tokens of an hour', () => {
  const reported = { promptTokens: 4_294_967_295, completionTokens: 2 };
  const request = { messages: [{ role: 'user' as const, content: 'x'.repeat(40) }] };
  const { promptTokens, totalTokens, estimated } = completeUsage(reported, request, '');
  assert.deepEqual([promptTokens, totalTokens, estimated], [14, 16, true]);
});
