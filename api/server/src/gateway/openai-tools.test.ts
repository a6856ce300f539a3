/**
 * OpenAI's own client and the adapter of `@hamlet/models` use the gateway in front of a server with OpenAI's format.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import OpenAI, { APIError } from 'openai';
import { openModel, parseModelsConfig, SYSTEM_PORTS, type Model } from '@hamlet/models';
import { OPENAI_WIRE } from '@hamlet/models/testing';
import { readModelRequests } from '@hamlet/store';
import { pluck } from '@hamlet/test/env/pluck';
import { agentToken, testVillage, Play } from '../testing/test-village.ts';
import { answerWith, testWire, wireModels } from './testing/wire-models.ts';

const USER = { role: 'user' as const, content: 'Go to the mill and say hello.' };
const parameters = { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] };
const tool = (name: string) => ({ type: 'function' as const, function: { name, description: 'Walks.', parameters } });
const TOOLS = [tool('go_to'), tool('say')];
const CALLS = [
  { id: 'call_a', name: 'go_to', pieces: ['{"pla', 'ce":"mi', 'll"}'] },
  { id: 'call_b', name: 'say', pieces: ['{"te', 'xt":"hello"}'] },
];
const CALLED = [
  { id: 'call_a', type: 'function', function: { name: 'go_to', arguments: '{"place":"mill"}' } },
  { id: 'call_b', type: 'function', function: { name: 'say', arguments: '{"text":"hello"}' } },
];

const [village, wire] = await Promise.all([testVillage(), testWire()]);
const { peopleUrl } = await village.startReplica({}, { models: wireModels(wire.url) });
const baseURL = `${peopleUrl}/v1`;
await new Play(peopleUrl).everybody();

const bob = (): OpenAI => new OpenAI({ baseURL, apiKey: agentToken('bob'), maxRetries: 0, timeout: 60_000 });

/** Parts of the usage that the provider does not report. */
const UNSPECIFIED = {
  prompt_tokens_details: { cached_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0 },
};

test('a model makes parallel tool calls, and the next request carries their results', async () => {
  answerWith(
    wire,
    { text: ['I walk.'], calls: CALLS, usage: { prompt: 40, completion: 9 } },
    { tools: TOOLS, tool_choice: 'required', parallel_tool_calls: true, messages: [USER] },
  );
  const asked = { model: 'small', tools: TOOLS, parallel_tool_calls: true };
  const first = await bob().chat.completions.create({ ...asked, messages: [USER], tool_choice: 'required' });
  const [choice] = first.choices;
  assert.deepEqual([choice?.finish_reason, choice?.message.content], ['tool_calls', 'I walk.']);
  assert.deepEqual(choice?.message.tool_calls, CALLED);
  assert.deepEqual(first.usage, { prompt_tokens: 40, completion_tokens: 9, total_tokens: 49, ...UNSPECIFIED });
  assert.ok(choice);

  const results = CALLED.map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content: 'done' }));
  const messages = [USER, choice.message, ...results];
  const spoken = { role: 'assistant', content: 'I walk.', tool_calls: CALLED };
  answerWith(wire, { text: ['Done.'] }, { messages: [USER, spoken, ...results], tool_choice: 'auto' });
  const second = await bob().chat.completions.create({ ...asked, messages, tool_choice: 'auto' });
  assert.deepEqual([second.choices[0]?.message.content, second.choices[0]?.finish_reason], ['Done.', 'stop']);
  wire.verify();
});

test('the client joins streamed pieces of tool calls; an answer with only a call has no content', async () => {
  answerWith(wire, { calls: CALLS }, { tool_choice: { type: 'function', function: { name: 'go_to' } } });
  const stream = bob().chat.completions.stream({
    model: 'small',
    messages: [USER],
    tools: TOOLS,
    tool_choice: { type: 'function', function: { name: 'go_to' } },
    stream_options: { include_usage: true },
  });
  const pieces: string[] = [];
  for await (const { choices } of stream)
    for (const { index, function: called } of choices[0]?.delta.tool_calls ?? [])
      pieces.push(`${index} ${called?.arguments}`);
  assert.deepEqual(pieces, ['0 {"pla', '1 {"te', '0 ce":"mi', '1 xt":"hello"}', '0 ll"}']);
  const whole = await stream.finalChatCompletion();
  assert.equal(whole.choices[0]?.finish_reason, 'tool_calls');
  assert.partialDeepStrictEqual(whole.choices[0]?.message.tool_calls, CALLED);
  assert.deepEqual(whole.usage, { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18, ...UNSPECIFIED });

  answerWith(wire, { calls: CALLS });
  const plain = await bob().chat.completions.create({ model: 'small', messages: [USER], tools: TOOLS });
  assert.equal(plain.choices[0]?.message.content, null);
  wire.verify();
});

