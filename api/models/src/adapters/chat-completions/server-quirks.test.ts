/** Answers of servers that speak Chat Completions in their own way, over HTTP. Official clients read them all. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChatDelta, ChatOutcome } from '../../chat/chat-delta.ts';
import { collectAnswer, EMPTY_ANSWER, foldDelta, outcomeOf } from '../../chat/fold-answer.ts';
import { ALL_CAPABILITIES } from '../../routing/fit-request.ts';
import { answerOf, ASK, call, delta, DONE, event, named, quirkServer, USAGE } from '../../testing/quirk-server.ts';
import { eventStream, json } from '../../testing/wires/wire.ts';

const server = quirkServer();
const opened = quirkServer({ ...ALL_CAPABILITIES, thoughts: 'opened' });

function failureOf(outcome: ChatOutcome): Extract<ChatOutcome, { readonly ok: false }> {
  assert.ok(!outcome.ok, 'the answer counted as complete');
  return outcome;
}

const THOUGHT_PART = { type: 'thinking', thinking: [{ type: 'text', text: 'North or south?' }] };
const TEXT_PART = { type: 'text', text: 'The mill ' };
const text = (words: string): string => delta({ content: words });

const TEXTS: readonly (readonly [string, readonly (string | Uint8Array)[], string?])[] = [
  [
    'content as parts, with a thought',
    [delta({ content: [THOUGHT_PART] }), delta({ content: [TEXT_PART] }), text('is north.'), delta({}, 'stop'), DONE],
  ],
  ['content as one part', [delta({ content: TEXT_PART }), text('is north.'), delta({}, 'stop'), DONE]],
  [
    'events without an answer',
    [
      'retry: 3000\n\n',
      'id: 1\nevent: ping\n\n',
      text('The mill '),
      'event: ping\ndata: {"type":"ping"}\n\n',
      text('is north.'),
      delta({}, 'stop'),
      DONE,
    ],
  ],
  [
    'no finish reason before the end',
    [text('The mill '), text('is north.'), event({ choices: [], usage: USAGE }), DONE],
  ],
  ['a usage without choices', [text('The mill is north.'), delta({}, 'stop'), event({ usage: USAGE }), DONE]],
  [
    'numbers of an unexpected form',
    [
      event({
        created: '1',
        choices: [{ index: '0', delta: { content: 'The mill is north.' }, finish_reason: 0 }],
        usage: { prompt_tokens: 'x', prompt_tokens_details: [] },
      }),
      delta({}, 'stop'),
      DONE,
    ],
  ],
  ['two finish reasons', [text('The mill is north.'), delta({}, 'stop'), delta({ content: '' }, 'stop'), DONE]],
  [
    'the whole message again at its end',
    [
      text('The mill is north.'),
      event({ choices: [{ message: { content: 'The mill is north.' }, finish_reason: 'stop' }] }),
      DONE,
    ],
  ],
  ['an unknown finish reason', [text('The mill is north.'), delta({}, 'eos'), DONE]],
  ['a pair in two chunks', [text('A lion: \ud83e'), text('\udd81.'), delta({}, 'stop'), DONE], 'A lion: 🦁.'],
  ['half of a pair', [text('Half a lion: \ud83e.'), delta({}, 'stop'), DONE], 'Half a lion: \ufffd.'],
  ['half of a pair at the end', [text('Half a lion: \ud83e'), delta({}, 'stop'), DONE], 'Half a lion: \ufffd'],
  ['a NUL', [text('It begins with PNG\0.'), delta({}, 'stop'), DONE], 'It begins with PNG\0.'],
  [
    'comments, CR, and a character in two chunks',
    [
      ': OPENROUTER PROCESSING\n\n',
      text('磨坊 ').replaceAll('\n', '\r\n'),
      ...splitInCharacter(text('🌾.')),
      delta({}, 'stop').replaceAll('\n', '\r'),
      'data:[DONE]\n\n',
    ],
    '磨坊 🌾.',
  ],
];

/** The bytes of a chunk in two parts, the first of which ends within a character. */
function splitInCharacter(chunk: string): readonly Uint8Array[] {
  const bytes = Buffer.from(chunk);
  const at = bytes.indexOf(Buffer.from('🌾')) + 2;
  return [bytes.subarray(0, at), bytes.subarray(at)];
}

