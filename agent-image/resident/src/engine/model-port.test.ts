import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, test } from 'node:test';
import type { ModelEnd, ModelRequest } from '@hamlet/engine';
import { listenOnLoopback } from '@hamlet/test/env/net/loopback';
import { createModelPort } from './model-port.ts';

type Reply = Readonly<{ status: number; type: string; body: string; retryAfterS?: number }>;

const replies: Reply[] = [];
const received: unknown[] = [];
const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    received.push(JSON.parse(Buffer.concat(parts).toString('utf8')));
    const { status, type, body, retryAfterS } = replies.shift() ?? assert.fail('no reply is left');
    const wait = retryAfterS === undefined ? {} : { 'retry-after': String(retryAfterS) };
    response.writeHead(status, { 'content-type': type, ...wait }).end(body);
  });
});
const url = `http://127.0.0.1:${await listenOnLoopback(server)}`;
after(() => server.closeAllConnections());
after(() => server.close());

const request: ModelRequest = {
  model: 'small',
  at: { run: 'r1', ask: 2, attempt: 3 },
  system: { stable: 'You are Ada.', situation: 'It is noon.' },
  messages: [{ role: 'user', content: 'Hello' }],
  tools: [],
};

type Ended = Readonly<{
  end: ModelEnd;
  words: string;
  renewed: number;
  stale: readonly string[];
  waits: readonly number[];
}>;

/** The end of one attempt to which the gateway gives these replies. `cutAt` is the index of the wait that a cancel interrupts. */
async function endWith(given: Reply | readonly Reply[], cutAt = Infinity): Promise<Ended> {
  let renewed = 0;
  const waits: number[] = [];
  const cut = new AbortController();
  const stale: string[] = [];
  const tokens = { get: async () => 'token', renew: () => void (renewed += 1) };
  const sleep = async (ms: number): Promise<void> => {
    if (waits.push(ms) === cutAt) cut.abort();
  };
  const port = createModelPort({ url, tokens, leaseOf: () => 7, onStale: (run) => stale.push(run), sleep });
  replies.push(...[given].flat());
  let words = '';
  for await (const part of port.chat(request, cut.signal)) {
    if (part.type !== 'delta') return { end: part, words, renewed, stale, waits };
    words += part.text;
  }
  return assert.fail('the stream has no end');
}

const problem = (status: number, fields: object): Reply => ({
  status,
  type: 'application/problem+json',
  body: JSON.stringify(fields),
});

/** An answer in pieces, with its usage and price. */
const chunk = (fields: object): string => `data: ${JSON.stringify({ id: 'c', model: 'small', ...fields })}\n\n`;
const goodDay: Reply = {
  status: 200,
  type: 'text/event-stream',
  body: [
    chunk({ choices: [{ index: 0, delta: { role: 'assistant', content: 'Good ' }, finish_reason: null }] }),
    chunk({ choices: [{ index: 0, delta: { content: 'day.' }, finish_reason: 'stop' }] }),
    chunk({
      choices: [],
      usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
      hamlet: { price: '0.000012' },
    }),
    'data: [DONE]\n\n',
  ].join(''),
};

test("a refusal has the gateway's code, and is retryable only if another attempt may help", async () => {
  const broke = await endWith(problem(402, { code: 'insufficient_funds', detail: 'no money' }));
  assert.partialDeepStrictEqual(broke.end, { type: 'failed', code: 'insufficient_funds', retryable: false });
  const busy = await endWith(problem(429, { code: 'too_many_in_flight', detail: 'wait' }), 1);
  assert.partialDeepStrictEqual(busy.end, { type: 'failed', retryable: true });
  const stale = await endWith(problem(401, { code: 'unauthenticated', detail: 'renew' }));
  assert.partialDeepStrictEqual(stale.end, { type: 'failed', retryable: true });
  assert.deepEqual([broke.renewed, stale.renewed], [0, 1], 'only a refused token is renewed');
  const revoked = await endWith(problem(401, { code: 'token_invalid', detail: 'get another' }));
  assert.partialDeepStrictEqual([revoked.end, revoked.renewed], [{ type: 'failed', retryable: true }, 1]);
  const { end } = await endWith(problem(500, { code: 'internal', detail: 'repeat it' }));
  assert.partialDeepStrictEqual(end, { type: 'failed', retryable: true });
});

