/** The client against a real server: reused connections, slow and leaving readers, and answers that break off. */
import assert from 'node:assert/strict';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectionFault } from './connection-fault.ts';
import { createHttpFetch, httpFetch } from './http-fetch.ts';
import type { ServerRequest } from './server-answer.ts';

const PIECE = Buffer.alloc(64 << 10, 'x');
const PIECES = 256;
const WAIT_MS = 20_000;

type Serve = (response: ServerResponse) => void | Promise<void>;

let server: Server;
let url: string;
let serve: Serve = (response) => void response.end('fine');
let connections = 0;

before(async () => {
  server = createServer((request, response) => {
    request.resume();
    request.once('end', () => void serve(response));
  });
  server.on('connection', () => (connections += 1));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});

function requestOf(signal = new AbortController().signal): ServerRequest {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}', redirect: 'manual', signal };
}

async function textOf(body: AsyncIterable<Uint8Array> | null): Promise<string> {
  return Buffer.concat(await Array.fromAsync(body ?? [])).toString();
}

test('status, headers and body arrive, and consecutive requests share one connection', async () => {
  const before = connections;
  serve = (response) => void response.writeHead(429, { 'Retry-After': '3' }).end('slow');
  for (let count = 0; count < 3; count += 1) {
    const { ok, status, headers, body } = await httpFetch(url, requestOf());
    assert.deepEqual([ok, status, headers.get('retry-after'), headers.get('Retry-After')], [false, 429, '3', '3']);
    assert.equal(await textOf(body), 'slow');
  }
  assert.equal(connections - before, 1);
});

test('a redirect is returned instead of followed', async () => {
  serve = (response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
  const { status, headers } = await httpFetch(url, requestOf());
  assert.deepEqual([status, headers.get('location')], [302, 'http://127.0.0.1:1/']);
});

test("a reader that does not read blocks the server once the connection's buffers are full", async () => {
  let sent = 0;
  serve = async (response) => {
    response.writeHead(200);
    for (sent = 0; sent < PIECES; sent += 1)
      if (!response.write(PIECE)) await new Promise((done) => response.once('drain', done));
    response.end();
  };
  const { body } = await httpFetch(url, requestOf());
  let before = -1;
  for (const until = Date.now() + WAIT_MS; sent !== before && Date.now() < until; await sleep(200)) before = sent;
  assert.ok(sent < PIECES, `the server sent ${sent} pieces without a reader`);
  assert.equal((await textOf(body)).length, PIECES * PIECE.length);
});

for (const endsIn of ['the same packet', 'a later one'] as const)
  test(`a reader that stops at the last event leaves the connection to the next request if the answer ends in ${endsIn}`, async () => {
    let ended = Promise.withResolvers<void>();
    serve = async (response) => {
      response.once('close', ended.resolve);
      response.write('first');
      await sleep(10);
      if (endsIn === 'a later one') response.write('last');
      await sleep(10);
      response.end(endsIn === 'a later one' ? '' : 'last');
    };
    const opened: number[] = [];
    for (let count = 0; count < 3; count += 1) {
      ended = Promise.withResolvers();
      const { body } = await httpFetch(url, requestOf());
      for await (const bytes of body ?? []) if (Buffer.from(bytes).includes('last')) break;
      opened.push(connections);
      await ended.promise;
      await sleep(10);
    }
    assert.equal(opened.at(-1), opened[0]);
  });

test('a reader that stops and a signal that aborts close the connection', async () => {
  for (const leave of ['reader', 'signal'] as const) {
    const left = Promise.withResolvers<void>();
    serve = (response) => {
      response.once('close', left.resolve);
      response.write('first');
    };
    const stop = new AbortController();
    const { body } = await httpFetch(url, requestOf(stop.signal));
    const read = async (): Promise<void> => {
      for await (const _ of body ?? []) {
        if (leave === 'reader') return;
        stop.abort(new Error('enough'));
      }
    };
    if (leave === 'reader') await read();
    else await assert.rejects(read);
    await left.promise;
  }
});

test('an answer that breaks off is not complete', async () => {
  serve = (response) => void response.write('half', () => response.destroy());
  const { body } = await httpFetch(url, requestOf());
  await assert.rejects(textOf(body));
});

test('an invalid address and an already aborted signal are refused', async () => {
  await assert.rejects(httpFetch('http://127.0.0.1:1/', requestOf()), /ECONNREFUSED/);
  await assert.rejects(async () => httpFetch('ftp://127.0.0.1/', requestOf()), /begins with http/);
  await assert.rejects(async () => httpFetch(url, requestOf(AbortSignal.abort(new Error('enough')))), /enough/);
});

test('a server that never completes the TLS handshake, a refused port and an unknown host are unreachable', async () => {
  const silent = createTcpServer();
  await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
  const { port } = silent.address() as AddressInfo;
  const fetch = createHttpFetch({ connectMs: 60 });
  const cases = [
    [`https://127.0.0.1:${port}/`, /the host does not answer \(no connection within 60 ms\)/],
    ['http://127.0.0.1:1/', /no server listens there/],
    ['http://hamlet.invalid/', /the name of the host is unknown|the name server does not answer|no connection within/],
  ] as const;
  for (const [address, words] of cases) {
    const fault = connectionFault(await fetch(address, requestOf()).catch((thrown: unknown) => thrown));
    assert.equal(fault.code, 'unreachable', address);
    assert.match(fault.message, words);
  }
  silent.close();
});

test('the cause of a failure for all addresses of a host is named', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED ::1:1'), { code: 'ECONNREFUSED' });
  const all = new Error('fetch failed', { cause: new AggregateError([refused, refused]) });
  const { code, message } = connectionFault(all);
  assert.deepEqual(
    [code, message],
    ['unreachable', 'the server cannot be reached: no server listens there (connect ECONNREFUSED ::1:1)'],
  );
  assert.equal(connectionFault(new Error('socket hang up')).code, 'network');
});
