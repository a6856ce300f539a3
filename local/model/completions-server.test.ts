import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openModel, oneServerConfig, parseModelsConfig, SYSTEM_PORTS } from '@hamlet/models';
import type { ChatRequest, Model } from '@hamlet/models';
import { serveCompletions, type CompletionsServer } from './completions-server.ts';
import type { Continuation, TextModel } from './text-model.ts';

const asked: Continuation[] = [];
/** Writes three words; at the prompt "wait" it writes until the caller disconnects. */
const threeWords: TextModel = {
  contextTokens: 100,
  countTokens: (text) => text.split(/\s+/).length,
  continue: async (continuation) => {
    asked.push(continuation);
    const { prompt, signal, onText } = continuation;
    if (prompt.includes('wait'))
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error(String(signal.reason))));
        onText(' Yes');
      });
    for (const word of [' At', ' the', ' market.']) onText(word);
    return { text: ' At the market.', finish: 'stop', completionTokens: 3 };
  },
  close: async () => undefined,
};

let server: CompletionsServer;
before(async () => {
  server = await serveCompletions(threeWords, 'three-words', { host: '127.0.0.1', port: 0 });
});
after(() => server.close());

function model(): Model {
  const parsed = parseModelsConfig(oneServerConfig({ baseUrl: server.url, model: 'three-words', isBaseModel: true }));
  assert.ok(parsed.ok);
  const setup = { credentials: { key: () => null, subscription: () => null }, ports: SYSTEM_PORTS };
  const opened = openModel(parsed.config, 'small', setup);
  assert.ok(opened.ok);
  return opened.model;
}

const request = (content: string, more: Partial<ChatRequest> = {}): ChatRequest => ({
  messages: [{ role: 'user', content }],
  maxTokens: 20,
  ...more,
});

const post = (body: unknown, path = '/completions'): Promise<Response> =>
  fetch(`${server.url}${path}`, { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) });

test('our adapter reads whole and streamed answers with their usage', async () => {
  const whole = await model().chat(request('Where can I buy honey?', { seed: 7, temperature: 0 }));
  assert.ok(whole.ok);
  assert.equal(whole.answer.content, 'At the market.');
  assert.partialDeepStrictEqual(whole.answer.usage, { completionTokens: 3 });
  assert.partialDeepStrictEqual(asked.at(-1), { seed: 7, temperature: 0, maxTokens: 20 });
  assert.ok(asked.at(-1)?.stop.includes('\nUser:'));
  const words: string[] = [];
  for await (const delta of model().stream(request('Where?'))) if (delta.kind === 'text') words.push(delta.text);
  assert.deepEqual(words, ['At', ' the', ' market.']);
});

test('generation stops when the caller disconnects, and the next request is served', async () => {
  for await (const delta of model().stream(request('wait'))) if (delta.kind === 'text') break;
  const next = await model().chat(request('Where?'));
  assert.ok(next.ok);
  assert.equal(asked.find(({ prompt }) => prompt.includes('wait'))?.signal.aborted, true);
});

test('refusals have a code and a reason', async () => {
  const cases: readonly (readonly [unknown, number, string])[] = [
    ['{', 400, 'invalid_json'],
    [{ prompt: '' }, 400, 'invalid_request'],
    [{ prompt: 'a', stop: ['1', '2', '3', '4', '5'] }, 400, 'invalid_request'],
    [{ prompt: 'a', max_tokens: 100 }, 400, 'context_length_exceeded'],
    [{ prompt: 'a', model: 'gpt-5' }, 404, 'model_not_found'],
    [{ prompt: 'a'.repeat((1 << 20) + 1) }, 413, 'too_large'],
  ];
  for (const [body, status, code] of cases) {
    const response = await post(body);
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    assert.deepEqual([response.status, error.code], [status, code]);
  }
  assert.equal((await post({}, '/chat/completions')).status, 400);
  assert.equal((await post({}, '/embeddings')).status, 404);
});

test('requests beyond the limit of the queue are refused as busy, and the others are served', async () => {
  const first = await post({ prompt: 'wait', max_tokens: 9, stream: true });
  const refused = Promise.withResolvers<void>();
  let count = 0;
  const ask = async (): Promise<number> => {
    const { status } = await post({ prompt: 'Where?', max_tokens: 9 });
    count += status === 429 ? 1 : 0;
    if (count === 5) refused.resolve();
    return status;
  };
  const all = Promise.all(Array.from({ length: 20 }, ask));
  await refused.promise;
  await first.body?.cancel();
  assert.equal((await all).filter((status) => status === 200).length, 15);
});
