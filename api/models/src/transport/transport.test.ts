import assert from 'node:assert/strict';
import { test } from 'node:test';
import { classifyError } from './classify-error.ts';
import { scrubber, scrubDeep } from './scrub.ts';
import { serverEvents, textLines } from './text-lines.ts';

async function* chunks(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
}

test('lines are the same for every chunk size and every kind of line end', async () => {
  const text = 'a\r\nbö\n🌾\r\rlast';
  for (let size = 1; size <= 20; size += 1)
    assert.deepEqual(await Array.fromAsync(textLines(chunks(text, size))), ['a', 'bö', '🌾', '', 'last'], `${size}`);
});

test('server-sent events are parsed: names, multi-line data, comments, an incomplete event', async () => {
  const text = ': hello\n\nevent: ping\ndata: 1\n\ndata:2\ndata: 3\nid: 9\n\ndata\n\ndata: cut';
  assert.deepEqual(await Array.fromAsync(serverEvents(chunks(text, 3))), [
    { event: 'ping', data: '1' },
    { event: 'message', data: '2\n3' },
    { event: 'message', data: '' },
  ]);
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

test('errors of any form are mapped to a code', () => {
  const cases: readonly (readonly [number | undefined, unknown, string])[] = [
    [500, null, 'overloaded'],
    [302, '', 'bad_request'],
    [418, { error: { message: 7, type: {} } }, 'bad_request'],
    [403, { error: [] }, 'auth'],
    [413, 'too big', 'context_too_long'],
    [500, { error: { message: 'maximum context length' } }, 'overloaded'],
    [undefined, { error: { code: 429, message: 'slow down' } }, 'rate'],
    [undefined, 'nonsense', 'overloaded'],
  ];
  for (const [status, body, code] of cases)
    assert.equal(classifyError({ status, body }, NOW).code, code, JSON.stringify(body));
});
