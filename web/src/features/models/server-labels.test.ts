import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ModelServer } from '@hamlet/contract';
import { serverLabels, serverState } from './server-labels.ts';

const SERVER: ModelServer = {
  provider: 'local',
  address: 'http://vllm:8000/metrics',
  state: 'serves',
  read_at: '2026-11-30T10:00:00.000Z',
  running: 3,
  waiting: 0,
  kv_cache_used: 0.254,
  tokens_per_second: 41.6,
  prompt_tokens_per_second: 1_884.2,
};
const wordOf = (changes: Partial<ModelServer>): string => serverState({ ...SERVER, ...changes }).word;

test('figures are whole numbers, with one place where they are small, and wait for the second reading', () => {
  const values = (changes: Partial<ModelServer>): readonly string[] =>
    serverLabels({ ...SERVER, ...changes }).map(({ value }) => value);
  assert.deepEqual(values({}), ['42', '1,884', '3', '0', '25 %']);
  assert.deepEqual(values({ tokens_per_second: 3.14, prompt_tokens_per_second: null }), ['3.1', '…', '3', '0', '25 %']);
});

test('a server serves, is busy while requests wait, is full with its cache, and says what to do if it is off', () => {
  assert.equal(wordOf({}), 'Serves');
  assert.equal(wordOf({ waiting: 1 }), 'Busy');
  assert.equal(wordOf({ waiting: 1, kv_cache_used: 0.95 }), 'Full');
  const nothing = { running: null, waiting: null, kv_cache_used: null, tokens_per_second: null };
  assert.equal(wordOf({ ...nothing, state: 'no_metrics' }), 'No figures');
  const off = serverState({ ...SERVER, ...nothing, state: 'unreachable' });
  assert.equal(off.word, 'Off or loading');
  assert.match(off.hint ?? '', /logs of its pod/);
});
