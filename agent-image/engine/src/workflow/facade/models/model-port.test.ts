/** The models of agents.yaml, asked over HTTP on scripted servers. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ANTHROPIC_WIRE, OPENAI_WIRE, startWireServer, type WireServer } from '@hamlet/models/testing';
import { z } from 'zod';
import { ModelEnd, type ModelRequest } from '../../../loop/ports.ts';
import { createModelPort, type ModelFailure } from './model-port.ts';
import { keysOf, type ModelEntry } from './open-model.ts';

const KEY = 'key-0123456789abcdef';
const ENV = { TEAM_KEY: KEY, ANTHROPIC_API_KEY: KEY, EMPTY: '' };
const LOOK = { name: 'files.look', description: 'Looks.', input: z.strictObject({ at: z.string() }) };

let server: WireServer;
before(async () => {
  server = await startWireServer();
});
after(() => server.close());

const entry = (fields: Partial<ModelEntry> = {}): ModelEntry => ({
  id: 'fast',
  provider: 'openai',
  name: 'gpt-5-mini',
  base_url: `${server.url}/v1`,
  api_key_env: 'TEAM_KEY',
  ...fields,
});

const request = (fields: Partial<ModelRequest> = {}): ModelRequest => ({
  model: 'fast',
  at: { run: 'r1', ask: 1, attempt: 1 },
  system: { stable: 'You are a critic.', situation: 'It is noon.' },
  messages: [{ role: 'user', content: 'Judge.' }],
  tools: [],
  ...fields,
});

type Ended = Readonly<{ end: ModelEnd; words: readonly string[]; failures: readonly ModelFailure[] }>;

/** The end of one request, as the engine checks it. */
async function ask(
  models: readonly ModelEntry[],
  asked = request(),
  signal = new AbortController().signal,
): Promise<Ended> {
  const words: string[] = [];
  const failures: ModelFailure[] = [];
  const port = createModelPort({ models, env: ENV, onFailure: (failure) => void failures.push(failure) });
  for await (const part of port.chat(asked, signal)) {
    if (part.type !== 'delta') return { end: ModelEnd.parse(part), words, failures };
    words.push(part.text);
  }
  return assert.fail('the stream has no end');
}

const bodyOf = (at = -1): Readonly<Record<string, unknown>> =>
  server.requests.at(at)?.body as Readonly<Record<string, unknown>>;

test('the temperature of a model is in each of its requests, and in no others', async () => {
  for (const temperature of [0.2, undefined]) {
    server.add({ expect: { body: {} }, answer: OPENAI_WIRE.stream({ text: ['Good.'] }) });
    await ask([entry({ provider: 'compatible', temperature })]);
    assert.equal(bodyOf()['temperature'], temperature);
  }
});

test('an answer streams, with its tokens, under the name of its provider', async () => {
  server.add({
    expect: {
      path: '/v1/chat/completions',
      headers: { authorization: `Bearer ${KEY}` },
      body: { model: 'gpt-5-mini', stream: true, max_completion_tokens: 500 },
    },
    answer: OPENAI_WIRE.stream({ text: ['It is ', 'good.'], usage: { prompt: 20, completion: 3 } }),
  });
  const { end, words, failures } = await ask([entry({ max_output_tokens: 500 })]);
  assert.deepEqual(words, ['It is ', 'good.']);
  assert.deepEqual(end, {
    type: 'answer',
    content: 'It is good.',
    toolCalls: [],
    finish: 'stop',
    reasoning: [],
    usage: { prompt: 20, completion: 3, total: 23 },
    moneyMicros: 0,
  });
  assert.deepEqual(failures, []);
  assert.deepEqual((bodyOf()['messages'] as readonly object[]).at(0), {
    role: 'system',
    content: 'You are a critic.\n\nIt is noon.',
  });
  server.verify();
});

test('tools with dots in their ids are called by names that providers accept', async () => {
  const tools = [LOOK, { ...LOOK, name: 'files_look' }];
  const call = { id: 'c1', name: 'files_look_2', pieces: ['{"at":', '"mill"}'] };
  server.add({ answer: OPENAI_WIRE.stream({ calls: [call] }) }, { answer: OPENAI_WIRE.stream({ text: ['Seen.'] }) });
  const { end } = await ask([entry()], request({ tools }));
  assert.ok(end.type === 'answer');
  const [first] = end.toolCalls;
  assert.deepEqual([end.finish, first], ['tool_calls', { id: 'c1', name: 'files.look', arguments: '{"at":"mill"}' }]);
  const sent = bodyOf()['tools'] as readonly { readonly function: { readonly name: string } }[];
  assert.deepEqual(
    sent.map((tool) => tool.function.name),
    ['files_look_2', 'files_look'],
  );
  const broken = { id: 'c2', name: 'files.look', arguments: '{"at":' };
  const messages = [
    ...request().messages,
    { role: 'assistant' as const, content: '', toolCalls: [...end.toolCalls, broken] },
    { role: 'tool' as const, callId: 'c1', content: 'A mill.', outcome: 'ok' as const },
    { role: 'tool' as const, callId: 'c2', content: 'Wrong.', outcome: 'invalid_input' as const },
  ];
  await ask([entry()], request({ tools, messages }));
  const repeated = JSON.stringify(bodyOf()['messages']);
  assert.ok(repeated.includes('"name":"files_look_2"') && !repeated.includes('files.look'), repeated);
  assert.ok(repeated.includes(String.raw`{\"invalid_arguments\":`), 'arguments that are no JSON are sent as JSON');
  server.verify();
});

