/** A model whose prompt opens its thoughts, at a fake vLLM server without a reasoning parser: a test names the setting, which the gateway then follows. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import OpenAI from 'openai';
import { OPENAI_WIRE, vllmServer } from '@hamlet/models/testing';
import type { ModelOffer } from '@hamlet/contract';
import { agentToken, startPlay } from '../../testing/test-village.ts';
import { testWire } from '../testing/wire-models.ts';

const MODEL = 'deepseek-ai/DeepSeek-R1-Distill-Qwen-7B';
const THOUGHTS = 'Someone greets.\n';
const BEGIN = [...`${THOUGHTS}</think>\n\n`];
const WORDS = [...'Good day.'];
const NOTE = { id: 'chatcmpl-tool-1', name: 'note', pieces: ['{"word":', ' "heron"}'] };
const FIX =
  /one has <\/think> without its opening tag\. Start the server with a reasoning parser .*"opened"; then test again\.$/;

// vLLM enforces a schema from the first token, so there the model writes no thoughts.
const vllm = vllmServer({
  model: MODEL,
  answer: ({ tools, response_format: format }) => {
    if (format !== undefined) return null;
    return tools === undefined ? { text: [...BEGIN, ...WORDS] } : { text: BEGIN, calls: [NOTE] };
  },
});
const wire = await testWire([], { otherwise: vllm.answer });
const { play } = await startPlay();
const client = new OpenAI({ baseURL: `${play.url}/v1`, apiKey: agentToken('bob'), maxRetries: 0, timeout: 60_000 });
const base_url = `${wire.url}/v1`;
const asked = { model: 'small', messages: [{ role: 'user' as const, content: 'Hello.' }] };

const connect = async (more: Partial<ModelOffer> = {}): Promise<void> =>
  void (await play.admin.putModelCredential({
    name: 'local',
    kind: 'vllm',
    base_url,
    models: [{ name: 'small', model: MODEL, ...more }],
  }));
const shown = async () =>
  (await play.admin.listModelCredentials()).credentials.find(({ name }) => name === 'local')?.last_test;

test('a test names the setting and the parser if an answer has a bare closing tag, keeps that, and changes no setting', async () => {
  await connect();
  const { ok, text, fix, message, tools } = await play.admin.testModel({ credential: 'local' });
  assert.deepEqual([ok, tools, message], [true, true, null]);
  assert.match(text ?? '', /^Someone greets.\n<\/think>/);
  assert.match(fix ?? '', FIX);
  assert.deepEqual([(await shown())?.ok, (await shown())?.message], [true, fix]);
  const { choices } = await play.as('bob').completeChat(asked);
  assert.match(choices[0]?.message.content ?? '', /<\/think>/, 'the test has changed no setting');
  const connection = { kind: 'vllm' as const, base_url, model: MODEL };
  assert.match((await play.admin.testModel({ connection })).fix ?? '', FIX);
  assert.equal((await play.admin.testModel({ connection: { ...connection, thoughts: 'opened' } })).fix, null);
});

test('a bare closing tag in the answer with a tool is enough, because the first answer may be cut off', async () => {
  const cut = vllmServer({
    model: MODEL,
    answer: ({ tools }) =>
      tools === undefined ? { text: [THOUGHTS], finish: 'length' } : { text: BEGIN, calls: [NOTE] },
  });
  const slow = await testWire([], { otherwise: cut.answer });
  const connection = { kind: 'vllm' as const, base_url: `${slow.url}/v1`, model: MODEL };
  assert.match((await play.admin.testModel({ connection })).fix ?? '', FIX);
});

test('with the setting, thoughts stream apart from the answer while the model writes them, and a test finds no fault', async () => {
  await connect({ thoughts: 'opened' });
  const seen = Promise.withResolvers<void>();
  const { chunks, ...answer } = OPENAI_WIRE.stream({ text: [...BEGIN, ...WORDS] });
  wire.add({ answer: { ...answer, chunks: [...chunks.slice(0, 6), { until: seen.promise }, ...chunks.slice(6)] } });
  let [reasoning, content] = ['', ''];
  for await (const { choices } of await client.chat.completions.create({ ...asked, stream: true })) {
    const delta = choices[0]?.delta as { readonly reasoning_content?: string; readonly content?: string } | undefined;
    reasoning += delta?.reasoning_content ?? '';
    content += delta?.content ?? '';
    if (reasoning !== '') seen.resolve();
  }
  assert.deepEqual([reasoning, content], [THOUGHTS, 'Good day.']);
  const { ok, text, fix, tools, abilities } = await play.admin.testModel({ credential: 'local' });
  assert.deepEqual([ok, text, fix, tools], [true, 'Good day.', null, true]);
  assert.equal(abilities.find(({ ability }) => ability === 'json')?.can, true, 'the answer is JSON from its beginning');
  assert.equal((await shown())?.message, null);
  wire.verify();
});

test('with the setting, a call after thoughts is a call, and the next request carries the thoughts apart', async () => {
  const tools = [{ type: 'function' as const, function: { name: 'note', parameters: { type: 'object' } } }];
  const { choices } = await play.as('bob').completeChat({ ...asked, tools });
  const [{ message, finish_reason: finish }] = choices as [(typeof choices)[number]];
  assert.deepEqual([message.reasoning_content, message.content, finish], [THOUGHTS, null, 'tool_calls']);
  const [call] = message.tool_calls ?? [];
  assert.equal(call?.type === 'function' && call.function.arguments, '{"word": "heron"}');
  const result = { role: 'tool' as const, tool_call_id: call?.id ?? '', content: 'noted' };
  await play.as('bob').completeChat({ ...asked, tools, messages: [...asked.messages, message, result] });
  const sent = wire.requests.at(-1)?.body as { readonly messages: readonly Record<string, unknown>[] };
  assert.equal(sent.messages[1]?.['reasoning_content'], THOUGHTS);
  assert.doesNotMatch(String(sent.messages[1]?.['content'] ?? ''), /think|greets/);
});

test('a provider that is connected with another setting than its test had keeps nothing of that test', async () => {
  const server = await testWire([], { otherwise: vllm.answer });
  const provider = { kind: 'vllm' as const, base_url: `${server.url}/v1` };
  const connection = { ...provider, model: MODEL };
  await play.admin.testModel({ connection });
  const found = async (more: Partial<ModelOffer>) => {
    const models = [{ name: 'third', model: MODEL, ...more }];
    const { credential } = await play.admin.putModelCredential({ ...provider, name: 'third', models });
    await play.admin.deleteModelCredential({ name: 'third' });
    return [credential.last_test?.ok, credential.tested_models.length];
  };
  assert.deepEqual(await found({ thoughts: 'opened' }), [undefined, 0]);
  assert.deepEqual(await found({}), [true, 1]);
  await play.admin.testModel({ connection: { ...connection, thoughts: 'opened' } });
  assert.deepEqual(await found({ thoughts: 'opened' }), [true, 1]);
});

test('a test of a model that writes no thoughts advises to remove the setting, because its answers are read as thoughts', async () => {
  const plain = await testWire([], { otherwise: vllmServer({ model: MODEL }).answer });
  const connection = { kind: 'vllm' as const, base_url: `${plain.url}/v1`, model: MODEL };
  const opened = await play.admin.testModel({ connection: { ...connection, thoughts: 'opened' } });
  assert.deepEqual([opened.ok, opened.text], [true, '']);
  assert.equal(
    opened.fix,
    'Answers of the model have thoughts alone. Remove the setting thoughts of this model, or switch its thinking on; then test again.',
  );
  assert.equal((await play.admin.testModel({ connection })).fix, null);
  const parsed = vllmServer({ model: MODEL, answer: () => ({ thought: WORDS }) });
  const parsing = await testWire([], { otherwise: parsed.answer });
  const { fix } = await play.admin.testModel({ connection: { ...connection, base_url: `${parsing.url}/v1` } });
  assert.match(fix ?? '', /have thoughts alone\. Start the server without its reasoning parser, or switch/);
});

test('a test finds no fault in thoughts that the limit of tokens cut off, nor in thoughts alone before a call', async () => {
  const server = vllmServer({
    model: MODEL,
    answer: ({ tools }) =>
      tools === undefined ? { text: [THOUGHTS], finish: 'length' } : { text: [THOUGHTS], calls: [NOTE] },
  });
  const thinking = await testWire([], { otherwise: server.answer });
  const connection = {
    kind: 'vllm' as const,
    base_url: `${thinking.url}/v1`,
    model: MODEL,
    thoughts: 'opened' as const,
  };
  assert.equal((await play.admin.testModel({ connection })).fix, null);
});

test('with the setting, a closing tag in the answer itself is no fault', async () => {
  const server = vllmServer({ model: MODEL, answer: () => ({ text: ['Hm.</think>The tag </think> ends thoughts.'] }) });
  const naming = await testWire([], { otherwise: server.answer });
  const connection = { kind: 'vllm' as const, base_url: `${naming.url}/v1`, model: MODEL, thoughts: 'opened' as const };
  const { text, fix } = await play.admin.testModel({ connection });
  assert.deepEqual([text, fix], ['The tag </think> ends thoughts.', null]);
});
