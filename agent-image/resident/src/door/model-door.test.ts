import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request as requestHttp, type IncomingMessage } from 'node:http';
import { after, test } from 'node:test';
import { listenOnLoopback } from '@hamlet/test/env/net/loopback';
import { createRunBook, type BookedRun } from '../engine/run-book.ts';
import { openModelDoor } from './model-door.ts';
import { ModelKeys } from './model-keys.ts';

const RUN = '6f1c1d52-0000-4000-8000-000000000001';
const PLACE = { run: RUN, call: '1.0' };

/** An API that answers with the request that it got, and refuses a token once. */
async function startApi() {
  const state = { refuses: false, gone: 0 };
  const server = createServer((request, response) => {
    response.once('close', () => (state.gone += response.writableEnded ? 0 : 1));
    if (state.refuses) return void response.writeHead(401).end('{}');
    if (request.url === '/v1/responses') return void response.writeHead(200).write('data: 1\n\n');
    const { method, url, headers } = request;
    void request
      .toArray()
      .then((parts) => response.end(JSON.stringify({ method, url, headers, body: parts.join('') })));
  });
  return { state, server, origin: `http://127.0.0.1:${String(await listenOnLoopback(server))}` };
}

const booked = (attempt: number, model: BookedRun['model'] = { name: 'small', contextTokens: 32_768 }): BookedRun => ({
  runId: RUN,
  lease: { cycle: 1, attempt },
  model,
  audience: [],
  repository: null,
  author: null,
  onLeaseLost: () => undefined,
  refused: new Set(),
  refusals: new Map(),
  memoryAudience: null,
  policy: null,
});

const api = await startApi();
const book = createRunBook();
const keys = new ModelKeys(book);
let renewed = 0;
const tokens = { get: async () => 'the-token', renew: () => void (renewed += 1) };
const door = await openModelDoor({ api: api.origin, tokens, keys });
keys.openedAt(door.port);
after(() => {
  door.close();
  api.server.close();
  api.server.closeAllConnections();
});

/** The key of a new program of the run's attempt. */
function keyOf(attempt: number): string {
  book.open(booked(attempt));
  return keys.environmentOf(PLACE)['OPENAI_API_KEY'] ?? '';
}

/** The request as the API saw it, or the door's refusal. */
interface Answer {
  readonly method?: string;
  readonly url?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly error?: Readonly<Record<string, string>>;
}