test('Anthropic gets the key of its usual variable, both halves of the system text, and a limit', async () => {
  server.add({
    expect: { path: '/v1/messages', headers: { 'x-api-key': KEY } },
    answer: ANTHROPIC_WIRE.stream({ text: ['Yes.'], usage: { prompt: 9, completion: 1 } }),
  });
  const { end } = await ask([entry({ provider: 'anthropic', name: 'claude-opus-5', api_key_env: undefined })]);
  assert.ok(end.type === 'answer');
  assert.deepEqual([end.content, end.usage], ['Yes.', { prompt: 9, completion: 1, total: 10 }]);
  const { system, max_tokens: limit } = bodyOf();
  assert.equal((system as readonly object[]).length, 2);
  assert.ok(Number(limit) > 4_096, `${String(limit)} tokens`);
  server.verify();
});

for (const [provider, wire] of [
  ['openai', OPENAI_WIRE],
  ['anthropic', ANTHROPIC_WIRE],
] as const)
  test(`each failure of ${provider} has its code, and words without the key`, async () => {
    for (const [code, answer] of Object.entries(wire.errors)) {
      server.add({ answer });
      const { end, failures } = await ask([entry({ provider })]);
      assert.ok(end.type === 'failed', code);
      assert.deepEqual([end.code, end.retryable], [code, code === 'rate' || code === 'overloaded']);
      assert.deepEqual(
        failures.map((failure) => [failure.model, failure.run, failure.code]),
        [['fast', 'r1', code]],
      );
      assert.ok(failures.every(({ message }) => message !== '' && !message.includes(KEY)));
    }
    server.verify();
  });

test('a failure in the middle of a stream keeps the tokens of the part that arrived', async () => {
  const whole = OPENAI_WIRE.stream({ text: ['half of it'] });
  server.add({ answer: { ...whole, chunks: [...whole.chunks.slice(0, 2), 'cut'] } });
  const { end, words } = await ask([entry()]);
  assert.ok(end.type === 'failed');
  assert.deepEqual([end.code, end.retryable, words], ['network', true, ['half of it']]);
  assert.ok(end.usage.completion > 0 && end.usage.total === end.usage.prompt + end.usage.completion);
});

test('a cancel ends a request that the provider leaves open', async () => {
  const whole = OPENAI_WIRE.stream({ text: ['one'] });
  server.add({ answer: { ...whole, chunks: [...whole.chunks.slice(0, 2), 'hold'] } });
  const cancel = new AbortController();
  const port = createModelPort({ models: [entry()], env: ENV });
  let end: unknown;
  for await (const part of port.chat(request(), cancel.signal)) {
    cancel.abort();
    end = part;
  }
  assert.deepEqual((end as { readonly code?: string }).code, 'cancelled');
});

const REFUSED: readonly (readonly [string, Partial<ModelEntry>, Partial<ModelRequest>, string, RegExp])[] = [
  ['a model that agents.yaml lacks', {}, { model: 'slow' }, 'no_such_model', /no model slow: agents\.yaml has fast/],
  ['a key that is not set', { api_key_env: 'NO_KEY' }, {}, 'auth', /set NO_KEY in the environment/],
  ['a key that is empty', { api_key_env: 'EMPTY' }, {}, 'auth', /set EMPTY in the environment/],
  [
    'a provider without an address',
    { provider: 'vllm', base_url: undefined },
    {},
    'bad_request',
    /providers\.vllm\.baseUrl/,
  ],
];
for (const [title, fields, asked, code, words] of REFUSED)
  test(`${title} is a failure that names the fix, and sends nothing`, async () => {
    const before = server.requests.length;
    const { end, failures } = await ask([entry(fields)], request(asked));
    assert.deepEqual(end.type === 'failed' && [end.code, end.retryable, end.usage.total], [code, false, 0]);
    assert.match(failures[0]?.message ?? '', words);
    assert.equal(server.requests.length, before);
  });

test('the keys of models are those of the named variables, and of the usual ones', () => {
  const env = { TEAM_KEY: 'team', OPENAI_API_KEY: 'usual', OTHER: 'other' };
  const models = [entry(), entry({ api_key_env: undefined }), entry({ provider: 'ollama', api_key_env: undefined })];
  assert.deepEqual(keysOf(models, env), ['team', 'usual']);
});
