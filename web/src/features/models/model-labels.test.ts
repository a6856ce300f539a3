import assert from 'node:assert/strict';
import { test } from 'node:test';
import { costLabel, modelState, providerState, testLabel, usersLabel } from './model-labels.ts';

const NOW = Date.parse('2026-11-23T12:00:00Z');
const ok = { ok: true, ms: 840, scripted: false, code: null };

test('a test says how long the answer took, or the class of the failure', () => {
  assert.equal(testLabel(ok), 'It answered in 0.8 s.');
  assert.match(testLabel({ ...ok, scripted: true }), /no language model/);
  assert.equal(testLabel({ ...ok, ok: false, code: 'auth' }), 'The provider refuses the key.');
  assert.equal(testLabel({ ...ok, ok: false, code: 'a class of a newer village' }), 'The test failed.');
  assert.equal(costLabel({ cost: { currency: 'USD', amount: '0.0001' } }), 'It cost 0.0001 USD at the provider.');
  assert.equal(costLabel({ cost: null }), '');
});

test('a provider works, fails or is not tested yet', () => {
  const tested = { at: '2026-11-23T11:55:00Z', ok: true, ms: 840, code: null, message: null };
  assert.equal(providerState({ last_test: null }, NOW).word, 'Not tested');
  assert.deepEqual(providerState({ last_test: tested }, NOW).hint, 'It answered 5 min ago in 0.8 s');
  const failed = providerState({ last_test: { ...tested, ok: false, code: 'network' } }, NOW);
  assert.deepEqual([failed.tone, failed.hint], ['bad', 'The provider cannot be reached. 5 min ago']);
});

test('a name of a model says who answers', () => {
  const words = [
    { provider: null, scripted: false, available: false },
    { provider: 'openai', scripted: false, available: false },
    { provider: 'scripted', scripted: true, available: true },
    { provider: 'openai', scripted: false, available: true },
  ].map((model) => modelState(model).word);
  assert.deepEqual(words, ['No provider', 'Its key is missing', 'Scripted', 'Answers']);
  assert.deepEqual([0, 1, 2].map(usersLabel), ['no agent now', '1 agent', '2 agents']);
});
