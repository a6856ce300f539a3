import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCapabilities, RETRY_POLICY, ANSWER_LIMITS } from '@hamlet/models';
import { connectionConfig, connectionOf, storedPrices, storedProvider, testedModels } from './connection.ts';

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

test('all names of a model share its setting for thoughts, also beside an ability that an admin set at another name', () => {
  const sizes = { model: 'r1', context_tokens: 32_768, answer_tokens: 4_096 };
  const first = { name: 'small', json: false, images: false, ...sizes };
  const models = [first, { name: 'large', thoughts: 'opened' as const, ...sizes }, { ...first, model: 'qwen' }];
  const provider = { kind: 'vllm' as const, base_url: 'http://vllm:8000/v1', models, max_in_flight: null };
  const fields = { name: 'local', provider, prices: null, hasKey: false };
  const config = connectionConfig(fields, { retry: RETRY_POLICY, limits: ANSWER_LIMITS });
  assert.ok(typeof config !== 'string', String(config));
  const read = ['r1', 'qwen'].map((model) => findCapabilities(config, { provider: 'local', model }));
  assert.deepEqual(
    read.map(({ thoughts, json }) => [thoughts, json]),
    [
      ['opened', false],
      [undefined, false],
    ],
  );
});

test('a setting in a stored row that this version does not know, as after a rollback, is ignored', () => {
  const later = { later: { setting: true } };
  const model = { name: 'small', model: 'r1', context_tokens: 32_768, answer_tokens: 4_096 };
  const provider = { kind: 'vllm', base_url: 'http://vllm:8000/v1', models: [model], max_in_flight: null };
  const price = { model: 'r1', prompt: '1', completion: '2' };
  const tested = { model: 'r1', stream: true, tools: false, json: null, embeddings: null };
  const row = {
    name: 'local',
    agentId: null,
    envelope: null,
    fingerprint: null,
    createdAt: new Date(0),
    createdBy: 'kim',
    test: null,
    provider: { ...provider, ...later, models: [{ ...model, ...later }] },
    prices: { currency: 'USD', prices: [{ ...price, ...later }], ...later },
    tested: [{ ...tested, ...later }],
  };
  const connection = connectionOf(row, { retry: RETRY_POLICY, limits: ANSWER_LIMITS });
  assert.ok(connection !== null && typeof connection !== 'string', String(connection));
  const prices = { currency: 'USD', prices: [price] };
  assert.deepEqual([connection.provider, connection.prices], [provider, prices]);
  assert.deepEqual([storedProvider(row), storedPrices(row), testedModels(row)], [provider, prices, [tested]]);
  assert.equal(findCapabilities(connection.config, { provider: 'local', model: 'r1' }).tools, false);
  assert.equal(storedProvider({ provider: { ...provider, kind: 'later' } }), null);
});
