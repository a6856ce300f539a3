/** Answers of servers that send fewer or other events than OpenAI, over HTTP. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ChatOutcome } from '../../chat/chat-delta.ts';
import { collectAnswer } from '../../chat/fold-answer.ts';
import { createModel } from '../../routing/create-model.ts';
import { startWireServer, type WireServer } from '../../testing/wire-server.ts';
import { eventStream } from '../../testing/wires/wire.ts';
import { ANSWER_LIMITS } from '../../transport/answer-limits.ts';
import { SYSTEM_PORTS } from '../../transport/model-ports.ts';
import { createSubscriptionAdapter } from './subscription-adapter.ts';

const KIT = { limits: ANSWER_LIMITS, ports: SYSTEM_PORTS };
const TOKENS = {
  accessToken: 'access-0123456789',
  refreshToken: 'refresh-0123456789',
  accountId: 'a',
  expiresAtMs: null,
};

let server: WireServer;
before(async () => {
  server = await startWireServer();
});
after(() => server.close());

async function streamed(...events: readonly object[]): Promise<ChatOutcome> {
  server.add({ answer: eventStream(events.map((event) => `data: ${JSON.stringify(event)}\n\n`)) });
  const tokens = { current: async () => TOKENS, renew: async () => TOKENS };
  const adapter = createSubscriptionAdapter({ provider: 'personal', baseUrl: server.url, tokens }, KIT);
  const retry = { attempts: 1, firstDelayMs: 1, maxDelayMs: 1 };
  const model = createModel({ targets: [{ adapter, model: 'm', price: null }], fallbackOn: [], retry, ...KIT });
  return collectAnswer(model.stream({ messages: [{ role: 'user', content: 'Hello' }] }));
}

const call = (id: string, written: unknown): object => ({
  type: 'function_call',
  call_id: id,
  name: 'go_to',
  arguments: written,
});
const message = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I go.' }] };
const added = (item: object, output_index: number): object => ({
  type: 'response.output_item.added',
  output_index,
  item,
});
const done = (item: object, output_index: number): object => ({
  type: 'response.output_item.done',
  output_index,
  item,
});
const completed = (output: readonly object[] = []): object => ({
  type: 'response.completed',
  response: { status: 'completed', output, usage: { input_tokens: 3, output_tokens: 2 } },
});
const pieces = (delta: string, output_index: number): object => ({
  type: 'response.function_call_arguments.delta',
  output_index,
  delta,
});

const FORMS: readonly (readonly [string, readonly object[]])[] = [
  [
    'pieces and their repetition at the end',
    [
      { type: 'response.output_text.delta', output_index: 0, delta: 'I ' },
      { type: 'response.output_text.delta', output_index: 0, delta: 'go.' },
      done(message, 0),
      added(call('a', ''), 1),
      pieces('{"x":', 1),
      pieces('1}', 1),
      { type: 'response.function_call_arguments.done', output_index: 1, arguments: '{"x":1}' },
      done(call('a', '{"x":1}'), 1),
      completed([message, call('a', '{"x":1}')]),
    ],
  ],
  ['whole items', [added(call('a', ''), 1), done(message, 0), done(call('a', '{"x":1}'), 1), completed()]],
  ['arguments as an object', [done(message, 0), done(call('a', { x: 1 }), 1), completed()]],
  ['the end alone', [completed([message, call('a', '{"x":1}')])]],
];

for (const [title, events] of FORMS)
  test(`an answer is read from ${title}`, async () => {
    const outcome = await streamed(...events);
    assert.ok(outcome.ok, JSON.stringify(outcome.ok ? '' : outcome.error));
    const { content, toolCalls, finish } = outcome.answer;
    assert.deepEqual(
      [content, toolCalls, finish],
      ['I go.', [{ id: 'a', name: 'go_to', arguments: '{"x":1}' }], 'tool_calls'],
    );
  });

test('thoughts in full arrive as text, without a seal if nothing is encrypted', async () => {
  const thought = { type: 'reasoning', content: [{ type: 'reasoning_text', text: 'North?' }] };
  const outcome = await streamed(done(thought, 0), done(message, 1), completed());
  assert.ok(outcome.ok);
  assert.deepEqual(outcome.answer.reasoningItems, [{ text: 'North?', sealed: null }]);
});

const FAILED = { status: 'failed', error: { code: 'context_length_exceeded', message: 'Your input is too long' } };
const ERRORS: readonly (readonly [object, string])[] = [
  [{ type: 'response.failed', response: FAILED }, 'context_too_long'],
  [{ type: 'error', code: 'rate_limit_exceeded', message: 'Slow down' }, 'rate'],
  [{ type: 'error', error: { type: 'server_error', message: 'Broken' } }, 'overloaded'],
];

for (const [event, code] of ERRORS)
  test(`the event ${JSON.stringify(event)} is ${code}`, async () => {
    const outcome = await streamed(event);
    assert.equal(outcome.ok ? '' : outcome.error.code, code);
  });
