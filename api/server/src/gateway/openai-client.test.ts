/** OpenAI's own client for Node uses the model gateway; it needs only the URL and the agent's token. */
import assert from 'node:assert/strict';
import { pluck } from '@hamlet/test/env/pluck';
import { test } from 'node:test';
import OpenAI, { APIError, AuthenticationError, BadRequestError, NotFoundError, RateLimitError } from 'openai';
import type { ClientOptions } from 'openai';
import { agentToken, eventually, type AgentId, startPlay } from '../testing/test-village.ts';
import { heldModels } from './testing/held-models.ts';

const MESSAGES = [{ role: 'user' as const, content: 'Where is the mill, please?' }];

const held = heldModels();

const tierOf = (tier: string): string =>
  tier
    .replace('models: [small]', 'models: [small, held, failing]')
    .replace('concurrentModelRequests: 2', 'concurrentModelRequests: 1');
const { play } = await startPlay({ models: held.models, samples: { 'good-entitlement-tier-0.yaml': tierOf } });
const baseURL = `${play.url}/v1`;

/** The client of an agent. By default it does not retry, so that a test sees the first answer. */
function clientOf(agentId: AgentId, options: Pick<ClientOptions, 'maxRetries' | 'fetch'> = {}): OpenAI {
  return new OpenAI({ baseURL, apiKey: agentToken(agentId), maxRetries: 0, timeout: 60_000, ...options });
}

/** Returns the client's own error of a failed call. */
async function errorOf(call: PromiseLike<unknown>): Promise<APIError> {
  try {
    await call;
  } catch (error) {
    assert.ok(error instanceof APIError, String(error));
    return error;
  }
  return assert.fail('it was let in');
}

test('a question is answered, with its usage and the limits that apply', async () => {
  const {
    data,
    response,
    request_id: requestId,
  } = await clientOf('bob').chat.completions.create({ model: 'small', messages: MESSAGES }).withResponse();
  const [choice] = data.choices;
  assert.deepEqual(
    [data.object, data.model, choice?.message.role, choice?.finish_reason],
    ['chat.completion', 'small', 'assistant', 'stop'],
  );
  assert.match(choice?.message.content ?? '', /mill/);
  assert.equal(data.usage?.total_tokens, (data.usage?.prompt_tokens ?? 0) + (data.usage?.completion_tokens ?? 0));
  assert.match(requestId ?? '', /^[0-9a-f-]{36}$/);
  assert.match(
    response.headers.get('ratelimit-policy') ?? '',
    /^"tier-0";q=120;w=60, "tokens";q=2000000;qu="tokens";w=3600, "in-flight";q=1;/,
  );
  assert.match(
    response.headers.get('ratelimit') ?? '',
    /^"tier-0";r=\d+;t=\d+, "tokens";r=\d+;t=\d+, "in-flight";r=\d+$/,
  );
});

test('a stream that the client joins gives the same answer', async () => {
  const asked = { model: 'small', messages: MESSAGES, seed: 7 };
  const client = clientOf('bob');
  const whole = await client.chat.completions.create(asked);
  const { data: stream, response } = await client.chat.completions
    .create({ ...asked, stream: true, stream_options: { include_usage: true } })
    .withResponse();
  assert.match(response.headers.get('ratelimit') ?? '', /"tokens";r=\d+/);
  let text = '';
  let usage: OpenAI.CompletionUsage | null | undefined;
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta.content ?? '';
    usage = chunk.usage;
  }
  assert.equal(text, whole.choices[0]?.message.content);
  assert.deepEqual(usage, whole.usage);
  const gathered = await client.chat.completions.stream(asked).finalChatCompletion();
  assert.deepEqual([gathered.choices[0]?.message.content, gathered.choices[0]?.finish_reason], [text, 'stop']);
});

test('the client pages through the models of the tier', async () => {
  const models: OpenAI.Model[] = [];
  for await (const model of clientOf('bob').models.list()) models.push(model);
  assert.deepEqual(pluck(models, 'id', 'object'), [
    ['small', 'model'],
    ['held', 'model'],
    ['failing', 'model'],
  ]);
  assert.equal(models[0]?.owned_by, 'scripted');
  assert.ok((models[0]?.created ?? 0) > 0);
});

