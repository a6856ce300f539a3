import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDue, nextReading, READ_EVERY_MS, serverView, type Reading } from './server-readings.ts';

const TARGET = { provider: 'local', url: 'http://vllm:8000/metrics' };
const FIGURES = { running: 2, waiting: 1, kvCacheUsed: 0.4, promptTokens: 1_000, generatedTokens: 100 };
const serves = (nowMs: number, changes: Partial<typeof FIGURES> = {}) =>
  ({ state: 'serves', figures: { ...FIGURES, ...changes }, nowMs }) as const;
const fails = (nowMs: number) => ({ state: 'unreachable', figures: null, nowMs }) as const;

test('tokens a second are the difference of two readings of a running server', () => {
  const first = nextReading(TARGET, null, serves(0));
  assert.equal(first.rates, null);
  const second = nextReading(TARGET, first, serves(10_000, { promptTokens: 6_000, generatedTokens: 350 }));
  assert.deepEqual(second.rates, { prompt: 500, generated: 25 });
  assert.deepEqual(serverView(second), {
    provider: 'local',
    address: 'http://vllm:8000/metrics',
    state: 'serves',
    read_at: '1970-01-01T00:00:10.000Z',
    running: 2,
    waiting: 1,
    kv_cache_used: 0.4,
    tokens_per_second: 25,
    prompt_tokens_per_second: 500,
  });
});

test('a rate is unknown over a restart, over a failure, and at the same moment', () => {
  const first = nextReading(TARGET, null, serves(0));
  assert.equal(nextReading(TARGET, first, serves(10_000, { generatedTokens: 99 })).rates, null);
  assert.equal(nextReading(TARGET, first, serves(10_000, { promptTokens: 0 })).rates, null);
  assert.equal(nextReading(TARGET, first, serves(0)).rates, null);
  const failed = nextReading(TARGET, first, fails(10_000));
  assert.deepEqual([failed.figures, failed.failures], [null, 1]);
  assert.equal(nextReading(TARGET, failed, serves(20_000)).rates, null);
});

test('a server that fails is asked after twice as long each time, at least every five minutes, and every time once it serves', () => {
  let reading: Reading | null = null;
  const pauses: number[] = [];
  let nowMs = 0;
  for (let attempt = 0; attempt < 12; attempt += 1) {
    reading = nextReading(TARGET, reading, fails(nowMs));
    const before = nowMs;
    while (!isDue(reading, nowMs)) nowMs += READ_EVERY_MS;
    pauses.push((nowMs - before) / READ_EVERY_MS);
  }
  assert.deepEqual(pauses, [1, 2, 4, 8, 16, 30, 30, 30, 30, 30, 30, 30]);
  const back = nextReading(TARGET, reading, serves(nowMs));
  assert.equal(back.failures, 0);
  assert.equal(isDue(back, nowMs), true);
});
