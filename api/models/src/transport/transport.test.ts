import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classifyError } from './classify-error.ts';
import { FollowingAbort } from './following-abort.ts';
import { parseExact, wellFormedJson } from './json-text.ts';
import { scrubber, scrubDeep } from './scrub.ts';
import { type AnswerPart, PartReader, textLines } from './text-lines.ts';

async function* chunks(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
}

async function partsOf(body: AsyncIterable<Uint8Array>): Promise<readonly AnswerPart[]> {
  const reader = new PartReader();
  const parts = await Array.fromAsync(body, (bytes) => reader.take(bytes));
  return [...parts.flat(), ...reader.end()];
}

test('lines are the same for every chunk size and every kind of line end', async () => {
  const text = 'a\r\nbö\n🌾\r\rlast';
  for (let size = 1; size <= 20; size += 1)
    assert.deepEqual(await Array.fromAsync(textLines(chunks(text, size))), ['a', 'bö', '🌾', '', 'last'], `${size}`);
});

test('server-sent events are parsed: names, multi-line data, comments, an open event at the end', async () => {
  const text = ': hello\n\nevent: ping\ndata: 1\n\ndata:2\ndata: 3\nid: 9\n\ndata\n\ndataset: no\n\ndata: cut';
  assert.deepEqual(await partsOf(chunks(text, 3)), [
    { kind: 'event', data: '1' },
    { kind: 'event', data: '2\n3' },
    { kind: 'event', data: '' },
    { kind: 'event', data: 'cut', isOpen: true },
  ]);
});

test('a body that does not begin like a stream is one text, without the end of a stream', async () => {
  const text = '\n{\r\n  "data": "a"\n}\n\ndata: [DONE]\n\n';
  for (let size = 1; size <= 20; size += 1)
    assert.deepEqual(await partsOf(chunks(text, size)), [{ kind: 'whole', data: '{\n  "data": "a"\n}\n\n' }]);
});

test('an abort follows each of its signals with the reason, and none after it has left them', () => {
  const [first, second] = [new AbortController(), new AbortController()];
  const [following, left] = [0, 1].map(() => new FollowingAbort([first.signal, second.signal]));
  left?.leave();
  second.abort('enough');
  assert.equal(following?.signal.reason, 'enough');
  assert.equal(left?.signal.aborted, false);
  assert.equal(new FollowingAbort([first.signal, second.signal]).signal.reason, 'enough', 'aborted before');
});

test('whole numbers of any size survive parsing and writing', () => {
  const text =
    '{"id":2512292042121000001,"rest":[-98765432109876543210,0.1,1e400,9007199254740991],"s":"12345678901234567890"}';
  const value = parseExact(text);
  assert.equal(JSON.stringify(value), text.replace('1e400', 'null'));
  assert.equal(JSON.stringify(scrubDeep(value, scrubber([]))), text.replace('1e400', 'null'));
});

test('JSON text gets whole characters: halves of pairs are replaced, also as escapes', () => {
  const written = JSON.stringify({ 'k\ud83e': 'a\ud83e', pair: '🦁', text: '\\ud83e' });
  assert.equal(wellFormedJson(written), '{"k\\ufffd":"a\\ufffd","pair":"🦁","text":"\\\\ud83e"}');
  assert.equal(wellFormedJson('{"a":"\\uD83E\\uDD81 \\udd81 \\ud83e"}'), '{"a":"\\uD83E\\uDD81 \\ufffd \\ufffd"}');
  assert.equal(wellFormedJson('{"a":"\ud83e"}'), '{"a":"\ufffd"}');
});

test('credentials are hidden in every form', () => {
  const secret = 'very/secret+key"0123';
  const scrub = scrubber([secret, 'ab']);
  for (const text of [
    secret,
    encodeURIComponent(secret),
    JSON.stringify({ a: secret }),
    'Bearer abcdef123456',
    'sk-proj-abcdef123456',
    'sk-abc***def1',
  ])
    assert.match(scrub(`x ${text} ab`), /^x .*\[hidden\].* ab$/, text);
  assert.ok(!scrub(`${secret}${secret}`).includes('secret'));
  assert.deepEqual(scrubDeep({ [secret]: [secret, 1, null, { a: 'fine' }] }, scrub), {
    '[hidden]': ['[hidden]', 1, null, { a: 'fine' }],
  });
});

