import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MODEL_ABILITIES } from '@hamlet/contract';
import {
  abilityLabel,
  chosenLabels,
  costLabel,
  failureCause,
  healthLines,
  modelState,
  providerState,
  testLabel,
  usersLabel,
} from './model-labels.ts';

const NOW = Date.parse('2026-11-23T12:00:00Z');
const ok = { ok: true, ms: 840, scripted: false, code: null };

test('the result of a test shows the duration, or the class of the failure', () => {
  assert.equal(testLabel(ok), 'It answered in 0.8 s.');
  assert.match(testLabel({ ...ok, scripted: true }), /no language model/);
  assert.equal(testLabel({ ...ok, ok: false, code: 'auth' }), 'The provider refuses the key.');
  assert.equal(testLabel({ ...ok, ok: false, code: 'a class of a newer village' }), 'The test failed.');
  assert.equal(costLabel({ cost: { currency: 'USD', amount: '0.0001' } }), 'It cost 0.0001 USD at the provider.');
  assert.equal(costLabel({ cost: null }), '');
});

test('a failed answer names its cause, even if a person made the engine ask again', () => {
  const causes = ['auth', 'limits_raised', 'of_later', 'acp_not_started', null].map(failureCause);
  assert.deepEqual(causes, [
    'The provider refuses the key',
    'A person raised the limits',
    'The model failed (of_later)',
    'The program failed (acp_not_started)',
    'The model failed',
  ]);
});

const tested = { at: '2026-11-23T11:55:00Z', ok: true, ms: 840, code: null, message: null };

test('a provider works, fails or is not tested yet', () => {
  assert.equal(providerState({ last_test: null }, NOW).word, 'Not tested');
  assert.deepEqual(providerState({ last_test: tested }, NOW).hint, 'It answered 5 min ago in 0.8 s');
  const failed = providerState({ last_test: { ...tested, ok: false, code: 'unreachable' } }, NOW);
  assert.deepEqual([failed.tone, failed.hint], ['bad', 'No server answers at the address of the provider. 5 min ago']);
});

test('a provider that answers agents is not called untested, and a newer failure counts', () => {
  const model = (last_success: string | null, failed: string | null) => ({
    last_success: last_success === null ? null : { at: last_success },
    last_failure: failed === null ? null : { at: failed, code: 'unreachable', message: null, fix: 'Ask an admin.' },
  });
  const [old, new_] = ['2026-11-23T11:00:00Z', '2026-11-23T11:58:00Z'];
  const state = (...served: readonly ReturnType<typeof model>[]) =>
    providerState({ last_test: null }, NOW, served).word;
  assert.equal(state(model(null, null)), 'Not tested');
  assert.equal(state(model(null, null), model(old, null)), 'Answers');
  assert.equal(state(model(old, new_)), 'Fails');
  assert.equal(state(model(null, old), model(new_, null)), 'Answers');
  const last_test = { ...tested, at: new_, ok: false, code: 'unreachable' } as const;
  assert.equal(providerState({ last_test }, NOW, [model(old, null)]).word, 'Fails', 'a newer test counts');
  const before = { ...last_test, at: '2026-11-23T10:00:00Z' };
  assert.equal(providerState({ last_test: before }, NOW, [model(old, null)]).word, 'Answers');
  assert.equal(providerState({ last_test: { ...before, ok: true } }, NOW, [model(old, null)]).word, 'Works');
});

test('the name of a model shows its provider', () => {
  const words = [
    { provider: null, scripted: false, available: false },
    { provider: 'openai', scripted: false, available: false },
    { provider: 'scripted', scripted: true, available: true },
    { provider: 'openai', scripted: false, available: true },
    { provider: 'openai', scripted: false, available: true, last_success: { at: '2026-11-23T11:00:00Z' } },
  ].map((model) => modelState({ last_success: null, last_failure: null, ...model }).word);
  assert.deepEqual(words, ['No provider', 'Its key is missing', 'Scripted', 'Not used yet', 'Answers']);
  assert.deepEqual([0, 1, 2].map(usersLabel), ['no agent now', '1 agent', '2 agents']);
});

test('a model shows its newest answer and failure, and fails only if the failure is newer', () => {
  const last_success = { at: '2026-11-23T11:55:00Z' };
  const failure = { code: 'unreachable', message: 'ECONNREFUSED', fix: 'No server answers. Ask an admin.' };
  const state = (failedAt: string) => {
    const model = { provider: 'vllm', scripted: false, available: true, last_success };
    const known = { ...model, last_failure: { ...failure, at: failedAt } };
    return [modelState(known).word, ...healthLines(known, NOW).map(({ text, bad }) => `${bad ? '! ' : ''}${text}`)];
  };
  assert.deepEqual(state('2026-11-23T11:58:00Z'), [
    'Fails',
    '! Failed 2 min ago: No server answers. Ask an admin. (ECONNREFUSED)',
    'Answered 5 min ago',
  ]);
  assert.deepEqual(state('2026-11-23T10:00:00Z'), [
    'Answers',
    'Answered 5 min ago',
    'Failed 2 h ago: No server answers. Ask an admin. (ECONNREFUSED)',
  ]);
  assert.deepEqual(healthLines({ last_success: null, last_failure: null }, NOW), []);
});

test('each finding about an ability has a label, and a missing ability explains the effect', () => {
  const words = MODEL_ABILITIES.map((ability) => [true, false, null].map((can) => abilityLabel(ability, can).word));
  assert.equal(new Set(words.flat()).size, 3 * MODEL_ABILITIES.length);
  assert.match(abilityLabel('tools', false).means, /can only write/);
  assert.equal(abilityLabel('tools', true).means, '');
  assert.equal(abilityLabel('tools', null).tone, 'waiting');
});

test('an agent shows its model and the reason, what its tier forbids and what the model lacks', () => {
  const reason = 'the tier tier-0 does not allow spec.model large: this is the best model that it allows';
  const model = { provider: 'vllm', name: 'small', scripted: false, reason };
  assert.deepEqual(chosenLabels(model), [`It uses the model small of the provider vllm: ${reason}.`]);
  assert.match(chosenLabels({ ...model, tools: false }).join(' '), /No tools\. Agents that use it can only write/);
  assert.match(chosenLabels({ ...model, json: false }).join(' '), /No JSON by a schema\./);
  assert.match(
    chosenLabels({ ...model, scripted: true, tools: false }).join(' '),
    /No language model writes its words/,
  );
  assert.match(chosenLabels(null).join(' '), /cannot think/);
});
