/** A village with a base model: it answers in words, continues a text (`createCompletion`), reports that it ignored tools, and refuses only a required tool call. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completeChat, type CallInput, type ChatCompletion, type Outcome } from '@hamlet/contract';
import { oneServerConfig, parseModelsConfig, SYSTEM_PORTS } from '@hamlet/models';
import { COMPLETIONS_WIRE } from '@hamlet/models/testing';
import { dataOf, refuses } from '@hamlet/test/env/client';
import OpenAI from 'openai';
import { agentToken, startPlay } from '../testing/test-village.ts';
import type { VillageModels } from './models/village-models.ts';
import { testWire } from './testing/wire-models.ts';

type Body = CallInput<typeof completeChat>['body'];

const CONTEXT_TOKENS = 512;
const parameters = { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] };
const tool = (index: number) => ({
  type: 'function' as const,
  function: { name: `tool_${index}`, description: 'Walks to a place of the village. '.repeat(10), parameters },
});
/** Too many tools for the context of the model. */
const TOOLS = Array.from({ length: 20 }, (_, index) => tool(index));
const MESSAGES = [
  { role: 'system' as const, content: 'You are Ada.' },
  { role: 'user' as const, content: 'Go to the mill.' },
];

function baseModels(): VillageModels {
  const server = { baseUrl: `${wire.url}/v1`, model: 'text', isBaseModel: true, contextTokens: CONTEXT_TOKENS };
  const parsed = parseModelsConfig(oneServerConfig(server));
  assert.ok(parsed.ok);
  return { config: parsed.config, key: () => null, adapters: {}, ports: SYSTEM_PORTS };
}

const wire = await testWire();
const { play } = await startPlay({ models: baseModels() });

function ask(changes: Partial<Body>): Promise<Outcome<ChatCompletion>> {
  return play.as('bob').raw.completeChat({ model: 'small', messages: MESSAGES, ...changes });
}

const words = () =>
  wire.add({
    expect: ({ path, body }) => {
      assert.equal(path, '/v1/completions');
      const { prompt } = body as { prompt: string };
      assert.match(prompt, /^Instructions: You are Ada\.\n\nYou cannot use tools/);
      assert.doesNotMatch(prompt, /tool_1/);
    },
    answer: COMPLETIONS_WIRE.stream({ text: ['I cannot ', 'walk.'], usage: { prompt: 30, completion: 5 } }),
  });

test("a text is continued as it is, by OpenAI's own client, whole and streamed", async () => {
  const client = new OpenAI({ baseURL: `${play.url}/v1`, apiKey: agentToken('bob'), maxRetries: 0 });
  const asked = { model: 'small', prompt: 'The mill stands', max_tokens: 16, stop: ['\n'] };
  const step = {
    expect: { path: '/v1/completions', body: { prompt: 'The mill stands', stop: ['\n'], max_tokens: 16 } },
    answer: COMPLETIONS_WIRE.stream({ text: ['by ', 'the brook.'], usage: { prompt: 4, completion: 5 } }),
  };
  wire.add(step, step);
  const whole = await client.completions.create(asked);
  assert.deepEqual([whole.choices[0]?.text, whole.choices[0]?.finish_reason], [' by the brook.', 'stop']);
  assert.partialDeepStrictEqual(whole.usage, { prompt_tokens: 4, completion_tokens: 5, total_tokens: 9 });
  const pieces = await Array.fromAsync(await client.completions.create({ ...asked, stream: true }));
  assert.equal(pieces.map(({ choices }) => choices[0]?.text ?? '').join(''), ' by the brook.');
  await assert.rejects(client.completions.create({ ...asked, echo: true }), {
    code: 'unsupported_field',
    param: 'echo',
  });
  wire.verify();
});

test('offered tools are left out and do not count towards the context', async () => {
  words();
  const { choices, hamlet, usage } = dataOf(await ask({ tools: TOOLS, max_tokens: 64 }));
  assert.equal(choices[0]?.message.content, 'I cannot walk.');
  assert.deepEqual([hamlet.provider, hamlet.scripted, hamlet.notes], ['model', false, ['tools_ignored']]);
  assert.equal(usage.total_tokens, 35);
  wire.verify();
});

test("a stream's receipt has the note too", async () => {
  words();
  const response = await fetch(`${play.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${agentToken('bob')}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'small', messages: MESSAGES, tools: TOOLS, max_tokens: 64, stream: true }),
  });
  const text = await response.text();
  assert.match(text, /"notes":\["tools_ignored"\]/);
  assert.match(text, /\[DONE\]/);
  wire.verify();
});

test('a request without tools has no note; a required tool call or schema is refused and costs nothing', async () => {
  wire.add({ answer: COMPLETIONS_WIRE.stream({ text: ['Hello.'] }) });
  assert.equal(dataOf(await ask({ max_tokens: 64 })).hamlet.notes, undefined);
  const schema = { type: 'json_schema' as const, json_schema: { name: 'plan', schema: {} } };
  for (const demand of [{ tools: TOOLS.slice(0, 1), tool_choice: 'required' as const }, { response_format: schema }])
    await refuses(ask({ ...demand, max_tokens: 64 }), 'model_bad_request', /use another model/);
  wire.verify();
});

test("an agent's configuration shows that its model has no tools and no JSON", async () => {
  const { model } = await play.as('bob').getAgentConfig({ agent_id: 'bob' });
  assert.deepEqual([model?.name, model?.scripted, model?.tools, model?.json], ['small', false, false, false]);
});
