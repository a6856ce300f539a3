import assert from 'node:assert/strict';
import { test } from 'node:test';
import { credentialOf } from '../credential.fixture.ts';
import { CONNECTABLE_KINDS, putModelCredential } from '@hamlet/contract';
import { PROVIDER_KINDS } from '../model-labels.ts';
import type { ConnectDraft } from './connect-draft.ts';
import {
  connectDraftOf,
  connectionOf,
  emptyConnect,
  listingOf,
  loopbackAdvice,
  offeredLabel,
  modelsOf,
  opensThoughts,
  readConnect,
  withOnlyModel,
  withTested,
  withModel,
  withThoughts,
} from './connect-draft.ts';

const KEY = 'sk-0123456789';
const draft = (more: Partial<ConnectDraft> = {}): ConnectDraft => ({
  ...emptyConnect(['small', 'large']),
  models: [
    { name: 'small', model: 'gpt-5-mini' },
    { name: 'large', model: ' ' },
  ],
  ...more,
});
const problems = (of: ConnectDraft, key: string): readonly string[] => {
  const read = readConnect(of, key);
  return read.ok ? [] : Object.keys(read.problems);
};

test("the form starts with the model names of the tiers, and omits models without a provider's name", () => {
  assert.deepEqual(
    emptyConnect(['small', 'large']).models.map(({ name }) => name),
    ['small', 'large'],
  );
  const read = readConnect(draft(), ` ${KEY} `);
  assert.ok(read.ok);
  assert.deepEqual(read.body, {
    name: 'openai',
    kind: 'openai',
    key: KEY,
    models: [{ name: 'small', model: 'gpt-5-mini' }],
  });
});

test('a name that several providers serve has one row', () => {
  assert.deepEqual(
    emptyConnect(['small', 'large', 'small']).models.map(({ name }) => name),
    ['small', 'large'],
  );
});

test('each missing or wrong part is named beside its field', () => {
  assert.deepEqual(problems(draft(), ''), ['key']);
  assert.deepEqual(problems(draft({ models: [] }), KEY), ['models']);
  assert.deepEqual(problems(draft({ kind: 'vllm' }), ''), ['address']);
  assert.deepEqual(problems(draft({ kind: 'vllm', address: 'ftp://x' }), ''), ['address']);
  assert.deepEqual(problems(draft({ kind: 'vllm', address: 'http://user:word@vllm:8000/v1' }), ''), ['address']);
  assert.deepEqual(problems(draft({ name: 'My Provider' }), KEY), ['name']);
  assert.deepEqual(problems(draft({ context: 'many' }), KEY), ['context']);
  assert.deepEqual(problems(draft({ inFlight: '0' }), KEY), ['inFlight']);
  const twice = draft({ models: [1, 2].map((number) => ({ name: 'small', model: `model-${number}` })) });
  assert.deepEqual(problems(twice, KEY), ['models']);
});

test('every kind can be connected with its own example', () => {
  for (const kind of CONNECTABLE_KINDS) {
    const { address, model, key } = PROVIDER_KINDS[kind];
    const of = draft({ kind, address: address ?? '', models: [{ name: 'small', model }] });
    assert.deepEqual(problems(of, key === 'needed' ? KEY : ''), [], kind);
    assert.deepEqual(connectionOf(of, key === 'needed' ? KEY : '')?.model, model);
  }
});

test('a test needs the same parts as the connection', () => {
  assert.equal(connectionOf(draft(), ''), null);
  assert.deepEqual(connectionOf(draft(), KEY), { kind: 'openai', key: KEY, model: 'gpt-5-mini' });
});

test('an address of the pod itself that nothing answers gets advice', () => {
  for (const address of ['http://localhost:11434', ' http://127.0.0.1:8000/v1', 'http://[::1]:8000'])
    assert.match(loopbackAdvice({ address }, { code: 'unreachable' }) ?? '', /the machine with the server/, address);
  assert.equal(loopbackAdvice({ address: 'http://localhost:11434' }, { code: 'no_such_model' }), null);
  for (const address of ['http://192.168.1.20:11434', 'http://localhost.example.org', 'localhost', ''])
    assert.equal(loopbackAdvice({ address }, { code: 'unreachable' }), null, address);
});

test('the form of a connected provider has its settings, without the key', () => {
  const credential = credentialOf('local', {
    kind: 'vllm',
    base_url: 'http://vllm:8000/v1',
    models: [{ name: 'small', model: 'qwen', context_tokens: 32_768, answer_tokens: 1024 }],
    max_in_flight: 4,
  });
  const read = connectDraftOf(credential);
  assert.deepEqual(read, {
    kind: 'vllm',
    name: 'local',
    address: 'http://vllm:8000/v1',
    models: [{ name: 'small', model: 'qwen', answer_tokens: 1024 }],
    context: '32768',
    inFlight: '4',
    agent: 'ada',
  });
  assert.deepEqual(read === null ? [] : problems(read, ''), [], 'it can be sent again');
  assert.equal(connectDraftOf({ ...credential, provider: null }), null);
});