for (const [title, chunks, expected = 'The mill is north.'] of TEXTS)
  test(`a text is read with ${title}`, async () => {
    const { content, finish, toolCalls } = answerOf(await server().streamed(...chunks));
    assert.deepEqual([content, finish, toolCalls], [expected, 'stop', []]);
    server().wire.verify();
  });

test('a whole answer is read with content as parts, and its thought goes back as a part', async () => {
  const { content, reasoningItems } = answerOf(await server().whole({ content: [THOUGHT_PART, TEXT_PART] }));
  assert.deepEqual(
    [content, reasoningItems],
    ['The mill ', [{ text: 'North or south?', sealed: '{"type":"thinking"}' }]],
  );
  const messages = [...ASK.messages, { role: 'assistant' as const, content, reasoning: reasoningItems }];
  server().wire.add({
    expect: ({ body }) =>
      assert.deepEqual((body as { messages: unknown[] }).messages[1], {
        role: 'assistant',
        content: [THOUGHT_PART, TEXT_PART],
      }),
    answer: json({ choices: [{ message: { content: 'ok' }, finish_reason: 'stop' }] }),
  });
  answerOf(await server().model().chat({ messages }));
  server().wire.verify();
});

test("a gateway's thoughts arrive with their seals, whole and in pieces", async () => {
  const items = [
    { text: 'North?', sealed: 'c2VhbA==' },
    { text: 'Yes.', sealed: null },
  ];
  const pieces = [
    delta({ reasoning_content: 'Nor', reasoning_items: [{ text: 'Nor', sealed: null }] }),
    delta({ reasoning_content: 'th?', reasoning_items: [{ text: 'th?', sealed: 'c2VhbA==' }] }),
    delta({ reasoning_content: 'Yes.' }),
  ];
  for (const outcome of [
    await server().streamed(...pieces, text('North.'), delta({}, 'stop'), DONE),
    await server().whole({ content: 'North.', reasoning_content: 'North?Yes.', reasoning_items: items }),
  ]) {
    const { reasoning, reasoningItems } = answerOf(outcome);
    assert.deepEqual([reasoning, reasoningItems], ['North?Yes.', items]);
  }
});

test("OpenRouter's details of thoughts are joined from their pieces", async () => {
  const detail = (fields: object): object => ({ type: 'reasoning.text', index: 0, format: 'x', ...fields });
  const encrypted = { type: 'reasoning.encrypted', index: 1, data: 'ZA==' };
  const { reasoningItems } = answerOf(
    await server().streamed(
      delta({ reasoning: 'Nor', reasoning_details: [detail({ text: 'Nor' })] }),
      delta({ reasoning: 'th?', reasoning_details: [detail({ text: 'th?', signature: 's' }), encrypted] }),
      text('North.'),
      delta({}, 'stop'),
      DONE,
    ),
  );
  const details = [detail({ text: 'North?', signature: 's' }), encrypted];
  assert.equal(reasoningItems[0]?.text, 'North?');
  assert.deepEqual(JSON.parse(reasoningItems[0]?.sealed ?? ''), { type: 'reasoning_details', details });
});

