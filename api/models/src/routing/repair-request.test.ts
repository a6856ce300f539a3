import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createChatAdapter } from '../adapters/chat-completions/chat-adapter.ts';
import { CHAT_PROFILES } from '../adapters/chat-completions/chat-profile.ts';
import type { ChatMessage } from '../chat/chat-request.ts';
import { startWireServer, type WireServer } from '../testing/wire-server.ts';
import { OPENAI_WIRE } from '../testing/wires/chat-wire.ts';
import { json } from '../testing/wires/wire.ts';
import { ANSWER_LIMITS } from '../transport/answer-limits.ts';
import { SYSTEM_PORTS } from '../transport/model-ports.ts';
import { createModel } from './create-model.ts';

const MESSAGES: readonly ChatMessage[] = [
  { role: 'user', content: 'Look.', images: [{ mediaType: 'image/png', data: 'aGVyb24=' }] },
  { role: 'assistant', content: 'A heron.', reasoning: [{ text: 'A bird.', sealed: null }] },
  { role: 'user', content: 'Sure?' },
];
const PLAIN = { role: 'user', content: 'Look.\n[image/png, 1 kB: this model cannot see images]' };

let server: WireServer;
before(async () => {
  server = await startWireServer();
});
after(() => server.close());

function model() {
  const kit = { limits: ANSWER_LIMITS, ports: SYSTEM_PORTS };
  const settings = { provider: 'p', baseUrl: `${server.url}/v1`, apiKey: null, profile: CHAT_PROFILES.compatible };
  const targets = [{ adapter: createChatAdapter(settings, kit), model: 'm', price: null }];
  return createModel({ targets, fallbackOn: [], retry: { attempts: 1, firstDelayMs: 1, maxDelayMs: 1 }, ...kit });
}

const refusal = (message: string) => ({ answer: json({ error: { message, type: 'invalid_request_error' } }, 400) });
const messagesOf = (at: number): readonly unknown[] =>
  (server.requests.at(at)?.body as { readonly messages: readonly unknown[] } | undefined)?.messages ?? [];

test('the request is repeated without old images and thoughts that the provider refuses', async () => {
  server.add(
    refusal('This model does not support image input'),
    refusal("messages.1: Additional properties are not allowed ('reasoning_content' was unexpected)"),
    { answer: OPENAI_WIRE.plain({ text: ['Yes.'] }) },
  );
  const outcome = await model().chat({ messages: MESSAGES });
  assert.ok(outcome.ok, JSON.stringify(outcome.ok ? '' : outcome.error));
  assert.equal(outcome.answer.failedAttempts.length, 2);
  assert.deepEqual(messagesOf(-2)[0], PLAIN);
  assert.deepEqual(messagesOf(-1), [
    PLAIN,
    { role: 'assistant', content: 'A heron.' },
    { role: 'user', content: 'Sure?' },
  ]);
  server.verify();
});

test('a refusal that no repair helps ends the request', async () => {
  server.add(refusal('This model does not support image input'), refusal('This model does not support image input'));
  const outcome = await model().chat({ messages: MESSAGES });
  assert.equal(outcome.ok ? '' : outcome.error.code, 'bad_request');
  server.add(refusal('image tokens exceed the limit of this endpoint'));
  const plain = await model().chat({ messages: [{ role: 'user', content: 'Hello' }] });
  assert.equal(plain.ok ? '' : plain.error.code, 'bad_request');
  server.verify();
});

const CALLED: readonly ChatMessage[] = [
  { role: 'user', content: 'Look.' },
  { role: 'assistant', content: '', toolCalls: [{ id: 'call_abc', name: 'look', arguments: '{}' }] },
  { role: 'tool', toolCallId: 'call_abc', content: 'A heron.' },
];

const OF_CALLS = [
  [
    'the ids of calls that the provider refuses become plain ones, for the call and its result',
    'Tool call id was call_abc but must be a-z, A-Z, 0-9, with a length of 9.',
    [/"id":"c00000000"/, /"tool_call_id":"c00000000"/],
  ],
  [
    'a provider that refuses calls of absent tools gets their names, and a choice that forbids calls',
    'The toolConfig field must be defined when using toolUse and toolResult content blocks.',
    [/"tools":\[\{"type":"function","function":\{"name":"look"/, /"tool_choice":"none"/],
  ],
] as const;

for (const [title, words, expected] of OF_CALLS)
  test(title, async () => {
    server.add(refusal(words), { answer: OPENAI_WIRE.plain({ text: ['A heron.'] }) });
    const outcome = await model().chat({ messages: CALLED });
    assert.ok(outcome.ok, JSON.stringify(outcome.ok ? '' : outcome.error));
    for (const form of expected) assert.match(JSON.stringify(server.requests.at(-1)?.body), form);
    server.add(refusal(words), refusal(words));
    assert.equal((await model().chat({ messages: CALLED })).ok, false, 'one repair, then the refusal');
    server.verify();
  });