test('a call without arguments has an empty object in a stream too, once', async () => {
  for (const pieces of [[''], ['', '{}']]) {
    const calls = [{ id: 'call_a', name: 'say', pieces }, ...CALLS.slice(0, 1)];
    answerWith(wire, { calls });
    const chat = bob().chat.completions.stream({ model: 'small', messages: [USER], tools: TOOLS });
    const { message } = (await chat.finalChatCompletion()).choices[0] ?? {};
    const called = message?.tool_calls?.map((call) => call.type === 'function' && call.function.arguments);
    assert.deepEqual(called, ['{}', '{"place":"mill"}'], 'in Chat Completions');
    answerWith(wire, { calls });
    const tools = TOOLS.map(({ type, function: of }) => ({ type, ...of, strict: false }));
    const response = bob().responses.stream({ model: 'small', input: 'Go.', tools });
    const said: string[] = ['', ''];
    response.on('response.function_call_arguments.delta', ({ output_index: at, delta }) => (said[at] += delta));
    const { output } = await response.finalResponse();
    const whole = output.map((item) => item.type === 'function_call' && item.arguments);
    assert.deepEqual([whole, said], [said, ['{}', '{"place":"mill"}']], 'in Responses');
  }
  wire.verify();
});

test('a schema and JSON reach the provider', async () => {
  const json_schema = { name: 'plan', schema: { type: 'object', properties: { why: { type: 'string' } } } };
  answerWith(
    wire,
    { text: ['{"why":', '"bread"}'] },
    { response_format: { type: 'json_schema', json_schema: { ...json_schema, strict: true } } },
  );
  const planned = await bob().chat.completions.create({
    model: 'small',
    messages: [USER],
    response_format: { type: 'json_schema', json_schema },
  });
  assert.deepEqual(JSON.parse(planned.choices[0]?.message.content ?? ''), { why: 'bread' });
  answerWith(wire, { text: ['{}'] }, { response_format: { type: 'json_object' } });
  const asked = { model: 'small', messages: [USER], response_format: { type: 'json_object' as const } };
  assert.equal((await bob().chat.completions.create(asked)).choices[0]?.message.content, '{}');
  wire.verify();
});

test('usage that the provider does not report is estimated and marked', async () => {
  answerWith(wire, { text: ['Hello there.'], usage: null });
  const answer = await bob().chat.completions.create({ model: 'small', messages: [USER] });
  const { hamlet } = answer as typeof answer & { hamlet: object };
  assert.partialDeepStrictEqual(hamlet, { provider: 'upstream', scripted: false, estimated: true, price: '0' });
  assert.ok((answer.usage?.completion_tokens ?? 0) > 0);
  wire.verify();
});

test("embeddings are returned as numbers or in the client's default encoding, with their tokens", async () => {
  const vectors = [
    [0.25, -1],
    [3, 0.5],
  ];
  const data = vectors.map((embedding, index) => ({ index, embedding }));
  const step = {
    expect: { path: '/v1/embeddings', body: { model: 'up-model', input: ['bread', 'mill'] } },
    answer: { chunks: [JSON.stringify({ data, usage: { prompt_tokens: 4 } })] },
  };
  wire.add(step, step);
  for (const format of [{}, { encoding_format: 'float' as const }]) {
    const answer = await bob().embeddings.create({ model: 'small', input: ['bread', 'mill'], ...format });
    assert.deepEqual(pluck(answer.data, 'embedding'), vectors);
    assert.deepEqual(answer.usage, { prompt_tokens: 4, total_tokens: 4 });
  }
  const [row] = await readModelRequests(village.openDb(), 'bob', 1);
  assert.deepEqual([row?.outcome, row?.promptTokens, row?.completionTokens], ['done', 4, 0]);
  wire.add({ answer: OPENAI_WIRE.errors.bad_request });
  const refused = await errorOf(bob().embeddings.create({ model: 'small', input: 'bread' }));
  assert.deepEqual([refused.status, refused.code], [400, 'model_bad_request']);
  wire.verify();
});

