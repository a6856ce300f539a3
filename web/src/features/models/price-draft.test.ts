import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ModelPriceView } from '@hamlet/contract';
import { priceDraftOf, readPrices } from './price-draft.ts';

const stored: ModelPriceView = {
  provider: 'openai',
  agent_id: null,
  model: 'gpt-5-mini',
  currency: 'EUR',
  prompt: '0.25',
  cached_prompt: null,
  cache_write: null,
  completion: '2.00',
  source: 'stored',
};

test('the form has the stored prices, and an empty row for every other model', () => {
  const draft = priceDraftOf(['gpt-5-mini', 'gpt-5', 'gpt-5'], [stored]);
  assert.equal(draft.currency, 'EUR');
  assert.deepEqual(
    draft.rows.map(({ model, prompt }) => [model, prompt]),
    [
      ['gpt-5-mini', '0.25'],
      ['gpt-5', ''],
    ],
  );
  assert.deepEqual(readPrices(draft), {
    ok: true,
    body: { currency: 'EUR', prices: [{ model: 'gpt-5-mini', prompt: '0.25', completion: '2.00' }] },
  });
});

test('the problem of an incomplete or unreadable row names its model', () => {
  const draft = priceDraftOf(['gpt-5'], []);
  const written = (change: object) => readPrices({ ...draft, rows: draft.rows.map((row) => ({ ...row, ...change })) });
  assert.deepEqual(written({ prompt: '1' }), { ok: false, problem: 'Write both prices of gpt-5, or none' });
  const bad = written({ prompt: 'one', completion: '2' });
  assert.match(bad.ok ? '' : bad.problem, /^gpt-5: /);
  const comma = written({ prompt: ',5', completion: '2,25', cached: '0' });
  assert.deepEqual(comma.ok && comma.body.prices, [
    { model: 'gpt-5', prompt: '0.5', cached_prompt: '0', completion: '2.25' },
  ]);
  assert.equal(readPrices({ ...draft, currency: '$' }).ok, false);
});
