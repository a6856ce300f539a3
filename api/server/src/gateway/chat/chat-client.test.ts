/** Bodies that programs send, as strangers have reported them, over HTTP to the gateway and on to a server with OpenAI's format. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPENAI_WIRE, type ScriptedAnswer } from '@hamlet/models/testing';
import { agentToken, startPlay } from '../../testing/test-village.ts';
import { testWire, wireModels } from '../testing/wire-models.ts';

const wire = await testWire();
const seeing = { model: 'up-vision', contextTokens: 32_768 };
const { play, village } = await startPlay({ models: wireModels(wire.url, { route: seeing }) });

const USER = { role: 'user', content: 'Good day.' };
const PNG = 'data:image/png;base64,iVBORw0KGgo=';

async function post(path: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  const authorization = `Bearer ${agentToken('bob')}`;
  return fetch(`${play.url}/v1/${path}`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'small', ...body }),
  });
}

interface Answered {
  readonly status: number;
  readonly answer: Record<string, unknown>;
  /** The body that the provider received; null if it was not asked. */
  readonly sent: Record<string, unknown>;
}

/** Sends a body to the gateway, and expects that the provider is asked once. */
async function asked(path: string, body: object, answer: ScriptedAnswer = { text: ['Good.'] }): Promise<Answered> {
  wire.add({ answer: OPENAI_WIRE.stream(answer) });
  const response = await post(path, body);
  const read = (await response.json()) as Record<string, unknown>;
  assert.equal(response.status, 200, JSON.stringify(read));
  wire.verify();
  return { status: response.status, answer: read, sent: wire.requests.at(-1)?.body as Record<string, unknown> };
}

const toolTurn = (content: unknown) => [
  { role: 'user', content: 'Read it.' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'a1', type: 'function', function: { name: 'read', arguments: '{}' } }],
  },
  { role: 'tool', tool_call_id: 'a1', content },
];

test('an answer without a limit may be as long as the model can write, and a greater limit is lowered', async () => {
  const usual = await asked('chat/completions', { messages: [USER] });
  assert.equal(usual.sent['max_tokens'], 16_384);
  for (const limit of [{ max_tokens: 64_000 }, { max_completion_tokens: 1_000_000 }]) {
    const { sent } = await asked('chat/completions', { messages: [USER], ...limit });
    assert.equal(sent['max_tokens'], 16_384);
  }
  const { sent } = await asked('messages', { messages: [USER], max_tokens: 64_000 });
  assert.equal(sent['max_tokens'], 16_384);
});

test('a prompt that leaves no room for an answer is refused, and one that barely does gets what is left', async () => {
  const full = await post('chat/completions', { messages: [{ role: 'user', content: 'x'.repeat(4 * 30_000) }] });
  assert.equal(full.status, 400);
  assert.match(await full.text(), /"code":"context_length_exceeded"/);
  const { sent } = await asked('chat/completions', { messages: [{ role: 'user', content: 'x'.repeat(4 * 28_000) }] });
  assert.equal(sent['max_tokens'], 4_096);
});

test('a result of 70,000 characters, a long description and half of a pair reach the model', async () => {
  const tools = [{ type: 'function', function: { name: 'read', description: 'd'.repeat(40_000) } }];
  const big = await asked('chat/completions', { messages: toolTurn('y'.repeat(70_000)), tools });
  assert.match(JSON.stringify(big.sent), /y{70000}/);
  const use = { type: 'tool_use', id: 'a1', name: 'read', input: {} };
  const result = { type: 'tool_result', tool_use_id: 'a1', content: 'z'.repeat(70_000) };
  const messages = [USER, { role: 'assistant', content: [use] }, { role: 'user', content: [result] }];
  assert.match(JSON.stringify((await asked('messages', { messages, max_tokens: 100 })).sent), /z{70000}/);
  assert.equal((await post('messages/count_tokens', { messages })).status, 200);
  const half = await asked('chat/completions', { messages: toolTurn('half of a face: \ud83d') });
  assert.match(JSON.stringify(half.sent), /half of a face: \ufffd/);
});