test('an answer without credentials stays the same object; a credential beside an escape, and a value far down, are hidden', () => {
  const scrub = scrubber(['very/secret']);
  const plain = { id: 'chatcmpl-1', choices: [], usage: { prompt_tokens: 1 } };
  assert.equal(scrubDeep(plain, scrub), plain);
  assert.deepEqual(scrubDeep({ a: 'Key:\nsk-proj-abcdef123456' }, scrub), { a: 'Key:\n[hidden]' });
  const deep = JSON.parse(`${'['.repeat(40)}"fine"${']'.repeat(40)}`) as unknown;
  assert.equal(JSON.stringify(scrubDeep(deep, scrub)), `${'['.repeat(32)}"[hidden]"${']'.repeat(32)}`);
});

const NOW = Date.parse('2026-11-23T12:00:00Z');
test('the wait that a provider requests is parsed', () => {
  const waits = [
    classifyError({ status: 429, headers: new Headers({ 'retry-after': '3' }), body: '' }, NOW),
    classifyError(
      { status: 429, headers: new Headers({ 'retry-after': 'Mon, 23 Nov 2026 12:00:05 GMT' }), body: '' },
      NOW,
    ),
    classifyError({ status: 429, headers: new Headers({ 'retry-after-ms': '15', 'retry-after': '1' }), body: '' }, NOW),
    classifyError({ body: { error: { message: 'Please try again in 1m2.5s.', code: 'rate_limit_exceeded' } } }, NOW),
    classifyError({ body: { error: { message: 'try again in 20ms', code: 'rate_limit_exceeded' } } }, NOW),
    classifyError({ body: { error: { message: 'slow', code: 'rate_limit_exceeded' } } }, NOW),
  ];
  assert.deepEqual(
    waits.map(({ detail }) => detail.retryAfterMs),
    [3_000, 5_000, 15, 62_500, 20, undefined],
  );
});

const REPORTS: readonly (readonly [number | undefined, unknown, string, string?])[] = [
  [500, null, 'overloaded'],
  [302, '', 'bad_request'],
  [418, { error: { message: 7, type: {} } }, 'bad_request'],
  [403, { error: [] }, 'forbidden'],
  [401, { error: 'Unauthorized' }, 'auth', 'Unauthorized'],
  [413, 'too big', 'context_too_long', 'too big'],
  [500, { error: { message: 'Context size has been exceeded.', type: 'server_error' } }, 'context_too_long'],
  [500, { error: { message: 'blocked by the content policy' } }, 'overloaded'],
  [
    undefined,
    {
      error: {
        code: 'server_error',
        message: 'failed to decode tokens: the context window is full. Please reduce the input size',
      },
    },
    'context_too_long',
  ],
  [
    undefined,
    { error: { code: 400, message: 'request (2358 tokens) exceeds the available context size (2048 tokens)' } },
    'context_too_long',
  ],
  [
    400,
    { message: 'the prompt has 9000 tokens, and the maximum context length is 8192', type: 'BadRequestError' },
    'context_too_long',
  ],
  [400, { error: { message: 'CONTEXT WINDOW EXCEEDED' } }, 'context_too_long'],
  [
    400,
    [{ error: { message: 'The input token count (9) exceeds the maximum', status: 'INVALID_ARGUMENT' } }],
    'context_too_long',
  ],
  [400, { error: { message: 'Please reduce the length of the messages or completion.' } }, 'context_too_long'],
  [429, { error: { code: 'Insufficient_Quota', message: 'no' } }, 'quota'],
  [402, { error: { message: 'Insufficient Balance' } }, 'quota'],
  [404, { error: { message: 'model "x" not found, try pulling it first' } }, 'no_such_model'],
  [400, { error: { message: 'x is not a valid model ID' } }, 'no_such_model'],
  [404, '404 page not found', 'bad_request', '404 page not found'],
  [undefined, { error: { code: 429, message: 'slow down' } }, 'rate'],
  [undefined, { error: 'the engine lost its worker' }, 'overloaded', 'the engine lost its worker'],
  [
    502,
    { code: 'model_failed', error: { code: 'model_failed', cause: 'unreachable', message: 'x' } },
    'unreachable',
    'x',
  ],
  [502, { error: { code: 'model_failed', cause: 'made-up', message: 'x' } }, 'overloaded', 'x'],
  [undefined, 'nonsense', 'overloaded', 'nonsense'],
  [422, { detail: [{ loc: ['body', 'n'], msg: 'too large' }] }, 'bad_request', 'body.n: too large'],
  [400, { errors: [{ message: 'one' }, { message: 'two' }] }, 'bad_request', 'one; two'],
  [400, { error: { message: { detail: 'no' }, detail: 'yes' } }, 'bad_request', 'yes'],
];

for (const [status, body, code, message] of REPORTS)
  test(`the report ${JSON.stringify(body)} with status ${status} is ${code}`, () => {
    const fault = classifyError({ status, body }, NOW);
    assert.equal(fault.code, code);
    if (message !== undefined) assert.equal(fault.message, message);
  });
