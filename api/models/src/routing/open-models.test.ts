/** Chains of providers, and OpenAI's own client, against scripted servers. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import OpenAI from 'openai';
import { startWireServer, type WireServer } from '../testing/wire-server.ts';
import { ANTHROPIC_WIRE } from '../testing/wires/anthropic-wire.ts';
import { OPENAI_WIRE } from '../testing/wires/chat-wire.ts';
import { SYSTEM_PORTS } from '../transport/model-ports.ts';
import { collectAnswer } from '../chat/fold-answer.ts';
import type { Model } from '../chat/model.ts';
import { parseModelsConfig } from './models-config.ts';
import { openModel, type Credentials, type OpenedModel } from './open-models.ts';

let openai: WireServer;
let anthropic: WireServer;
before(async () => {
  openai = await startWireServer();
  anthropic = await startWireServer();
});
after(() => Promise.all([openai.close(), anthropic.close()]));

const CREDENTIALS: Credentials = {
  key: (name) => (name === 'none' ? null : `key-of-${name}-0123456789`),
  subscription: () => null,
};

function open(name: string, credentials = CREDENTIALS): OpenedModel {
  const parsed = parseModelsConfig({
    providers: {
      openai: {
        kind: 'openai',
        baseUrl: `${openai.url}/v1`,
        credential: 'openai',
        organization: 'org-1',
        project: 'p-1',
      },
      anthropic: { kind: 'anthropic', baseUrl: `${anthropic.url}/v1`, credential: 'anthropic' },
      closed: { kind: 'anthropic', credential: 'none' },
      personal: { kind: 'openai-subscription', credential: 'ada', noticeAccepted: true },
    },
    routes: [
      { match: 'best', provider: 'openai', model: 'gpt-5', fallbacks: [{ provider: 'anthropic', model: 'claude-5' }] },
      { match: 'closed', provider: 'closed' },
      { match: 'personal', provider: 'personal' },
    ],
    prices: {
      currency: 'USD',
      models: [
        { provider: 'anthropic', model: 'claude-*', prompt: '3', completion: '15' },
        { provider: 'openai', model: '*', prompt: '1', completion: '1' },
      ],
    },
    retry: { attempts: 2, firstDelayMs: 1 },
  });
  assert.ok(parsed.ok, JSON.stringify(parsed));
  return openModel(parsed.config, name, { credentials, ports: SYSTEM_PORTS });
}

function best(): Model {
  const opened = open('best');
  assert.ok(opened.ok);
  return opened.model;
}

const ASK = { messages: [{ role: 'user' as const, content: 'Hello' }] };

test('a chain answers from its fallback, with the price of that provider and the cost of both', async () => {
  const account = { headers: { 'openai-organization': 'org-1', 'openai-project': 'p-1' } };
  openai.add({ expect: account, answer: OPENAI_WIRE.errors.overloaded }, { answer: OPENAI_WIRE.errors.overloaded });
  anthropic.add({
    expect: { path: '/v1/messages', headers: { 'x-api-key': 'key-of-anthropic-0123456789' } },
    answer: ANTHROPIC_WIRE.stream({ text: ['Good ', 'day'], usage: { prompt: 100, completion: 10 } }),
  });
  const outcome = await collectAnswer(best().stream(ASK));
  assert.ok(outcome.ok);
  const { content, target, costEstimate, failedAttempts } = outcome.answer;
  assert.deepEqual([content, target], ['Good day', { provider: 'anthropic', model: 'claude-5' }]);
  assert.deepEqual(costEstimate, { currency: 'USD', micros: 450n });
  assert.deepEqual(
    failedAttempts.map(({ error, target: { provider } }) => [provider, error.code]),
    [
      ['openai', 'overloaded'],
      ['openai', 'overloaded'],
    ],
  );
  openai.verify();
  anthropic.verify();
});

test('a request that no provider can serve gets no fallback', async () => {
  openai.add({ answer: OPENAI_WIRE.errors.bad_request });
  const outcome = await best().chat(ASK);
  assert.equal(outcome.ok ? '' : outcome.error.code, 'bad_request');
  openai.verify();
  anthropic.verify();
});

test('a failure after a visible token gets no fallback', async () => {
  const whole = OPENAI_WIRE.stream({ text: ['half'] });
  openai.add({ answer: { ...whole, chunks: [...whole.chunks.slice(0, 2), 'cut'] } });
  const outcome = await collectAnswer(best().stream(ASK));
  assert.ok(!outcome.ok);
  assert.deepEqual([outcome.error.code, outcome.partial.content], ['network', 'half']);
  anthropic.verify();
});

test('the error names a missing route, credential or sign-in', () => {
  const reasons = ['nothing', 'closed', 'personal'].map((name) => {
    const opened = open(name);
    assert.ok(!opened.ok);
    return [opened.reason, opened.message];
  });
  assert.deepEqual(reasons, [
    ['no_route', 'no route matches the model nothing: add one'],
    ['no_credential', 'there is no credential none: add it, or name another one'],
    ['no_credential', 'there is no sign-in ada: sign in, or name another one'],
  ]);
});

test("OpenAI's own client works with the scripted server", async () => {
  const client = new OpenAI({ baseURL: `${openai.url}/v1`, apiKey: 'any', maxRetries: 0 });
  const call = { id: 'call_1', name: 'go_to', pieces: ['{"pla', 'ce":"mill"}'] };
  openai.add(
    {
      expect: { path: '/v1/chat/completions', body: { model: 'm', stream: true } },
      answer: OPENAI_WIRE.stream({ text: ['I ', 'go.'], calls: [call] }),
    },
    { answer: OPENAI_WIRE.errors.rate },
  );
  const done = await client.chat.completions
    .stream({ model: 'm', messages: [{ role: 'user', content: 'Go' }] })
    .finalChatCompletion();
  const [choice] = done.choices;
  assert.deepEqual(
    [choice?.message.content, choice?.finish_reason, choice?.message.tool_calls?.[0]?.id],
    ['I go.', 'tool_calls', 'call_1'],
  );
  await assert.rejects(
    client.chat.completions.create({ model: 'm', messages: [{ role: 'user', content: 'Go' }] }),
    OpenAI.RateLimitError,
  );
  openai.verify();
});