test('a prompt that opens thoughts leaves them apart from the answer and the calls after them', async () => {
  const written = '{"place":"mill"}';
  const piece = call({ index: 0, id: 'c1', type: 'function', function: named(written) });
  const streamed = [text('North?\n</thi'), text('nk>\n\nI walk.'), piece, delta({}, 'tool_calls'), DONE];
  const message = { content: 'North?\n</think>\n\nI walk.', tool_calls: [{ id: 'c1', function: named(written) }] };
  for (const outcome of [await opened().streamed(...streamed), await opened().whole(message, 'tool_calls')]) {
    const { content, reasoning, toolCalls, finish } = answerOf(outcome);
    assert.deepEqual([reasoning, content, finish], ['North?\n', 'I walk.', 'tool_calls']);
    assert.deepEqual(toolCalls, [{ id: 'c1', name: 'go_to', arguments: written }]);
  }
});

test('opened thoughts that the limit of tokens cut off are no answer', async () => {
  const { content, reasoning } = answerOf(await opened().streamed(text('North or'), delta({}, 'length'), DONE));
  assert.deepEqual([reasoning, content], ['North or', '']);
});

const AS_JSON = { ...ASK, jsonObject: true };
const JSON_PART = [text('{"place":'), text('"the mi')];

test('JSON after opened thoughts keeps its part if the connection breaks, costs tokens and is not retried', async () => {
  const { wire, model } = opened();
  const before = wire.requests.length;
  wire.add({ answer: eventStream([...JSON_PART, 'cut']) });
  const { error, partial } = failureOf(await collectAnswer(model(3).stream(AS_JSON)));
  assert.deepEqual([error.code, partial.content, partial.reasoning], ['network', '{"place":"the mi', '']);
  assert.deepEqual([wire.requests.length - before, partial.failedAttempts], [1, []]);
  assert.ok(partial.usage.promptTokens > 0 && partial.usage.completionTokens > 0);
});

test('thoughts that a demand for JSON holds back are retried like others if the connection breaks, and cost tokens', async () => {
  const { wire, model } = opened();
  wire.add({ answer: eventStream([text('the user '), text('asks'), 'cut']) });
  wire.add({ answer: eventStream([text('1. The mill.</think>{}'), delta({}, 'stop'), DONE]) });
  const { content, reasoning, failedAttempts } = answerOf(await collectAnswer(model(3).stream(AS_JSON)));
  assert.deepEqual([reasoning, content, failedAttempts.length], ['1. The mill.', '{}', 1]);
  const usage = failedAttempts[0]?.usage;
  assert.ok(usage && usage.promptTokens > 0 && usage.completionTokens > 0);
});

test('a caller who leaves JSON after opened thoughts sees each piece held, and gets the part with its tokens', async () => {
  const { wire, model } = opened();
  wire.add({ answer: eventStream([...JSON_PART, 'hold']) });
  const leave = new AbortController();
  const seen: ChatDelta[] = [];
  for await (const piece of model(3).stream({ ...AS_JSON, signal: leave.signal })) {
    seen.push(piece);
    if (seen.filter(({ kind }) => kind === 'held').length === JSON_PART.length) leave.abort();
  }
  const kinds = seen.map(({ kind }) => kind);
  assert.deepEqual(kinds, ['begin', 'held', 'held', 'text', 'failed']);
  const { partial } = failureOf(outcomeOf(seen.reduce(foldDelta, EMPTY_ANSWER)));
  assert.equal(partial.content, '{"place":"the mi');
  assert.ok(partial.usage.promptTokens > 0 && partial.usage.completionTokens > 0);
});

test('a server that separates thoughts itself keeps its answer, also if its model is set to open them', async () => {
  const chunks = [text(''), delta({ reasoning: 'North?' }), text('The mill '), text('is north.'), delta({}, 'stop')];
  const message = { content: 'The mill is north.', reasoning_content: 'North?' };
  for (const outcome of [await opened().streamed(...chunks, DONE), await opened().whole(message)]) {
    const { content, reasoning } = answerOf(outcome);
    assert.deepEqual([reasoning, content], ['North?', 'The mill is north.']);
  }
});

test('an empty answer is an answer', async () => {
  const { content, finish } = answerOf(
    await server().streamed(delta({ role: 'assistant', content: '' }), delta({}, 'stop'), DONE),
  );
  assert.deepEqual([content, finish], ['', 'stop']);
});