async function ask(path: string, headers: Record<string, string>, body: string | null = '{}') {
  const method = body === null ? 'GET' : 'POST';
  const request = requestHttp({ port: door.port, path, headers, method, agent: false });
  request.end(body ?? undefined);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const text = (await response.toArray()).join('');
  return { status: response.statusCode, body: JSON.parse(text) as Answer };
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

test('a program of a run with a model gets addresses and a key for clients of both formats', () => {
  book.open(booked(1));
  const given = keys.environmentOf(PLACE);
  const origin = `http://127.0.0.1:${String(door.port)}`;
  assert.deepEqual(
    [given['OPENAI_BASE_URL'], given['ANTHROPIC_BASE_URL'], given['HAMLET_MODEL'], given['HAMLET_MODEL_CONTEXT']],
    [`${origin}/v1`, origin, 'small', '32768'],
  );
  assert.match(given['OPENAI_API_KEY'] ?? '', /^[A-Za-z0-9_-]{43}$/);
  assert.equal(given['ANTHROPIC_AUTH_TOKEN'], given['OPENAI_API_KEY']);
  assert.notEqual(keys.environmentOf(PLACE)['OPENAI_API_KEY'], given['OPENAI_API_KEY']);
});

test('programs without a run, or of a run without a model, get no key', () => {
  assert.deepEqual(keys.environmentOf({ run: 'mcp', call: 'mcp' }), {});
  book.open(booked(1, null));
  assert.deepEqual(keys.environmentOf(PLACE), {});
});

test("a request reaches the API with the agent's token and the key's run, in place of those that the program sends", async () => {
  const headers = { ...bearer(keyOf(3)), 'hamlet-run': `${RUN}/9`, 'content-type': 'application/json', cookie: 'a=1' };
  const { status, body } = await ask('/v1/chat/completions?beta=true', headers, '{"model":"small"}');
  assert.equal(status, 200);
  assert.deepEqual([body.method, body.url, body.body], ['POST', '/v1/chat/completions?beta=true', '{"model":"small"}']);
  const { authorization, cookie, 'hamlet-run': run, 'content-type': type } = body.headers ?? {};
  assert.deepEqual([authorization, cookie, run, type], ['Bearer the-token', undefined, `${RUN}/3`, 'application/json']);
});

test('a key works in either header, whichever the client fills', async () => {
  const key = keyOf(1);
  const inBoth = { authorization: 'Bearer sk-of-another-provider', 'x-api-key': key };
  assert.equal((await ask('/v1/messages', inBoth)).status, 200);
  assert.equal((await ask('/v1/models', bearer(key), null)).status, 200);
});

test('the key of a program of a conversation follows the runs that it serves, and is worthless between them', async () => {
  const standIn = book.standIn();
  book.open(booked(1));
  standIn.serve(RUN);
  const key = keys.environmentOf({ run: standIn.id, call: 'mind' })['OPENAI_API_KEY'] ?? '';
  const runOf = async () => (await ask('/v1/models', bearer(key), null)).body.headers?.['hamlet-run'];
  assert.equal(await runOf(), `${RUN}/1`);
  standIn.serve(null);
  assert.equal((await ask('/v1/models', bearer(key), null)).status, 401);
  book.open(booked(4));
  standIn.serve(RUN);
  assert.equal(await runOf(), `${RUN}/4`, 'the same key in the next run');
  book.close(RUN);
  assert.equal((await ask('/v1/models', bearer(key), null)).status, 401);
  standIn.end();
});

test('a request without a key, with a wrong one, or with that of an ended program, attempt or run reaches nothing', async () => {
  const attempts: (readonly [string, () => void])[] = [
    ['', () => undefined],
    ['sk-wrong', () => undefined],
    [keyOf(1), () => keys.end(PLACE)],
    [keyOf(1), () => book.open(booked(2))],
    [keyOf(2), () => book.close(RUN)],
  ];
  for (const [key, end] of attempts) {
    end();
    const { status, body } = await ask('/v1/chat/completions', bearer(key));
    assert.equal(status, 401);
    const { code, type } = body.error ?? {};
    assert.deepEqual([code, type], ['invalid_api_key', 'authentication_error']);
  }
});

test('a key opens no other route of the API, however its path is written', async () => {
  const key = keyOf(1);
  const paths = [
    '/api/v1/me',
    '//elsewhere.test/v1/messages',
    'http://elsewhere.test/v1/messages',
    '/v1/models/a/b',
    '/v1/chat/completions/',
    '/v1/../api/v1/me',
    '//api/v1/me',
    '/v1/messages/batches',
  ];
  for (const path of paths) assert.equal((await ask(path, bearer(key))).status, 404, path);
  for (const path of ['/v1/models/..', '/v1/models/%2e%2e', '/api/v1/world'])
    assert.equal((await ask(path, bearer(key), null)).status, 404, path);
  assert.equal((await ask('/v1/chat/completions', bearer(key), null)).status, 404, 'GET');
});

test('after a refused token the program is asked to try again, and the next request has a new one', async () => {
  api.state.refuses = true;
  const { status } = await ask('/v1/chat/completions', bearer(keyOf(1)));
  api.state.refuses = false;
  assert.deepEqual([status, renewed], [503, 1]);
});

test('an answer streams to the program, and ends at the API when the program hangs up', async () => {
  const request = requestHttp({ port: door.port, path: '/v1/responses', method: 'POST', headers: bearer(keyOf(1)) });
  request.end('{}');
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  assert.equal(String((await once(response, 'data'))[0]), 'data: 1\n\n');
  const before = api.state.gone;
  request.destroy();
  while (api.state.gone === before) await new Promise((resolve) => setTimeout(resolve, 5));
});
