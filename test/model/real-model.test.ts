/** The small real model of `make model`, behind our adapter for base models, as in a village. */
import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { oneServerConfig, openModel, parseModelsConfig, SYSTEM_PORTS } from '@hamlet/models';
import type { ChatRequest, Model } from '@hamlet/models';
import { serveCompletions, type CompletionsServer } from '../../local/model/completions-server.ts';
import { chatOnce } from '../simulation/chat-once.ts';
import { fetchRuntime, fetchWeights, MODEL_NAME } from '../../local/model/fetch-model.ts';
import { openTextModel, type TextModel } from '../../local/model/text-model.ts';

const MAX_TOKENS = 24;

let weights: TextModel;
let server: CompletionsServer;
let model: Model;

before(async () => {
  const context = { doing: (line: string) => console.log(line), log: join(tmpdir(), 'hamlet-real-model.log') };
  const runtime = await fetchRuntime(context);
  weights = await openTextModel(runtime, (await fetchWeights(context)).file);
  server = await serveCompletions(weights, MODEL_NAME, { host: '127.0.0.1', port: 0 });
  const parsed = parseModelsConfig(oneServerConfig({ baseUrl: server.url, model: MODEL_NAME, isBaseModel: true }));
  assert.ok(parsed.ok);
  const setup = { credentials: { key: () => null, subscription: () => null }, ports: SYSTEM_PORTS };
  const opened = openModel(parsed.config, 'small', setup);
  assert.ok(opened.ok);
  ({ model } = opened);
});
after(async () => {
  await server.close();
  await weights.close();
});

const request = (more: Partial<ChatRequest> = {}): ChatRequest => ({
  messages: [
    { role: 'system', content: 'Mara, a baker, answers her neighbours in one line.' },
    { role: 'user', content: 'Ben asks: Where can I buy honey?' },
    { role: 'assistant', content: 'At the market, Ben, on Fridays.' },
    { role: 'user', content: 'Eva asks: What is your favourite season?' },
  ],
  maxTokens: MAX_TOKENS,
  temperature: 0,
  seed: 1,
  ...more,
});

test('the model writes within its limit, only for its own speaker, and reports its usage', async () => {
  const outcome = await model.chat(request());
  assert.ok(outcome.ok, JSON.stringify(outcome));
  const { content, usage, finish } = outcome.answer;
  assert.match(content, /\p{L}{2}/u);
  assert.doesNotMatch(content, /^(User|Instructions):/m);
  assert.ok(usage.promptTokens > 20 && usage.completionTokens > 0 && usage.completionTokens <= MAX_TOKENS);
  assert.ok(finish === 'stop' || finish === 'length');
});

test('a stream delivers the same text in pieces', async () => {
  const whole = await model.chat(request());
  const pieces: string[] = [];
  for await (const delta of model.stream(request())) if (delta.kind === 'text') pieces.push(delta.text);
  assert.ok(pieces.length > 1);
  assert.ok(whole.ok);
  assert.equal(pieces.join('').trimEnd(), whole.answer.content.trimEnd());
});

test('generation stops when the caller disconnects; offered tools are ignored, and a required call is refused', async () => {
  for await (const delta of model.stream(request({ maxTokens: 2_000 }))) if (delta.kind === 'text') break;
  const tools = [{ name: 'say', description: 'Says a line.', parameters: { type: 'object' } }];
  assert.ok((await model.chat(request({ tools }))).ok);
  const refused = await model.chat(request({ tools, toolChoice: 'required' }));
  assert.ok(!refused.ok);
  assert.equal(refused.error.code, 'bad_request');
});

test('as the model of a village, it answers in chat through the gateway, without tools', async () => {
  const { author, text } = await chatOnce({ MODEL: server.url }, 'Good morning! How are you?');
  assert.equal(author.role, 'agent', text);
  assert.match(text, /\p{L}{2}/u);
  assert.match(text, /This model cannot use tools/);
});
