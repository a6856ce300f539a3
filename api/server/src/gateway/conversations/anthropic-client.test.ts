/** Anthropic's own client uses the gateway in front of a server with OpenAI's format; the gateway translates. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import Anthropic, { APIError } from '@anthropic-ai/sdk';
import { OPENAI_WIRE } from '@hamlet/models/testing';
import { readModelRequests } from '@hamlet/store';
import { refuses } from '@hamlet/test/env/client';
import { agentToken, eventually, startPlay } from '../../testing/test-village.ts';
import { answerWith, testWire, wireModels } from '../testing/wire-models.ts';

const USER = { role: 'user' as const, content: 'Go to the mill and say hello.' };
const input_schema = { type: 'object' as const, properties: { place: { type: 'string' } }, required: ['place'] };
const tool = (name: string) => ({ name, description: 'Walks.', input_schema });
const TOOLS = [tool('go_to'), tool('say')];
const SENT_TOOLS = TOOLS.map(({ name, description, input_schema: parameters }) => ({
  type: 'function',
  function: { name, description, parameters },
}));
const CALLS = [
  { id: 'call_a', name: 'go_to', pieces: ['{"pla', 'ce":"mi', 'll"}'] },
  { id: 'call_b', name: 'say', pieces: ['{"te', 'xt":"hello"}'] },
];
const USED = [
  { type: 'tool_use', id: 'call_a', name: 'go_to', input: { place: 'mill' } },
  { type: 'tool_use', id: 'call_b', name: 'say', input: { text: 'hello' } },
];

const wire = await testWire();
const { village, play } = await startPlay({ models: wireModels(wire.url) });
const baseURL = play.url;

function bob(): Anthropic {
  return new Anthropic({ baseURL, apiKey: null, authToken: agentToken('bob'), maxRetries: 0, timeout: 60_000 });
}

const ASKED = { model: 'small', max_tokens: 64, messages: [USER] };
const blocksOf = (message: Anthropic.Message) =>
  message.content.map((block) => (block.type === 'text' ? block.text : { ...block, caller: undefined }));

test('a plain answer has the usage and the receipt of the OpenAI format', async () => {
  answerWith(
    wire,
    { text: ['Good ', 'day.'], usage: { prompt: 40, completion: 9 } },
    { max_tokens: 64, stop: ['END'], temperature: 0.5 },
  );
  const asked = { ...ASKED, system: 'Be short.', stop_sequences: ['END'], temperature: 0.5 };
  const message = await bob().messages.create(asked);
  assert.deepEqual([message.role, message.stop_reason, message.stop_sequence], ['assistant', 'end_turn', null]);
  assert.deepEqual(blocksOf(message), ['Good day.']);
  assert.deepEqual([message.usage.input_tokens, message.usage.output_tokens], [40, 9]);
  assert.partialDeepStrictEqual(wire.requests.at(-1)?.body, {
    messages: [{ role: 'system', content: 'Be short.' }, USER],
  });

  const [row] = await readModelRequests(village.openDb(), 'bob', 1);
  assert.partialDeepStrictEqual(row, { outcome: 'done', promptTokens: 40, completionTokens: 9, model: 'small' });
  assert.equal(message.id, `msg_${row?.requestId}`);
  answerWith(wire, { text: ['Good day.'], usage: { prompt: 40, completion: 9 } });
  const chat = await play.as('bob').completeChat({ model: 'small', messages: [USER] });
  answerWith(wire, { text: ['Good day.'], usage: { prompt: 40, completion: 9 } });
  const again = await play.as('bob').createMessage(ASKED);
  assert.deepEqual([again.hamlet.price, again.hamlet.tokens], [chat.hamlet.price, chat.hamlet.tokens]);
  wire.verify();
});

test('parallel tool calls are translated, and so are their results in the next request', async () => {
  answerWith(
    wire,
    { text: ['I walk.'], calls: CALLS },
    { tools: SENT_TOOLS, tool_choice: 'required', parallel_tool_calls: false, messages: [USER] },
  );
  const tool_choice = { type: 'any' as const, disable_parallel_tool_use: true };
  const first = await bob().messages.create({ ...ASKED, tools: TOOLS, tool_choice });
  assert.equal(first.stop_reason, 'tool_use');
  assert.partialDeepStrictEqual(blocksOf(first), ['I walk.', ...USED]);

  const calls = CALLS.map(({ id, name, pieces }) => ({
    id,
    type: 'function',
    function: { name, arguments: pieces.join('') },
  }));
  answerWith(
    wire,
    { text: ['Done.'] },
    {
      messages: [
        USER,
        { role: 'assistant', content: 'I walk.', tool_calls: calls },
        { role: 'tool', tool_call_id: 'call_a', content: 'there' },
        { role: 'tool', tool_call_id: 'call_b', content: 'The call failed: nobody hears' },
        { role: 'user', content: 'Go on.' },
      ],
    },
  );
  const results = [
    { type: 'tool_result' as const, tool_use_id: 'call_a', content: [{ type: 'text' as const, text: 'there' }] },
    { type: 'tool_result' as const, tool_use_id: 'call_b', content: 'nobody hears', is_error: true },
    { type: 'text' as const, text: 'Go on.' },
  ];
  const assistant = { role: 'assistant' as const, content: first.content };
  const second = await bob().messages.create({
    ...ASKED,
    messages: [USER, assistant, { role: 'user', content: results }],
  });
  assert.deepEqual(blocksOf(second), ['Done.']);
  wire.verify();
});

test('a stream has the events of the format, even if the model alternates between tool calls', async () => {
  answerWith(wire, { text: ['I ', 'walk.'], calls: CALLS, usage: { prompt: 40, completion: 9 } });
  const stream = bob().messages.stream({ ...ASKED, tools: TOOLS });
  const types: string[] = [];
  stream.on('streamEvent', ({ type }) => void types.push(type));
  const texts: string[] = [];
  stream.on('text', (text) => void texts.push(text));
  const message = await stream.finalMessage();
  assert.deepEqual(texts, ['I ', 'walk.']);
  assert.partialDeepStrictEqual(blocksOf(message), ['I walk.', ...USED]);
  assert.equal(message.stop_reason, 'tool_use');
  assert.deepEqual([message.usage.input_tokens, message.usage.output_tokens], [40, 9]);
  assert.deepEqual([types[0], types.at(-2), types.at(-1)], ['message_start', 'message_delta', 'message_stop']);
  const blocks = types.filter((type) => /block_(start|stop)$/.test(type));
  assert.deepEqual(blocks, Array.from({ length: 3 }, () => ['content_block_start', 'content_block_stop']).flat());
  wire.verify();
});

test('answers at the token limit, answers by a schema, and tool arguments that are not an object are translated', async () => {
  answerWith(wire, { text: ['Cut'], finish: 'length' });
  assert.equal((await bob().messages.create(ASKED)).stop_reason, 'max_tokens');
  const schema = { type: 'object', properties: {}, additionalProperties: false };
  const response_format = { type: 'json_schema', json_schema: { name: 'answer', schema } };
  answerWith(wire, { text: ['{}'] }, { response_format });
  await bob().messages.create({ ...ASKED, output_config: { format: { type: 'json_schema', schema } } });
  answerWith(wire, { calls: [{ id: 'call_x', name: 'say', pieces: ['not JSON'] }] });
  const bad = await bob().messages.create({ ...ASKED, tools: TOOLS });
  assert.partialDeepStrictEqual(bad.content, [{ type: 'tool_use', input: { invalid_arguments: 'not JSON' } }]);
  wire.verify();
});

test('failures have the shape and the error types of the format, both before and during a stream', async () => {
  const fails = async (work: Promise<unknown>) => {
    const error = await work.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof APIError, String(error));
    return error;
  };
  const stranger = await fails(new Anthropic({ baseURL, apiKey: 'wrong', maxRetries: 0 }).messages.create(ASKED));
  assert.deepEqual([stranger.status, stranger.type], [401, 'authentication_error']);
  const none = await fails(bob().messages.create({ ...ASKED, model: 'none' }));
  assert.deepEqual([none.status, none.type], [404, 'not_found_error']);
  assert.match(none.apiMessage ?? '', /but not none/);
  const server = { type: 'url', url: 'https://mcp.example.org', name: 'tracker' };
  for (const field of [{ mcp_servers: [server] }, { container: 'c1' }, { thread: {} }, { compaction: {} }]) {
    const refused = await fails(bob().messages.create({ ...ASKED, ...field }));
    assert.deepEqual([refused.status, refused.type], [400, 'invalid_request_error']);
    assert.match(refused.apiMessage ?? '', new RegExp(`do not support ${Object.keys(field)[0]}: leave it out`));
  }
  const long = [{ role: 'user' as const, content: 'word '.repeat(40_000) }];
  const tooLong = await fails(bob().messages.create({ ...ASKED, messages: long }));
  assert.deepEqual([tooLong.status, tooLong.type], [400, 'invalid_request_error']);
  assert.match(tooLong.apiMessage ?? '', /^prompt is too long: \d+ tokens > \d+ maximum/);
  wire.add({ answer: OPENAI_WIRE.errors.auth });
  const failed = await fails(bob().messages.create(ASKED));
  assert.deepEqual([failed.status, failed.type], [502, 'api_error']);

  wire.add({
    answer: {
      ...OPENAI_WIRE.stream({ text: ['Half'] }),
      chunks: OPENAI_WIRE.stream({ text: ['Half'] }).chunks.slice(0, 2),
    },
  });
  assert.equal((await fails(bob().messages.stream(ASKED).finalMessage())).type, 'api_error');
  await play.admin.freezeVillage({ reason: 'test' });
  await refuses(play.as('bob').createMessage(ASKED), 'village_frozen');
  await play.admin.liftVillageFreeze();
});

test('tokens can be counted before a request; a key may be sent as x-api-key', async () => {
  const { input_tokens: short } = await bob().messages.countTokens({ model: 'small', messages: [USER] });
  const { input_tokens: long } = await bob().messages.countTokens({
    model: 'small',
    messages: [USER],
    system: 'Be short. '.repeat(50),
  });
  assert.ok(short > 0 && long > short, `${short} and ${long}`);
  const key = (name: string, model: string) =>
    fetch(`${baseURL}/v1/messages/count_tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': name },
      body: JSON.stringify({ model, messages: [USER] }),
    });
  assert.equal((await key(agentToken('bob'), 'small')).status, 200);
  assert.equal((await key('wrong', 'small')).status, 401);
  await refuses(play.as('bob').countMessageTokens({ model: 'none', messages: [USER] }), 'model_not_in_tier');
  await eventually('no request in progress', async () => {
    const rows = await readModelRequests(village.openDb(), 'bob', 20);
    return rows.every(({ outcome }) => outcome !== 'under_way');
  });
});