test('a model whose prompt opens its thoughts is tested and connected as such, and the form keeps that and its word about images', () => {
  const models = [{ name: 'small', model: 'r1', images: false, thoughts: 'opened' as const }];
  const offer = { ...models[0], name: 'small', model: 'r1', context_tokens: 32_768, answer_tokens: 1024 };
  const provider = { kind: 'vllm' as const, base_url: 'http://vllm:8000/v1', models: [offer], max_in_flight: null };
  const read = connectDraftOf(credentialOf('local', provider));
  assert.partialDeepStrictEqual(read?.models, models);
  assert.ok(read !== null && opensThoughts(read.models, 'r1'));
  assert.equal(connectionOf(read, '')?.thoughts, 'opened');
  const closed = { ...read, models: withThoughts(read.models, 'r1', false) };
  assert.equal(opensThoughts(closed.models, 'r1'), false);
  const sent = readConnect(closed, '');
  assert.deepEqual(sent.ok && sent.body.models?.map(({ images, thoughts }) => [images, thoughts]), [
    [false, undefined],
  ]);
  assert.deepEqual(withThoughts(closed.models, 'r1', true), read.models);
});

test('each model of a form has its own setting for thoughts, which all names of the model share', () => {
  const rows = ['r1', 'qwen', ' r1 ', ''].map((model, index) => ({ name: `name-${index}`, model }));
  const set = withThoughts(rows, 'r1', true);
  assert.deepEqual(modelsOf(set), ['r1', 'qwen']);
  assert.deepEqual(
    set.map(({ thoughts }) => thoughts),
    ['opened', undefined, 'opened', undefined],
  );
  const [first, ...others] = set;
  const half = [{ ...first, name: 'name-0', model: 'r1', thoughts: undefined }, ...others];
  assert.deepEqual([opensThoughts(half, 'r1'), opensThoughts(half, 'qwen')], [true, false]);
  assert.equal(connectionOf(draft({ models: half }), KEY)?.thoughts, 'opened');
});

test('a row with another model loses the words of its former model, and gets those of the model in another row', () => {
  const rows = [
    { name: 'small', model: 'r1', images: false, thoughts: 'opened' as const, answer_tokens: 1024 },
    { name: 'large', model: 'qwen', json: false },
  ];
  assert.deepEqual(withModel(rows, 0, 'phi')[0], { name: 'small', model: 'phi' });
  assert.deepEqual(withModel(rows, 0, ' qwen')[0], { name: 'small', model: ' qwen', json: false });
  assert.deepEqual(withModel(rows, 1, 'r1')[1], { ...rows[0], name: 'large' });
  assert.equal(withModel(rows, 0, 'phi')[1], rows[1]);
});

test('a test stores each missing ability with the first model, and clears the mark of each ability that it found', () => {
  const read = readConnect(draft({ models: [{ name: 'small', model: 'qwen', json: false, tools: false }] }), KEY);
  assert.ok(read.ok);
  const found = (ability: 'tools' | 'json' | 'stream', can: boolean | null) => ({ ability, can, note: '' });
  const abilities = [found('tools', true), found('json', null), found('stream', false)];
  const body = putModelCredential.body.parse(JSON.parse(JSON.stringify(withTested(read.body, { abilities }))));
  assert.deepEqual(body.models, [{ name: 'small', model: 'qwen', json: false, stream: false }]);
  assert.equal(withTested(read.body, null), read.body);
  assert.equal(withTested(read.body, { abilities: [] }), read.body);
});

test('a server is asked for its models once its address and a needed key are written', () => {
  const at = (kind: 'ollama' | 'openai', address: string, key: string) =>
    listingOf({ ...emptyConnect([]), kind, address }, key);
  assert.equal(at('ollama', ' ', ''), null);
  assert.equal(at('openai', '', ' '), null);
  assert.deepEqual(at('ollama', ' http://gpu:11434 ', ''), { kind: 'ollama', base_url: 'http://gpu:11434' });
  assert.deepEqual(at('openai', '', ' sk-1 '), { kind: 'openai', key: 'sk-1' });
  assert.equal(offeredLabel({ models: ['a', 'b'], problem: null }), 'It has 2 models: choose among them above.');
  assert.equal(offeredLabel({ models: ['a'], problem: null }), 'It has one model: a.');
  assert.equal(offeredLabel({ models: [], problem: 'Check the address.' }), 'Check the address.');
});

test('the only model of a server fills the rows, unless a person has written one', () => {
  const { models: rows } = emptyConnect(['small', 'large']);
  const modelsOf = (found: typeof rows) => found.map(({ model }) => model);
  assert.deepEqual(modelsOf(withOnlyModel(rows, ['qwen3'])), ['qwen3', 'qwen3']);
  assert.deepEqual(modelsOf(withOnlyModel(rows, ['qwen3', 'glm'])), ['', '']);
  assert.deepEqual(modelsOf(withOnlyModel(rows, [])), ['', '']);
  const written = [
    { name: 'small', model: 'mine' },
    { name: 'large', model: '' },
  ];
  assert.deepEqual(modelsOf(withOnlyModel(written, ['qwen3'])), ['mine', '']);
});