test('a model is found by its name, or refused', async () => {
  const model = await clientOf('bob').models.retrieve('small');
  assert.deepEqual([model.id, model.object, model.owned_by], ['small', 'model', 'scripted']);
  assert.equal((await errorOf(clientOf('bob').models.retrieve('large'))).code, 'model_not_found');
});

test("a refusal becomes the client's own error, with our status, code and message", async () => {
  const outside = await errorOf(clientOf('bob').chat.completions.create({ model: 'large', messages: MESSAGES }));
  assert.ok(outside instanceof NotFoundError);
  assert.deepEqual(
    [outside.status, outside.code, outside.type, outside.param],
    [404, 'model_not_found', 'invalid_request_error', null],
  );
  assert.match(outside.message, /^404 .*large/);
  assert.match(outside.requestID ?? '', /^[0-9a-f-]{36}$/);
  assert.match(outside.headers?.get('ratelimit') ?? '', /"tier-0";r=\d+/);

  const empty = await errorOf(clientOf('bob').chat.completions.create({ model: 'small', messages: [] }));
  assert.ok(empty instanceof BadRequestError);
  assert.deepEqual([empty.type, empty.param], ['invalid_request_error', 'messages']);

  const long = [{ role: 'user' as const, content: 'word '.repeat(40_000) }];
  const tooLong = await errorOf(clientOf('bob').chat.completions.create({ model: 'small', messages: long }));
  assert.deepEqual([tooLong.status, tooLong.code], [400, 'context_length_exceeded']);
  assert.match(tooLong.message, /prompt is too long: \d+ tokens > \d+ maximum.*maximum context length/);
  for (const field of [{ n: 2 }, { functions: [] }, { moderation: { model: 'strict' } }]) {
    const refused = await errorOf(
      clientOf('bob').chat.completions.create({ model: 'small', messages: MESSAGES, ...field }),
    );
    assert.deepEqual([refused.code, refused.param], ['unsupported_field', Object.keys(field)[0]]);
  }

  const unknownClient = new OpenAI({ baseURL, apiKey: 'nobody-we-know', maxRetries: 0 });
  const stranger = await errorOf(unknownClient.models.list());
  assert.ok(stranger instanceof AuthenticationError);
  assert.deepEqual([stranger.status, stranger.type], [401, 'authentication_error']);
});

test('after too many concurrent requests the client reads the time to wait, and retries by itself', async () => {
  const open = await clientOf('cleo').chat.completions.create({ model: 'held', messages: MESSAGES, stream: true });
  const refused = await errorOf(clientOf('cleo').chat.completions.create({ model: 'small', messages: MESSAGES }));
  assert.ok(refused instanceof RateLimitError);
  assert.deepEqual(
    [refused.status, refused.code, refused.type, refused.headers?.get('retry-after')],
    [429, 'too_many_in_flight', 'rate_limit_error', '1'],
  );
  const turnedAway = Promise.withResolvers<void>();
  const patient = clientOf('cleo', {
    maxRetries: 60,
    fetch: async (...request) => {
      const response = await fetch(...request);
      if (response.status === 429) turnedAway.resolve();
      return response;
    },
  }).chat.completions.create({ model: 'small', messages: MESSAGES });
  await Promise.race([turnedAway.promise, patient]);
  held.release();
  let text = '';
  for await (const chunk of open) text += chunk.choices[0]?.delta.content ?? '';
  assert.equal(text, 'First. Then.');
  assert.match((await patient).choices[0]?.message.content ?? '', /mill/);
});

test('a failing model gives an error before the answer or within the stream', async () => {
  const failed = await errorOf(clientOf('dan').chat.completions.create({ model: 'failing', messages: MESSAGES }));
  assert.deepEqual([failed.status, failed.code, failed.type], [502, 'model_failed', 'server_error']);
  const stream = await clientOf('dan').chat.completions.create({ model: 'failing', messages: MESSAGES, stream: true });
  const broken = await errorOf(Array.fromAsync(stream));
  assert.deepEqual([broken.code, broken.type], ['model_failed', 'server_error']);
});

test('a client that stops reading frees its place', async () => {
  const stream = await clientOf('eve').chat.completions.create({ model: 'held', messages: MESSAGES, stream: true });
  for await (const chunk of stream) if (chunk.choices[0]?.delta.content === 'First.') break;
  await eventually('a free place', async () =>
    clientOf('eve')
      .chat.completions.create({ model: 'small', messages: MESSAGES })
      .then(
        () => true,
        () => false,
      ),
  );
});
