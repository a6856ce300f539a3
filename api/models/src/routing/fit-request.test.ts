/** Chains with models that cannot use tools or write JSON. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startWireServer, type WireServer } from '../testing/wire-server.ts';
import { OPENAI_WIRE } from '../testing/wires/chat-wire.ts';
import { COMPLETIONS_WIRE } from '../testing/wires/completions-wire.ts';
import { SYSTEM_PORTS } from '../transport/model-ports.ts';
import type { ChatRequest } from '../chat/chat-request.ts';
import type { Model } from '../chat/model.ts';
import { findCapabilities, fitToRoute } from './fit-request.ts';
import { parseModelsConfig, type ModelsConfig } from './models-config.ts';
import { openModel } from './open-models.ts';

const TOOLS = [{ name: 'go_to', description: 'Walks.', parameters: { type: 'object' } }];
const ASK: ChatRequest = {
  messages: [
    { role: 'system', content: 'You are Ada.' },
    { role: 'user', content: 'Go to the mill.' },
    { role: 'assistant', content: '', toolCalls: [{ id: 'a', name: 'go_to', arguments: '{"place":"mill"}' }] },
    { role: 'tool', toolCallId: 'a', content: 'You are at the mill.' },
  ],
};
const SCHEMA = { name: 'plan', schema: { type: 'object' } };

let wire: WireServer;
before(async () => {
  wire = await startWireServer();
});
after(() => wire.close());

function configOf(extra: object = {}): ModelsConfig {
  const baseUrl = `${wire.url}/v1`;
  const parsed = parseModelsConfig({
    providers: {
      base: { kind: 'completions', baseUrl },
      chat: { kind: 'compatible', baseUrl },
      words: { kind: 'compatible', baseUrl },
    },
    routes: [
      { match: 'base', provider: 'base', model: 'b' },
      { match: 'both', provider: 'base', model: 'b', fallbacks: [{ provider: 'chat', model: 'c' }] },
      { match: 'words', provider: 'words', model: 'w-1' },
    ],
    capabilities: [{ provider: 'words', model: 'w-*', tools: false }],
    ...extra,
  });
  assert.ok(parsed.ok, JSON.stringify(parsed));
  return parsed.config;
}

function open(name: string): Model {
  const setup = { credentials: { key: () => null, subscription: () => null }, ports: SYSTEM_PORTS };
  const opened = openModel(configOf(), name, setup);
  assert.ok(opened.ok);
  return opened.model;
}

test('a request with tools goes to the first model of the chain that can use them', async () => {
  wire.add({
    expect: { path: '/v1/chat/completions', body: { model: 'c' } },
    answer: OPENAI_WIRE.plain({ text: ['ok'] }),
  });
  const outcome = await open('both').chat({ ...ASK, tools: TOOLS });
  assert.ok(outcome.ok);
  assert.equal(outcome.answer.target.provider, 'chat');
  wire.add({ expect: { path: '/v1/completions' }, answer: COMPLETIONS_WIRE.plain({ text: ['words'] }) });
  const plain = await open('both').chat({ messages: [{ role: 'user', content: 'Hello' }] });
  assert.ok(plain.ok);
  assert.equal(plain.answer.target.provider, 'base');
  assert.equal(fitToRoute(configOf(), 'both', { ...ASK, tools: TOOLS }).toolsIgnored, false);
  wire.verify();
});

test('a chain without tool support answers in words: earlier calls and results become text, and the prompt says that there are no tools', async () => {
  const { toolsIgnored, request } = fitToRoute(configOf(), 'words', { ...ASK, tools: TOOLS, parallelToolCalls: false });
  assert.equal(toolsIgnored, true);
  assert.deepEqual(Object.keys(request), ['messages']);
  const sent: unknown[] = [];
  wire.add({
    expect: ({ body }) => sent.push(body),
    answer: OPENAI_WIRE.plain({ text: ['I cannot walk.'] }),
  });
  const outcome = await open('words').chat({ ...ASK, tools: TOOLS });
  assert.ok(outcome.ok, JSON.stringify(outcome));
  assert.equal(outcome.answer.content, 'I cannot walk.');
  const [body] = sent as { messages: { role: string; content: string }[]; tools?: unknown }[];
  assert.equal(body?.tools, undefined);
  assert.deepEqual(
    body?.messages.map(({ role }) => role),
    ['system', 'user', 'assistant', 'user'],
  );
  assert.match(body?.messages[0]?.content ?? '', /^You are Ada\.\n\nYou cannot use tools/);
  assert.match(body?.messages[2]?.content ?? '', /go_to \{"place":"mill"\}/);
  assert.match(body?.messages[3]?.content ?? '', /You are at the mill/);
  wire.verify();
});

test('required calls and JSON are refused without a request if no model supports them; tool choice none is accepted', async () => {
  const before = wire.requests.length;
  for (const demand of [
    { tools: TOOLS, toolChoice: 'required' as const },
    { tools: TOOLS, toolChoice: { name: 'go_to' } },
    { responseSchema: SCHEMA },
    { jsonObject: true },
  ]) {
    const outcome = await open('base').chat({ ...ASK, ...demand });
    assert.ok(!outcome.ok);
    assert.equal(outcome.error.code, 'bad_request');
    assert.match(fitToRoute(configOf(), 'base', { ...ASK, ...demand }).refusal ?? '', /use another model/);
  }
  assert.equal(wire.requests.length, before);
  const none = fitToRoute(configOf(), 'base', { ...ASK, tools: TOOLS, toolChoice: 'none' });
  assert.deepEqual([none.toolsIgnored, none.refusal], [false, null]);
  assert.equal(fitToRoute(configOf(), 'words', { ...ASK, responseSchema: SCHEMA }).refusal, null);
});

test('a model that does not see gets a text in place of an image, and one that sees gets the image', async () => {
  const seeing = {
    role: 'user' as const,
    content: 'Look.',
    images: [{ mediaType: 'image/png' as const, data: 'aGVyb24=' }],
  };
  const words = 'Look.\n[image/png, 1 kB: this model cannot see images]';
  const bodies: unknown[] = [];
  const expect = ({ body }: { readonly body: unknown }): void =>
    void bodies.push((body as { messages: unknown }).messages);
  wire.add(
    { expect, answer: OPENAI_WIRE.plain({ text: ['no'] }) },
    { expect, answer: OPENAI_WIRE.plain({ text: ['yes'] }) },
  );
  assert.ok((await open('words').chat({ messages: [seeing] })).ok);
  const able = configOf({ capabilities: [{ provider: 'words', model: 'w-1', images: true }] });
  const opened = openModel(able, 'words', {
    credentials: { key: () => null, subscription: () => null },
    ports: SYSTEM_PORTS,
  });
  assert.ok(opened.ok && (await opened.model.chat({ messages: [seeing] })).ok);
  assert.deepEqual(bodies, [
    [{ role: 'user', content: words }],
    [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look.' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,aGVyb24=' } },
        ],
      },
    ],
  ]);
  assert.equal(fitToRoute(configOf(), 'words', { messages: [seeing] }).request.messages[0]?.content, words);
  wire.verify();
});

test("the configuration overrides the abilities of a provider's kind, and names existing providers", () => {
  const able = configOf({ capabilities: [{ model: 'b', tools: true, json: true }] });
  assert.equal(fitToRoute(able, 'base', { ...ASK, tools: TOOLS }).toolsIgnored, false);
  const wrong = parseModelsConfig({ providers: {}, routes: [], capabilities: [{ provider: 'x', model: 'y' }] });
  assert.ok(!wrong.ok);
  assert.equal(wrong.errors[0]?.path, 'capabilities[0].provider');
});

test('a model begins within its thoughts only if the configuration says so', () => {
  const opened = configOf({ capabilities: [{ provider: 'words', model: 'w-1', thoughts: 'opened' }] });
  const thoughts = ['w-1', 'w-2'].map((model) => findCapabilities(opened, { provider: 'words', model }).thoughts);
  assert.deepEqual(thoughts, ['opened', undefined]);
  const other = { providers: {}, routes: [], capabilities: [{ model: 'y', thoughts: 'closed' }] };
  assert.deepEqual(parseModelsConfig(other), {
    ok: false,
    errors: [{ path: 'capabilities[0].thoughts', message: 'write "opened", or leave it out' }],
  });
});

test('a model that cannot stream returns its whole answer as a stream of one piece', async () => {
  const config = configOf({ capabilities: [{ provider: 'words', model: 'w-1', stream: false }] });
  const setup = { credentials: { key: () => null, subscription: () => null }, ports: SYSTEM_PORTS };
  const opened = openModel(config, 'words', setup);
  assert.ok(opened.ok);
  wire.add({ expect: { body: { stream: false } }, answer: OPENAI_WIRE.plain({ text: ['Good ', 'day.'] }) });
  const pieces = await Array.fromAsync(opened.model.stream(ASK));
  assert.deepEqual(
    pieces.map((piece) => (piece.kind === 'text' ? piece.text : piece.kind)),
    ['begin', 'Good day.', 'end'],
  );
  wire.verify();
});