test('images reach a model that sees, in chat and in messages; other content becomes a sentence', async () => {
  const picture = { type: 'image_url', image_url: { url: PNG } };
  const far = { type: 'image_url', image_url: { url: 'https://example.org/mill.png' } };
  const sound = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } };
  const parts = [{ type: 'text', text: 'What is it?' }, picture, far, sound];
  const { sent } = await asked('chat/completions', { messages: [{ role: 'user', content: parts }] });
  const text = JSON.stringify(sent);
  assert.match(text, /data:image\/png;base64,iVBORw0KGgo=/);
  assert.match(text, /an image at https:\/\/example.org\/mill.png: left out/);
  assert.match(text, /input_audio: left out/);

  const source = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' };
  const result = {
    type: 'tool_result',
    tool_use_id: 'a1',
    content: [
      { type: 'image', source },
      { type: 'tool_reference', tool_name: 'mcp__mill__grind' },
      { type: 'search_result', title: 'Mill', source: 'notes.md', content: [{ type: 'text', text: 'It grinds.' }] },
    ],
  };
  const document = {
    type: 'document',
    title: 'Deed',
    source: { type: 'text', media_type: 'text/plain', data: 'Of 1702.' },
  };
  const pdf = {
    type: 'document',
    title: 'Plan',
    source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' },
  };
  const messages = [
    USER,
    { role: 'assistant', content: [{ type: 'tool_use', id: 'a1', name: 'read', input: {} }] },
    { role: 'user', content: [result, document, pdf, { type: 'mystery', of: 'a later version' }] },
  ];
  const blocks = JSON.stringify((await asked('messages', { messages, max_tokens: 100 })).sent);
  for (const part of [
    /data:image\/png/,
    /mcp__mill__grind can be called/,
    /It grinds/,
    /Of 1702/,
    /document \(Plan\): left out/,
    /mystery: left out/,
  ])
    assert.match(blocks, part);
});

test('thoughts reach the caller in each format, and come back in the next request', async () => {
  const thinking = { thought: ['A ', 'greeting.'], text: ['Good day.'] };
  const chat = await asked('chat/completions', { messages: [USER] }, thinking);
  const [choice] = chat.answer['choices'] as [{ message: Record<string, unknown> }];
  assert.equal(choice.message['reasoning_content'], 'A greeting.');
  const again = await asked('chat/completions', { messages: [USER, choice.message, USER] });
  assert.match(JSON.stringify(again.sent), /A greeting\./);
  const message = await asked('messages', { messages: [USER], max_tokens: 100 }, thinking);
  const content = message.answer['content'] as readonly object[];
  assert.deepEqual(content[0], { type: 'thinking', thinking: 'A greeting.', signature: '' });
  const kept = [USER, { role: 'assistant', content }, USER];
  assert.match(JSON.stringify((await asked('messages', { messages: kept, max_tokens: 100 })).sent), /A greeting\./);
});

test('a custom tool is a function for the model, and its text for the caller, also in a stream', async () => {
  const tools = [
    { type: 'custom', custom: { name: 'patch', description: 'Changes files.', format: { type: 'text' } } },
  ];
  const calls = [{ id: 'c1', name: 'patch', pieces: ['{"in', 'put":"*** Begin"}'] }];
  const called = [{ id: 'c1', type: 'custom', custom: { name: 'patch', input: '*** Begin' } }];
  const { answer, sent } = await asked('chat/completions', { messages: [USER], tools }, { calls });
  const [choice] = answer['choices'] as [{ message: { tool_calls: object[] } }];
  assert.deepEqual(choice.message.tool_calls, called);
  assert.partialDeepStrictEqual(sent, { tools: [{ type: 'function', function: { name: 'patch' } }] });
  const history = [
    USER,
    { role: 'assistant', tool_calls: called },
    { role: 'tool', tool_call_id: 'c1', content: 'done' },
  ];
  const next = await asked('chat/completions', { messages: history, tools });
  assert.match(JSON.stringify(next.sent), /\{\\"input\\":\\"\*\*\* Begin\\"\}/);
  wire.add({ answer: OPENAI_WIRE.stream({ calls }) });
  const streamed = await (await post('chat/completions', { messages: [USER], tools, stream: true })).text();
  assert.match(streamed, /"index":0,"id":"c1","type":"custom","custom":\{"name":"patch","input":"\*\*\* Begin"\}/);
});

