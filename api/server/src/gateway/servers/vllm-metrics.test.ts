import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseVllmMetrics } from './vllm-metrics.ts';

const TEXT = `# HELP vllm:num_requests_running Number of requests in model execution batches.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="org/a model {x} 9"} 3.0
vllm:num_requests_running{engine="1",model_name="org/a model {x} 9"} 2.0 1790000000000
vllm:num_requests_waiting{engine="0"} 4.0
vllm:num_requests_waiting_by_reason{engine="0",reason="capacity"} 900.0
vllm:kv_cache_usage_perc{engine="0"} 0.25
vllm:kv_cache_usage_perc{engine="1"} 0.5
vllm:prompt_tokens_total{engine="0"} 1.2e+06
vllm:prompt_tokens_created{engine="0"} 1.79e+09
vllm:generation_tokens_total{engine="0"} 5000.0
vllm:time_to_first_token_seconds_bucket{le="0.1"} 7.0
`;
const FIGURES = { running: 5, waiting: 4, kvCacheUsed: 0.5, promptTokens: 1_200_000, generatedTokens: 5_000 };

test('figures are summed over the engines of a server, and the fullest KV cache counts', () => {
  assert.deepEqual(parseVllmMetrics(TEXT), FIGURES);
});

test('the name of the KV cache in earlier versions counts too, and a part never exceeds 1', () => {
  assert.deepEqual(parseVllmMetrics(TEXT.replaceAll('vllm:kv_cache', 'vllm:gpu_cache')), FIGURES);
  assert.equal(parseVllmMetrics(TEXT.replace('} 0.25', '} 1.7'))?.kvCacheUsed, 1);
});

test('a million bytes of one figure are read once, and a count that no server has is refused', () => {
  assert.equal(parseVllmMetrics('vllm:num_requests_running 1\n'.repeat(37_000)), null);
  assert.equal(parseVllmMetrics(TEXT.replace('} 4.0', '} 1e300')), null);
});

test('text that lacks a figure, or has no number for one, is not of a vLLM server', () => {
  assert.equal(parseVllmMetrics(''), null);
  assert.equal(parseVllmMetrics('<html>Welcome</html>'), null);
  assert.equal(parseVllmMetrics(TEXT.replace('} 4.0', '} NaN')), null);
  assert.equal(parseVllmMetrics(TEXT.replace('} 5000.0', '} -1')), null);
  for (const name of ['num_requests_running', 'kv_cache_usage_perc', 'prompt_tokens_total'])
    assert.equal(parseVllmMetrics(TEXT.replaceAll(`vllm:${name}`, 'other')), null, name);
});
