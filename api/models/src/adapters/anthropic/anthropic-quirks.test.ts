/** Requests and answers of the Messages API that differ from the plain ones, over HTTP. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ChatAnswer, ChatOutcome } from '../../chat/chat-delta.ts';
import type { ChatRequest } from '../../chat/chat-request.ts';
import { collectAnswer } from '../../chat/fold-answer.ts';
import { createModel } from '../../routing/create-model.ts';
import { startWireServer, type WireServer } from '../../testing/wire-server.ts';
import { ANTHROPIC_WIRE } from '../../testing/wires/anthropic-wire.ts';
import { eventStream, json } from '../../testing/wires/wire.ts';
import { ANSWER_LIMITS } from '../../transport/answer-limits.ts';
import { SYSTEM_PORTS } from '../../transport/model-ports.ts';
import { createAnthropicAdapter } from './anthropic-adapter.ts';

const KIT = { limits: ANSWER_LIMITS, ports: SYSTEM_PORTS };
const USER = { role: 'user' as const, content: 'Where is the mill?' };
const MARK = { cache_control: { type: 'ephemeral' } };
const GO = { name: 'go_to', description: 'Walks.', parameters: { type: 'object' } };

let server: WireServer;
before(async () => {
  server = await startWireServer();
});
after(() => server.close());

function model() {
  const adapter = createAnthropicAdapter({ provider: 'anthropic', baseUrl: server.url, apiKey: 'key-0123456789' }, KIT);
  const retry = { attempts: 1, firstDelayMs: 1, maxDelayMs: 1 };
  return createModel({ targets: [{ adapter, model: 'm', price: null }], fallbackOn: [], retry, ...KIT });
}

async function streamed(...events: readonly object[]): Promise<ChatOutcome> {
  server.add({ answer: eventStream(events.map((event) => `data: ${JSON.stringify(event)}\n\n`)) });
  return collectAnswer(model().stream({ messages: [USER] }));
}

function answerOf(outcome: ChatOutcome): ChatAnswer {
  assert.ok(outcome.ok, outcome.ok ? '' : JSON.stringify(outcome.error));
  return outcome.answer;
}

async function sentBody(request: ChatRequest): Promise<Readonly<Record<string, unknown>>> {
  server.add({ answer: ANTHROPIC_WIRE.plain({ text: ['ok'] }) });
  answerOf(await model().chat(request));
  return server.requests.at(-1)?.body as Readonly<Record<string, unknown>>;
}

test('the cache ends after the tools, after the stable system text and after the newest turn of the user', async () => {
  const body = await sentBody({
    messages: [
      { role: 'system', content: 'You are Ada.', cacheable: true },
      { role: 'system', content: 'It is noon.' },
      USER,
      { role: 'assistant', content: '', toolCalls: [{ id: 'functions.go:0', name: 'go_to', arguments: '{}' }] },
      { role: 'tool', toolCallId: 'functions.go:0', content: 'There.' },
      { role: 'assistant', content: ' \n' },
    ],
    tools: [{ ...GO, name: 'look' }, GO],
  });
  assert.deepEqual(body['system'], [
    { type: 'text', text: 'You are Ada.', ...MARK },
    { type: 'text', text: 'It is noon.' },
  ]);
  assert.deepEqual(
    (body['tools'] as readonly object[]).map((tool) => 'cache_control' in tool),
    [false, true],
  );
  assert.deepEqual(body['messages'], [
    { role: 'user', content: [{ type: 'text', text: USER.content }] },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'functions_go_0', name: 'go_to', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'functions_go_0', content: 'There.', ...MARK }] },
  ]);
});

test('a conversation with calls and no tools defines those that it called, and forbids calls', async () => {
  const toolCalls = [{ id: 'a', name: 'go_to', arguments: '{}' }];
  const messages = [USER, { role: 'assistant' as const, content: '', toolCalls }, { ...USER, content: 'Sum up.' }];
  const body = await sentBody({ messages });
  const [tool, ...others] = body['tools'] as readonly { readonly name: string }[];
  assert.deepEqual([tool?.name, others, body['tool_choice']], ['go_to', [], { type: 'none' }]);
  const offered = await sentBody({ messages, tools: [{ ...GO, name: 'look' }] });
  assert.deepEqual([(offered['tools'] as readonly object[]).length, 'tool_choice' in offered], [1, false]);
});

const BUDGETS = [
  [{ type: 'enabled', budget_tokens: 2_000 }, 3_000, { type: 'enabled', budget_tokens: 2_000 }],
  [{ type: 'enabled', budget_tokens: 8_000 }, 3_000, { type: 'enabled', budget_tokens: 2_999 }],
  [{ type: 'enabled', budget_tokens: 8_000 }, 1_000, undefined],
  [{ type: 'adaptive' }, 1_000, { type: 'adaptive' }],
] as const;

test('the budget of thoughts leaves room for an answer', async () => {
  for (const [thinking, maxTokens, expected] of BUDGETS)
    assert.deepEqual((await sentBody({ messages: [USER], maxTokens, extra: { thinking } }))['thinking'], expected);
});

test('a request that nothing will repeat is not written to the cache, which costs more', async () => {
  const body = await sentBody({ messages: [{ role: 'system', content: 'You are Ada.' }, USER] });
  assert.ok(!JSON.stringify(body).includes('cache_control'));
});

test('tokens of the cache are reported', async () => {
  const usage = {
    input_tokens: 3,
    cache_read_input_tokens: 100,
    cache_creation_input_tokens: 20,
    output_tokens: 5,
  };
  server.add({ answer: json({ content: 'ok', stop_reason: 'end_turn', usage }) });
  const answer = answerOf(await model().chat({ messages: [USER] }));
  const { promptTokens, cachedPromptTokens, cacheWriteTokens, completionTokens } = answer.usage;
  assert.deepEqual([promptTokens, cachedPromptTokens, cacheWriteTokens, completionTokens], [123, 100, 20, 5]);
  assert.equal(answer.content, 'ok', 'a text in place of blocks is read');
});

const START = { type: 'message_start', message: { content: [], usage: null } };
const block = (content_block: object, index = 0): object => ({ type: 'content_block_start', index, content_block });
const stop = (index = 0): object => ({ type: 'content_block_stop', index });
const END = [{ type: 'message_delta', delta: { stop_reason: 'tool_use' } }, { type: 'message_stop' }];
const call = (input: unknown): object => ({ type: 'tool_use', id: 'a', name: 'go_to', input });
const piece = (partial_json: unknown): object => ({
  type: 'content_block_delta',
  index: 0,
  delta: { type: 'input_json_delta', partial_json },
});

const CALLS: readonly (readonly [string, readonly object[], string])[] = [
  ['at its start alone', [block(call({ place: 'mill' })), stop(), ...END], '{"place":"mill"}'],
  [
    'at its start and in pieces',
    [block(call({ place: 'mill' })), piece('{"place":"mill"}'), ...END],
    '{"place":"mill"}',
  ],
  ['as an object in a piece', [block(call({})), piece({ place: 'mill' }), stop(), ...END], '{"place":"mill"}'],
  ['nowhere', [block(call(undefined)), stop(), ...END], '{}'],
  ['without events at its end', [block(call({ place: 'mill' }))], '{"place":"mill"}'],
];

for (const [title, events, expected] of CALLS)
  test(`the input of a call is read if it comes ${title}`, async () => {
    const ended = events.includes(END[1] as object) ? events : [...events, ...END.slice(1)];
    const { toolCalls, finish } = answerOf(await streamed(START, ...ended));
    assert.deepEqual([toolCalls[0]?.arguments, finish], [expected, 'tool_calls']);
  });

test('a long number in an input is exact', async () => {
  const body = JSON.stringify({ content: [call({ id: 'N' })], stop_reason: 'tool_use' });
  server.add({ answer: { chunks: [body.replace('"N"', '2512292042121000001')] } });
  const { toolCalls } = answerOf(await model().chat({ messages: [USER] }));
  assert.equal(toolCalls[0]?.arguments, '{"id":2512292042121000001}');
  const [first] = toolCalls;
  assert.ok(first !== undefined);
  const sent = await sentBody({ messages: [USER, { role: 'assistant', content: '', toolCalls: [first] }] });
  assert.match(JSON.stringify(sent), /"input":\{"id":2512292042121000001\}/);
});

test('thoughts arrive with their signatures, and redacted ones as they are', async () => {
  const answer = answerOf(
    await streamed(
      START,
      block({ type: 'thinking', thinking: '', signature: '' }),
      { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'North?' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'signature_delta', signature: 'c2ln' } },
      stop(),
      block({ type: 'redacted_thinking', data: 'aGlk' }, 1),
      stop(1),
      block({ type: 'text', text: 'North.' }, 2),
      ...END,
    ),
  );
  assert.deepEqual(answer.reasoningItems, [
    { text: 'North?', sealed: 'c2ln' },
    { text: '', sealed: '{"type":"redacted_thinking","data":"aGlk"}' },
  ]);
});

test('an answer without a stop reason counts if its end arrives, and an error in any form ends it', async () => {
  const text = block({ type: 'text', text: 'North.' });
  assert.equal(answerOf(await streamed(START, text, stop(), { type: 'message_stop' })).finish, 'stop');
  const cut = await streamed(START, text);
  assert.equal(cut.ok ? '' : cut.error.code, 'network');
  for (const error of [{ type: 'error', error: { type: 'overloaded_error', message: 'Busy' } }, { error: 'Busy' }]) {
    const failed = await streamed(START, error);
    assert.deepEqual(failed.ok ? '' : [failed.error.code, failed.error.message], ['overloaded', 'Busy']);
  }
});