test('while the gateway is at capacity, an attempt waits for the requested time, and then gets its answer', async () => {
  const { end, words, waits } = await endWith([
    { ...problem(429, { code: 'rate_limited', detail: 'wait' }), retryAfterS: 41 },
    { ...problem(429, { code: 'too_many_in_flight', detail: 'wait' }), retryAfterS: 1 },
    { ...problem(503, { code: 'model_busy', detail: 'wait' }), retryAfterS: 5 },
    goodDay,
  ]);
  assert.partialDeepStrictEqual([end, words], [{ type: 'answer', content: 'Good day.' }, 'Good day.']);
  const least = [41_000, 2_000, 5_000];
  assert.ok(
    waits.length === 3 && waits.every((ms, n) => ms >= (least[n] ?? 0) && ms <= (least[n] ?? 0) * 1.25),
    String(waits),
  );
  const same = Array.from({ length: 4 }, () => ({ metadata: { attempt: '3' } }));
  assert.partialDeepStrictEqual(received.slice(-4), same, 'waits do not count as attempts of the engine');
});

test('an attempt stops waiting at its limit and at a cancel', async () => {
  const full = { ...problem(429, { code: 'rate_limited', detail: 'wait' }), retryAfterS: 200 };
  const tired = await endWith([full, full]);
  assert.partialDeepStrictEqual([tired.end, tired.waits.length], [{ type: 'failed', retryable: true }, 1]);
  const cancelled = await endWith([full], 1);
  assert.partialDeepStrictEqual([cancelled.end, cancelled.waits.length], [{ type: 'failed' }, 1]);
});

test('when the agent has a newer cycle, the run does not fail but is left to that cycle', async () => {
  const { end, stale } = await endWith(problem(409, { code: 'stale_cycle', detail: 'a newer cycle' }));
  assert.partialDeepStrictEqual(end, { type: 'failed', retryable: true });
  assert.deepEqual(stale, ['r1']);
});

const CAUSES = [
  ['unreachable', true],
  ['auth', false],
  ['no_such_model', false],
  ['bad_answer', true],
] as const;

for (const [cause, retryable] of CAUSES)
  test(`a provider's failure ${cause} keeps its class, ${retryable ? 'and is' : 'and is not'} retried`, async () => {
    const error = { message: 'the provider failed', type: 'server_error', param: null, code: 'model_failed', cause };
    const before = await endWith(problem(502, { code: 'model_failed', detail: 'the provider failed', error }));
    assert.partialDeepStrictEqual(before.end, { type: 'failed', code: cause, retryable });
    const body = `data: ${JSON.stringify({ error })}\n\n`;
    const within = await endWith({ status: 200, type: 'text/event-stream', body });
    assert.partialDeepStrictEqual(within.end, { type: 'failed', code: cause, retryable });
  });

test('a failure outside the gateway has the code of its class', async () => {
  const { end } = await endWith({ status: 502, type: 'text/html', body: `<html>${'x'.repeat(200_000)}</html>` });
  assert.equal(end.type, 'failed');
  assert.match(end.type === 'failed' ? end.code : '', /^[a-z_]+$/);
});

test('an answer streams with its position in the run and its price', async () => {
  const { end, words } = await endWith(goodDay);
  assert.deepEqual(end, {
    type: 'answer',
    content: 'Good day.',
    toolCalls: [],
    finish: 'stop',
    reasoning: [],
    usage: { prompt: 5, completion: 2, total: 7 },
    moneyMicros: 12,
  });
  assert.equal(words, 'Good day.');
  assert.partialDeepStrictEqual(received.at(-1), {
    metadata: { run_id: 'r1', ask: '2', attempt: '3', lease: '7' },
    messages: [
      { role: 'system', content: 'You are Ada.\n\nIt is noon.' },
      { role: 'user', content: 'Hello' },
    ],
  });
});

