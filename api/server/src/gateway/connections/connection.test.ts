import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCapabilities, RETRY_POLICY, ANSWER_LIMITS } from '@hamlet/models';
import { connectionConfig } from './connection.ts';

test("an admin's word about images overrides the name of the model", () => {
  const offers = [
    ['plain', undefined, false],
    ['plain-that-sees', true, true],
    ['qwen3-vl', undefined, true],
    ['qwen3-vl-that-does-not', false, false],
  ] as const;
  const models = offers.map(([name, images]) => ({
    name,
    model: name,
    context_tokens: 32_768,
    answer_tokens: 4_096,
    ...(images === undefined ? {} : { images }),
  }));
  const provider = { kind: 'vllm' as const, base_url: 'http://vllm:8000/v1', models, max_in_flight: null };
  const fields = { name: 'local', provider, prices: null, hasKey: false };
  const config = connectionConfig(fields, { retry: RETRY_POLICY, limits: ANSWER_LIMITS });
  assert.ok(typeof config !== 'string', String(config));
  for (const [model, , sees] of offers)
    assert.equal(findCapabilities(config, { provider: 'local', model }).images, sees, model);
});