test('probabilities of tokens arrive if they were asked for', async () => {
  const token = { token: 'north', logprob: -0.1, top_logprobs: [] };
  const chunk = { choices: [{ delta: { content: 'north' }, logprobs: { content: [token] }, finish_reason: null }] };
  server().wire.add({
    expect: { body: { logprobs: true, top_logprobs: 2 } },
    answer: eventStream([event(chunk), delta({}, 'stop'), DONE]),
  });
  const asked = server()
    .model()
    .stream({ ...ASK, extra: { logprobs: true, top_logprobs: 2 } });
  assert.deepEqual(answerOf(await collectAnswer(asked)).logprobs, [token]);
});

const llamaCpp = {
  code: 400,
  message: 'request (2358 tokens) exceeds the available context size',
  type: 'exceed_context_size_error',
};
const kronk = {
  code: 'server_error',
  message: 'unable to process request: the context window is full',
  type: 'server_error',
};
const plain = {
  object: 'error',
  message: 'the prompt has 9000 tokens, and the maximum context length is 8192',
  type: 'BadRequestError',
  code: 400,
};

const ERRORS: readonly (readonly [string, readonly string[], string, RegExp])[] = [
  ['of llama.cpp', [event({ error: llamaCpp })], 'context_too_long', /2358 tokens/],
  ['without the class of a full context', [event({ error: kronk })], 'context_too_long', /context window is full/],
  ['without the field error', [event(plain), DONE], 'context_too_long', /9000 tokens/],
  ['as a text', [event({ error: 'the engine lost its worker' })], 'overloaded', /lost its worker/],
  ['in plain words', ['event: error\ndata: the engine lost its worker\n\n'], 'overloaded', /lost its worker/],
  ['as a message alone', [event({ message: 'no such engine' })], 'overloaded', /no such engine/],
];

for (const [title, chunks, code, words] of ERRORS)
  test(`an error in a stream ${title} has its class and the words of the provider`, async () => {
    const { error } = failureOf(await server().streamed(...chunks));
    assert.equal(error.code, code);
    assert.match(error.message, words);
  });

test('an error after text keeps the text', async () => {
  const { error, partial } = failureOf(
    await server().streamed(
      text('The mill '),
      event({ error: { message: 'the engine lost its worker', type: 'InternalServerError', code: 500 } }),
    ),
  );
  assert.deepEqual(
    [error.code, error.message, partial.content],
    ['overloaded', 'the engine lost its worker', 'The mill '],
  );
});

test("llama.cpp's status 500 for a full context does not count as a failure of the server", async () => {
  server().wire.add({
    answer: json({ error: { code: 500, message: 'Context size has been exceeded.', type: 'server_error' } }, 500),
  });
  assert.equal(failureOf(await server().model().chat(ASK)).error.code, 'context_too_long');
});

test('requests are well-formed, and long numbers in them are exact', async () => {
  const bodies: string[] = [];
  server().wire.add({
    expect: ({ body }) => void bodies.push(JSON.stringify(body)),
    answer: json({ choices: [{ message: { content: 'ok' }, finish_reason: 'stop' }] }),
  });
  const args = '{"id":2512292042121000001,"half":"\\ud83e","text":"\ud83e"}';
  const messages = [
    { role: 'user' as const, content: 'Half a lion: \ud83e.' },
    { role: 'assistant' as const, content: '', toolCalls: [{ id: 'a', name: 'go_to', arguments: args }] },
    { role: 'tool' as const, toolCallId: 'a', content: 'cut \ud83e' },
  ];
  answerOf(await server().model().chat({ messages }));
  assert.ok(bodies[0]?.isWellFormed());
  assert.match(bodies[0] ?? '', /Half a lion: \ufffd\./);
  assert.match(bodies[0] ?? '', /2512292042121000001,\\"half\\":\\"\\\\ufffd\\",\\"text\\":\\"\ufffd/);
});