/** Returns the client's own error of a failed call. */
async function errorOf(call: PromiseLike<unknown>): Promise<APIError> {
  try {
    await call;
  } catch (error) {
    assert.ok(error instanceof APIError, String(error));
    return error;
  }
  return assert.fail('it was answered');
}

const REFUSALS = [
  ['auth', 502, 'model_failed', 1],
  ['forbidden', 502, 'model_failed', 1],
  ['no_such_model', 502, 'model_failed', 1],
  ['quota', 502, 'model_failed', 1],
  ['rate', 502, 'model_failed', 2],
  ['overloaded', 502, 'model_failed', 2],
  ['context_too_long', 400, 'context_length_exceeded', 1],
  ['content_refused', 400, 'content_refused', 1],
  ['bad_request', 400, 'model_bad_request', 1],
] as const;

for (const [code, status, reason, attempts] of REFUSALS)
  test(`the provider's ${code} becomes ${reason}, whole and streamed, after ${attempts} attempts, and costs nothing`, async () => {
    const step = { answer: OPENAI_WIRE.errors[code] };
    for (const stream of [false, true]) {
      wire.add(...Array.from({ length: attempts }, () => step));
      const asked = { model: 'small', messages: [USER] };
      const error = await errorOf(
        stream
          ? bob()
              .chat.completions.create({ ...asked, stream })
              .then((pieces) => Array.fromAsync(pieces))
          : bob().chat.completions.create(asked),
      );
      assert.deepEqual([error.status, error.code], [stream ? undefined : status, reason]);
      assert.doesNotMatch(error.message, /sk-/);
    }
    const [row] = await readModelRequests(village.openDb(), 'bob', 1);
    assert.deepEqual([row?.outcome, row?.promptTokens, row?.completionTokens], ['failed', 0, 0]);
    wire.verify();
  });

test('requests that no provider could serve are refused without asking one', async () => {
  const tools = [{ type: 'function' as const, function: { name: 'go to', parameters } }];
  const unnamed = { role: 'tool' as const, content: 'done' } as unknown as typeof USER;
  const bad = [
    [{ tools }, 'tools.0.function.name'],
    [{ messages: [USER, unnamed] }, 'messages.1.tool_call_id'],
    [{ tools: Array.from({ length: 129 }, () => tool('go_to')) }, 'tools'],
  ] as const;
  for (const [fields, param] of bad) {
    const error = await errorOf(
      bob().chat.completions.create({
        model: 'small',
        messages: [USER],
        ...fields,
      } as OpenAI.ChatCompletionCreateParamsNonStreaming),
    );
    assert.deepEqual([error.status, error.code, error.param], [400, 'validation_failed', param]);
  }
  wire.verify();
});

/** The gateway as a resident sees it. */
function asResident(): Model {
  const parsed = parseModelsConfig({
    providers: { village: { kind: 'compatible', baseUrl: baseURL, credential: 'token' } },
    routes: [{ match: '*', provider: 'village' }],
    retry: { attempts: 1 },
  });
  assert.ok(parsed.ok);
  const credentials = { key: () => agentToken('bob'), subscription: () => null };
  const opened = openModel(parsed.config, 'small', { credentials, ports: SYSTEM_PORTS });
  assert.ok(opened.ok);
  return opened.model;
}

test("the project's own adapter reads pieces, calls, usage and error codes from the gateway", async () => {
  const tools = [{ name: 'go_to', description: 'Walks.', parameters }];
  const messages = [USER];
  answerWith(wire, { text: ['I ', 'walk.'], calls: CALLS, usage: { prompt: 40, completion: 9 } });
  const outcome = await asResident().chat({ messages, tools, metadata: { ask: '1', attempt: '2' } });
  assert.ok(outcome.ok);
  assert.partialDeepStrictEqual(outcome.answer, {
    content: 'I walk.',
    finish: 'tool_calls',
    usage: { promptTokens: 40, completionTokens: 9, estimated: false },
    toolCalls: [{ id: 'call_a', name: 'go_to', arguments: '{"place":"mill"}' }, { id: 'call_b' }],
  });
  const codes = ['context_too_long', 'content_refused', 'bad_request'] as const;
  for (const code of codes) {
    wire.add({ answer: OPENAI_WIRE.errors[code] });
    const refused = await asResident().chat({ messages, tools });
    assert.equal(refused.ok ? '' : refused.error.code, code);
  }
  wire.verify();
});
