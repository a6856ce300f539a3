import { PriceList } from '@hamlet/contract';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeLine, itemLabel, limitLabel, priceLines } from './item-labels.ts';

test('limits say which words are names of models', () => {
  const none = {
    requests_per_minute: null,
    concurrent_tools: 1,
    concurrent_model_requests: null,
    web_searches_per_hour: null,
    web_requests_per_hour: null,
    browser_calls_per_hour: null,
    tokens_per_hour: 2_000_000,
  };
  assert.equal(limitLabel({ ...none, models: ['small'] }), '1 tool at once · 2,000,000 tokens/h · model small');
  assert.equal(
    limitLabel({ ...none, models: ['large', 'small'] }),
    '1 tool at once · 2,000,000 tokens/h · models large, small',
  );
});

test('the label of a bought item reads like a sentence', () => {
  assert.equal(itemLabel({ kind: 'quota', limit: 'tokens_per_hour', amount: 20_000 }), '20,000 more tokens an hour');
  assert.equal(itemLabel({ kind: 'model', model: 'large' }), 'The model large');
  assert.equal(
    itemLabel({ kind: 'gpu', lane: 'gpu-0', resource_name: 'nvidia.com/gpu', count: 2 }),
    'gpu-0: 2 GPUs of its own',
  );
});

test('every price of the list has a line', () => {
  const lines = priceLines(
    PriceList.parse({ gpu: { per_hour: '2', lanes: [{ lane: 'a' }, { lane: 'b', count: 2 }] } }),
  );
  assert.deepEqual(
    lines.map(({ kind }) => kind),
    ['quota', 'quota', 'priority', 'model', 'model', 'gpu', 'gpu'],
  );
  assert.equal(lines.at(-1)?.what, 'b: 2 GPUs, exclusive');
  assert.equal(lines.at(-1)?.price, '2.00 ai$ an hour');
});

test('a change of a tier groups its numbers and shows an empty value as none', () => {
  assert.deepEqual(changeLine({ what: 'tokens_per_hour', from: '', to: '200000' }), {
    what: 'Tokens an hour',
    from: 'none',
    to: '200,000',
  });
  assert.deepEqual(changeLine({ what: 'models', from: 'small', to: 'small, large' }).to, 'small, large');
});