test('allowed tools limit what the model sees, and more than four stop texts are passed on', async () => {
  const tools = ['read', 'write'].map((name) => ({ type: 'function', function: { name } }));
  const named = [{ type: 'function', function: { name: 'read' } }];
  const choice = { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: named } };
  const { sent } = await asked('chat/completions', {
    messages: [USER],
    tools,
    tool_choice: choice,
    user: 'a label',
    stop: ['a', 'b', 'c', 'd', 'e'],
  });
  assert.partialDeepStrictEqual(sent, {
    tool_choice: 'required',
    stop: ['a', 'b', 'c', 'd', 'e'],
  });
  assert.doesNotMatch(JSON.stringify(sent['tools']), /write/);
});

test('fields that a provider has are passed on', async () => {
  const fields = { reasoning_effort: 'low', top_p: 0.5, presence_penalty: 0.25, logit_bias: { 50_256: -100 } };
  const { sent } = await asked('chat/completions', { messages: [USER], ...fields });
  assert.partialDeepStrictEqual(sent, fields);
});

test('a provider that asks for a long wait is named with it, whole and in a stream, and no client sleeps on it', async () => {
  const busy = { status: 429, headers: { 'retry-after': '300' }, chunks: ['{"error":{"message":"slow down"}}'] };
  wire.add({ answer: busy }, { answer: busy });
  const whole = await post('chat/completions', { messages: [USER] });
  assert.deepEqual([whole.headers.get('retry-after'), whole.headers.get('x-should-retry')], [null, 'false']);
  const streamed = await post('chat/completions', { messages: [USER], stream: true });
  for (const text of [await whole.text(), await streamed.text()]) assert.match(text, /"resets_in_seconds":300/);
  wire.verify();
});

test('a token in x-api-key counts beside a wrong Authorization, and the other way round', async () => {
  const count = (headers: Record<string, string>) => post('messages/count_tokens', { messages: [USER] }, headers);
  const token = agentToken('bob');
  assert.equal((await count({ authorization: 'Bearer acp-proxy', 'x-api-key': token })).status, 200);
  assert.equal((await count({ authorization: `Bearer ${token}`, 'x-api-key': 'placeholder' })).status, 200);
  assert.equal((await count({ authorization: 'Bearer acp-proxy', 'x-api-key': 'placeholder' })).status, 401);
});

test('tokens as input of embeddings are refused by name where the tokenizer is unknown', async () => {
  const refused = await post('embeddings', { input: [[1_234, 567]] });
  assert.equal(refused.status, 400);
  assert.match(await refused.text(), /"code":"unsupported_field"/);
});

test('tokens are reserved for all thoughts and seals that a request repeats', async () => {
  const text = 't'.repeat(40_000);
  const seals = ['{"type":"thinking"}', JSON.stringify({ type: 'call_extras', extras: [], text })];
  for (const [at, sealed] of seals.entries()) {
    const thought = { role: 'assistant', content: 'Hm.', reasoning_items: [{ text: at === 0 ? text : '', sealed }] };
    const { sent } = await asked('chat/completions', { messages: [USER, thought, USER] });
    if (at === 0) assert.match(JSON.stringify(sent), /t{40000}/);
    const of = village.openDb().selectFrom('model_request').select('reserved_tokens').orderBy('request_id', 'desc');
    const { reserved_tokens: reserved } = await of.limit(1).executeTakeFirstOrThrow();
    assert.ok(Number(reserved) > 10_000, `${reserved} tokens are reserved for 40,000 characters`);
  }
});
