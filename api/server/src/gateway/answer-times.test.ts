/** Timeouts of an answer: a slow model may finish while it writes, a silent one is cut off, and the receipt shows the times. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ChatCompletion, ModelReceipt } from '@hamlet/contract';
import { OPENAI_WIRE, type WireChunk } from '@hamlet/models/testing';
import { agentToken, eventually, testVillage, type AgentId, Play } from '../testing/test-village.ts';
import { testWire, wireModels } from './testing/wire-models.ts';

/** Far more than `PIECE_MS`, so that a pause of the whole process does not count as a silence of the provider. */
const IDLE_MS = 2_000;
const PIECE_MS = 400;
const SLACK_MS = 2;
/** Tolerance of the rate, which has one decimal. */
const ROUNDING = 0.05;

const [village, wire] = await Promise.all([testVillage(), testWire()]);
const start = async (options: Parameters<typeof wireModels>[1]): Promise<string> =>
  (await village.startReplica({}, { models: wireModels(wire.url, options) })).peopleUrl;
const play = new Play(await start({ limits: { idleMs: IDLE_MS } }));
const hastyUrl = await start({ limits: { totalMs: 1_500 } });
const jsonUrl = await start({ limits: { firstByteMs: IDLE_MS, idleMs: IDLE_MS }, thoughts: 'opened' });
const queueUrl = await start({ maxInFlight: 1 });
await play.everybody();

function ask(agentId: AgentId, stream: boolean, url = play.url): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${agentToken(agentId)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'small', messages: [{ role: 'user', content: 'Talk.' }], stream }),
  });
}

const used = async (agentId: AgentId) => (await play.admin.getModelUse({ agent_id: agentId })).recent[0];

/** An answer with the given waits before its pieces. */
function written(waits: readonly WireChunk[]): { chunks: readonly WireChunk[] } {
  const [head = '', ...rest] = OPENAI_WIRE.stream({ text: waits.map((_, index) => `piece ${index} `) }).chunks;
  return {
    chunks: [head, ...rest.flatMap((chunk, index) => (waits[index] === undefined ? [chunk] : [waits[index], chunk]))],
  };
}

test('a model that writes slowly may take longer than the limit between two pieces', async () => {
  wire.add({
    answer: {
      ...OPENAI_WIRE.stream({ text: [] }),
      ...written(Array.from({ length: 6 }, () => ({ waitMs: PIECE_MS }))),
    },
  });
  const text = await (await ask('bob', true)).text();
  assert.match(text, /piece 5/);
  assert.match(text, /\[DONE\]/);
});

test('a stream begins while the provider is still silent', async () => {
  wire.add({ answer: { ...OPENAI_WIRE.stream({ text: ['Late.'] }), chunks: ['hold'] } });
  const response = await ask('bob', true);
  assert.equal(response.status, 200);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  assert.match((await reader?.read())?.value ?? '', /"delta":\{"role":"assistant","content":""\}/);
  await reader?.cancel();
  await wire.requests.at(-1)?.gone;
});

/** The pieces of an answer in JSON. After opened thoughts, the gateway holds them back until the end. */
const JSON_PIECES = ['{"birds":[', ...Array.from({ length: 6 }, () => '"heron",'), '"owl"]}'];

