/** Fields and answers that only Ollama has, over HTTP. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ChatOutcome } from '../../chat/chat-delta.ts';
import { collectAnswer } from '../../chat/fold-answer.ts';
import type { Model } from '../../chat/model.ts';
import { createModel } from '../../routing/create-model.ts';
import { parseModelsConfig } from '../../routing/models-config.ts';
import { openModel } from '../../routing/open-models.ts';
import { startWireServer, type WireServer } from '../../testing/wire-server.ts';
import { OLLAMA_WIRE } from '../../testing/wires/ollama-wire.ts';
import { ANSWER_LIMITS } from '../../transport/answer-limits.ts';
import { SYSTEM_PORTS } from '../../transport/model-ports.ts';
import { createOllamaAdapter } from './ollama-adapter.ts';

const KIT = { limits: ANSWER_LIMITS, ports: SYSTEM_PORTS };
const ASK = { messages: [{ role: 'user' as const, content: 'Where is the mill?' }] };

let server: WireServer;
before(async () => {
  server = await startWireServer();
});
after(() => server.close());

function modelAt(baseUrl: string): Model {
  const adapter = createOllamaAdapter({ provider: 'ollama', baseUrl, apiKey: null }, KIT);
  const retry = { attempts: 1, firstDelayMs: 1, maxDelayMs: 1 };
  return createModel({ targets: [{ adapter, model: 'm', price: null }], fallbackOn: [], retry, ...KIT });
}

async function streamed(...lines: readonly string[]): Promise<ChatOutcome> {
  server.add({ answer: { headers: { 'content-type': 'application/x-ndjson' }, chunks: lines } });
  return collectAnswer(modelAt(server.url).stream(ASK));
}

const line = (fields: object): string => `${JSON.stringify(fields)}\n`;
const call = (name: string, args: unknown): object => ({ function: { name, arguments: args } });

test("a request reserves the model's context, and asks for a refusal instead of a cut prompt", async () => {
  const parsed = parseModelsConfig({
    providers: { local: { kind: 'ollama', baseUrl: server.url } },
    routes: [{ match: 'small', provider: 'local', model: 'qwen3', contextTokens: 40_000 }],
  });
  assert.ok(parsed.ok);
  const credentials = { key: () => null, subscription: () => null };
  const opened = openModel(parsed.config, 'small', { credentials, ports: SYSTEM_PORTS });
  assert.ok(opened.ok);
  server.add({
    expect: { body: { model: 'qwen3', truncate: false, options: { num_ctx: 40_000 } } },
    answer: OLLAMA_WIRE.plain({ text: ['North.'] }),
  });
  assert.ok((await opened.model.chat(ASK)).ok);
  server.verify();
});

test('an address that ends with /v1 is the same server', async () => {
  for (const path of ['', '/', '/v1', '/v1/']) {
    server.add({ expect: { path: '/api/chat' }, answer: OLLAMA_WIRE.plain({ text: ['North.'] }) });
    assert.ok((await modelAt(`${server.url}${path}`).chat(ASK)).ok, path);
  }
  server.verify();
});

test('calls arrive in one line or several, without a list, with long numbers, and with arguments as text', async () => {
  const outcome = await streamed(
    line({
      message: { tool_calls: [call('go_to', { id: 'N' }), call('say', '{"text":"hello"}')] },
      done: false,
    }).replace('"N"', '2512292042121000001'),
    '\n',
    line({ message: { content: '', tool_calls: call('look', null) }, done: false }),
    line({ done: true, done_reason: 'stop', prompt_eval_count: 3, eval_count: 2 }),
  );
  assert.ok(outcome.ok, JSON.stringify(outcome.ok ? '' : outcome.error));
  const { toolCalls, finish } = outcome.answer;
  assert.deepEqual(
    toolCalls.map(({ name, arguments: text }) => [name, text]),
    [
      ['go_to', '{"id":2512292042121000001}'],
      ['say', '{"text":"hello"}'],
      ['look', '{}'],
    ],
  );
  assert.equal(finish, 'tool_calls');
});

const ENDS: readonly (readonly [string, string])[] = [
  ['stop', 'stop'],
  ['length', 'length'],
  ['', 'stop'],
  ['load', 'overloaded'],
  ['unload', 'overloaded'],
];

for (const [reason, expected] of ENDS)
  test(`the end with the reason ${JSON.stringify(reason)} is ${expected}`, async () => {
    const outcome = await streamed(line({ message: { content: 'North.' }, done: true, done_reason: reason }));
    assert.equal(outcome.ok ? outcome.answer.finish : outcome.error.code, expected);
  });

const ERRORS: readonly (readonly [unknown, string])[] = [
  ['the input length exceeds the context length', 'context_too_long'],
  [{ message: 'an error was encountered while running the model' }, 'overloaded'],
];

for (const [error, code] of ERRORS)
  test(`the error ${JSON.stringify(error)} is ${code}`, async () => {
    const outcome = await streamed(line({ error }));
    assert.equal(outcome.ok ? '' : outcome.error.code, code);
  });