test('the cut of an answer reaches the engine, and a quota or a freeze says when to ask again', async () => {
  const cut: Reply = {
    status: 200,
    type: 'text/event-stream',
    body: [
      chunk({ choices: [{ index: 0, delta: { content: 'Good ' }, finish_reason: 'length' }] }),
      'data: [DONE]\n\n',
    ].join(''),
  };
  const { end } = await endWith(cut);
  assert.partialDeepStrictEqual(end, { type: 'answer', content: 'Good ', finish: 'length' });
  const refused = problem(429, { code: 'token_quota_exhausted', detail: 'the hour is used up' });
  const quota = await endWith({ ...refused, retryAfterS: 1_800 });
  const expected = { type: 'failed', code: 'token_quota_exhausted', retryable: false };
  assert.partialDeepStrictEqual(quota.end, { ...expected, retryAfterMs: 1_800_000 });
  assert.partialDeepStrictEqual((await endWith(refused)).end, { ...expected, retryAfterMs: 600_000 });
  const frozen = await endWith(problem(409, { code: 'village_frozen', detail: 'the village is frozen' }));
  assert.partialDeepStrictEqual(frozen.end, { ...expected, code: 'village_frozen', retryAfterMs: 60_000 });
});

test("the model's thoughts reach the engine and are sent back", async () => {
  const items = [{ text: 'It is noon.', sealed: 'c2VhbA==' }];
  const thoughtful: Reply = {
    status: 200,
    type: 'text/event-stream',
    body: [
      chunk({
        choices: [
          { index: 0, delta: { reasoning_content: 'It is noon.', reasoning_items: items }, finish_reason: null },
        ],
      }),
      chunk({ choices: [{ index: 0, delta: { content: 'Good day.' }, finish_reason: 'stop' }] }),
      'data: [DONE]\n\n',
    ].join(''),
  };
  const { end } = await endWith(thoughtful);
  assert.deepEqual(end.type === 'answer' && end.reasoning, items);
  replies.push(goodDay);
  const port = createModelPort({ url, tokens: { get: async () => 'token', renew: () => {} }, leaseOf: () => 7 });
  const said = { role: 'assistant' as const, content: 'Good day.', toolCalls: [], reasoning: items };
  const messages = [...request.messages, said, { role: 'user' as const, content: 'And now?' }];
  for await (const part of port.chat({ ...request, messages }, new AbortController().signal)) void part;
  assert.partialDeepStrictEqual(received.at(-1), { messages: [{}, {}, { reasoning_items: items }, {}] });
});

test('malformed arguments of an earlier call are sent as an object that names them; valid ones stay as they were written', async () => {
  const toolCalls = ['{"path":"a', '[1]', '"x"', '{"id": 2512292042121000001}'].map((text, index) => ({
    id: `c${index}`,
    name: 'write_file',
    arguments: text,
  }));
  const results = toolCalls.map(({ id }) => ({ role: 'tool' as const, callId: id, content: 'no', outcome: null }));
  const messages = [...request.messages, { role: 'assistant' as const, content: '', toolCalls }, ...results];
  replies.push(goodDay);
  const tokens = { get: async () => 'token', renew: () => {} };
  const port = createModelPort({ url, tokens, leaseOf: () => 7 });
  for await (const part of port.chat({ ...request, messages }, new AbortController().signal)) void part;
  const body = JSON.stringify(received.at(-1));
  const sent = [...body.matchAll(/"arguments":("(?:[^"\\]|\\.)*")/g)].map(([, text = '']) => String(JSON.parse(text)));
  assert.deepEqual(sent, [
    '{"invalid_arguments":"{\\"path\\":\\"a"}',
    '{"invalid_arguments":"[1]"}',
    '{"invalid_arguments":"\\"x\\""}',
    '{"id": 2512292042121000001}',
  ]);
});