function askJson(agentId: AgentId, signal: AbortSignal | null = null): Promise<Response> {
  const messages = [{ role: 'user', content: 'Name birds.' }];
  return fetch(`${jsonUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${agentToken(agentId)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'small', messages, response_format: { type: 'json_object' } }),
    signal,
  });
}

test('JSON that is held back after opened thoughts may take longer than the limits, and its time begins with its first piece', async () => {
  const { chunks, ...whole } = OPENAI_WIRE.stream({ text: JSON_PIECES });
  wire.add({ answer: { ...whole, chunks: chunks.flatMap((chunk) => [{ waitMs: PIECE_MS }, chunk]) } });
  const response = await askJson('bob');
  assert.equal(response.status, 200, response.ok ? '' : await response.text());
  const { choices, hamlet } = ChatCompletion.parse(await response.json());
  assert.equal(choices[0]?.message.content, JSON_PIECES.join(''));
  assert.ok((hamlet.ttft_ms ?? Infinity) <= IDLE_MS, `first piece after ${hamlet.ttft_ms} ms`);
});

test('a caller who leaves while JSON is held back pays for the pieces that arrived', async () => {
  const leave = new AbortController();
  const [head = '', piece = ''] = OPENAI_WIRE.stream({ text: JSON_PIECES }).chunks;
  const before = wire.requests.length;
  wire.add({ answer: { ...OPENAI_WIRE.stream({}), chunks: [head, { drip: String(piece), everyMs: 20 }] } });
  const left = assert.rejects(askJson('fay', leave.signal));
  await eventually('the request at the provider', () => wire.requests.length === before + 1);
  await sleep(1_000);
  leave.abort();
  await left;
  const request = await eventually('the end of the request', async () => {
    const newest = await used('fay');
    return newest?.outcome !== 'under_way' && newest;
  });
  assert.equal(request.outcome, 'cancelled');
  assert.ok(request.prompt_tokens > 0 && request.completion_tokens > 0, JSON.stringify(request));
});

for (const stream of [true, false])
  test(`a model that sends only comments is cut off, also at the provider (${stream ? 'streamed' : 'whole'})`, async () => {
    const whole = OPENAI_WIRE.stream({ text: ['First words.'] });
    const silent = [...whole.chunks.slice(0, 2), { drip: ': still here\n\n', everyMs: 20 }];
    wire.add({ answer: { ...whole, chunks: silent } });
    const text = await (await ask('cleo', stream)).text();
    assert.match(text, /model_failed/);
    assert.match(text, /had no further piece for 2 s/);
    assert.doesNotMatch(text, /\[DONE\]/);
    await wire.requests.at(-1)?.gone;
    const request = await used('cleo');
    assert.equal(request?.outcome, 'failed');
    assert.ok((request?.completion_tokens ?? 0) > 0, 'the agent pays for the text that arrived');
  });

test('an endless answer is cut off at the total limit', async () => {
  const whole = OPENAI_WIRE.stream({ text: ['on and on '] });
  const [head = '', piece = ''] = whole.chunks;
  wire.add({ answer: { ...whole, chunks: [head, { drip: String(piece), everyMs: 20 }] } });
  assert.match(await (await ask('dan', true, hastyUrl)).text(), /was not complete after 1\.5 s/);
  assert.equal((await used('dan'))?.outcome, 'failed');
});

async function receiptOf(answer: Response, stream: boolean): Promise<ModelReceipt> {
  if (!stream) return ChatCompletion.parse(await answer.json()).hamlet;
  const last = (await answer.text()).split('\n\n').findLast((line) => line.includes('"ttft_ms"')) ?? '';
  return ModelReceipt.parse((JSON.parse(last.replace(/^data: /, '')) as { hamlet: unknown }).hamlet);
}

for (const stream of [true, false])
  test(`the receipt separates the wait for a place, the time to the first piece and the writing (${stream ? 'streamed' : 'whole'})`, async () => {
    const [place, first, rest] = [0, 1, 2].map(() => Promise.withResolvers<void>());
    assert.ok(place && first && rest);
    const whole = OPENAI_WIRE.stream({ text: ['holds the place'] });
    const before = wire.requests.length;
    wire.add({ answer: { ...whole, chunks: [{ until: place.promise }, ...whole.chunks] } });
    wire.add({ answer: { ...whole, ...written([{ until: first.promise }, { until: rest.promise }]) } });
    const holder = ask('bob', false, queueUrl);
    await eventually('the first request at the provider', () => wire.requests.length === before + 1);
    const askedAt = performance.now();
    const answering = ask('eve', stream, queueUrl);
    await eventually('the request waits', async () => (await used('eve'))?.outcome === 'under_way');
    const waitingAt = performance.now();
    await sleep(60);
    const placedAt = performance.now();
    place.resolve();
    await eventually('the request at the provider', () => wire.requests.length === before + 2);
    const arrivedAt = performance.now();
    await sleep(90);
    const firstAt = performance.now();
    first.resolve();
    await sleep(70);
    rest.resolve();
    const { queue_ms: queueMs, ttft_ms: ttftMs, tokens_per_s: rate, tokens } = await receiptOf(await answering, stream);
    const endedAt = performance.now();
    await holder;
    assert.ok(queueMs >= placedAt - waitingAt - SLACK_MS, `waited ${queueMs} ms`);
    assert.ok(ttftMs !== null && ttftMs >= firstAt - arrivedAt - SLACK_MS, `first piece after ${ttftMs} ms`);
    assert.ok(rate === null || rate > 0);
    const writingMs = rate === null ? 0 : (tokens.completion / (rate + ROUNDING)) * 1000;
    // Under load the second piece may arrive with the first, so the test checks only the sum of the three parts.
    const partsMs = queueMs + ttftMs + writingMs;
    assert.ok(partsMs <= endedAt - askedAt + 3 * SLACK_MS, `${queueMs}, ${ttftMs} and ${writingMs} ms overlap`);
  });
