import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Failure } from '../command.ts';
import { listLines, modelsAct, testLines } from './models.ts';

const answered = {
  ok: true,
  provider: 'openai',
  scripted: false,
  ms: 840,
  text: ' Good \u001b[31mday. ',
  code: null,
  message: null,
  fix: null,
  tools: true,
  abilities: [],
  cost: { currency: 'USD', amount: '0.0001' },
};
const small = {
  name: 'small',
  provider: 'openai',
  kind: 'openai',
  scripted: false,
  available: true,
  context_tokens: 32_768,
  tiers: ['tier-0', 'tier-1'],
  last_success: null,
  last_failure: null,
};

test("models lists all models, or tests a model, a connected provider or an agent's own model", () => {
  assert.deepEqual(modelsAct({ names: [], flags: {} }), { kind: 'list', query: {} });
  assert.deepEqual(modelsAct({ names: ['list'], flags: { agent: 'ada' } }), {
    kind: 'list',
    query: { agent_id: 'ada' },
  });
  assert.deepEqual(modelsAct({ names: ['test', 'small'], flags: {} }), {
    kind: 'test',
    name: 'small',
    body: { model: 'small' },
  });
  assert.deepEqual(modelsAct({ names: ['test', 'vllm'], flags: { provider: true, agent: 'ada' } }), {
    kind: 'test',
    name: 'vllm',
    body: { credential: 'vllm', agent_id: 'ada' },
  });
  for (const wrong of [
    { names: ['test'], flags: {} },
    { names: ['connect', 'small'], flags: {} },
    { names: ['list', 'small'], flags: {} },
    { names: [], flags: { provider: true } },
  ])
    assert.throws(() => modelsAct(wrong), Failure);
});

test('the list names the provider of each model, and warns if no language model answers', () => {
  const models = [
    small,
    { ...small, name: 'large', provider: null, kind: null, available: false, context_tokens: null, tiers: [] },
    { ...small, name: 'keyed', available: false },
    { ...small, name: 'spoken', provider: 'scripted', kind: 'scripted', scripted: true },
  ];
  const [rows = '', ...more] = listLines({ models, scripted_only: false, agent: null });
  assert.deepEqual(
    rows.split('\n').map((row) => row.split(/ {2,}/)),
    [
      ['NAME', 'STATE', 'PROVIDER', 'KIND', 'CONTEXT', 'TIERS'],
      ['small', 'Answers', 'openai', 'openai', '32768', 'tier-0,tier-1'],
      ['large', 'NoProvider', '-', '-', '-', '-'],
      ['keyed', 'KeyMissing', 'openai', 'openai', '32768', 'tier-0,tier-1'],
      ['spoken', 'Scripted', 'scripted', 'scripted', '32768', 'tier-0,tier-1'],
    ],
  );
  assert.deepEqual(more, []);
  const agent = { agent_id: 'ada', allowed: ['small', 'large'], model: null };
  assert.deepEqual(
    listLines({ models: [], scripted_only: true, agent }).map((line) => line.slice(0, 30)),
    [
      'no models: no tier includes one',
      'ada may use small, large',
      'ada has no model: no provider serves one of its tier',
      'No language model answers: agen',
    ].map((line) => line.slice(0, 30)),
  );
  const model = { provider: 'vllm', name: 'small', scripted: false, tools: false, reason: 'named by spec.model' };
  assert.equal(
    listLines({ models: [], scripted_only: false, agent: { ...agent, model } }).at(-1),
    'ada uses small from vllm, without tools: named by spec.model',
  );
});

test('a test of a model prints its abilities', () => {
  const abilities = [
    { ability: 'stream' as const, can: true, note: 'It streams its answers.' },
    { ability: 'tools' as const, can: false, note: 'The provider refuses \u001b[31mtools.' },
    { ability: 'embeddings' as const, can: null, note: 'Not found out.' },
  ];
  assert.deepEqual(testLines('small', { ...answered, text: null, cost: null, abilities }).slice(1), [
    '  stream:     yes     It streams its answers.',
    '  tools:      no      The provider refuses \ufffd[31mtools.',
    '  embeddings: unknown Not found out.',
  ]);
});

test('a test of a model prints provider, latency and cost, or the failure with its fix', () => {
  assert.deepEqual(testLines('small', answered), [
    'small answers at openai in 840 ms',
    '  text: Good \ufffd[31mday.',
    '  cost: 0.0001 USD',
  ]);
  assert.deepEqual(testLines('small', { ...answered, scripted: true, text: null, cost: null }), [
    'small: the scripted mind answered, and no language model was asked',
  ]);
  assert.equal(testLines('small', { ...answered, fix: 'Set thoughts' }).at(-1), '  fix:  Set thoughts');
  const failed = { ...answered, ok: false, text: null, cost: null };
  assert.deepEqual(testLines('small', { ...failed, code: 'auth', message: 'Incorrect key', fix: 'Renew the key' }), [
    'small fails at openai (auth): Incorrect key',
    '  fix:  Renew the key',
  ]);
  assert.deepEqual(testLines('small', { ...failed, code: null }), ['small fails at openai (failed)']);
});
