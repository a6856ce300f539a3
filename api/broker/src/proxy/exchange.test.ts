/** Requests to real servers, and their answers. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request as requestHttp, type ClientRequest, type IncomingMessage } from 'node:http';
import { after, before, beforeEach, test } from 'node:test';
import { until } from '@hamlet/test/env/until';
import { TestBroker } from '../testing/a-broker.ts';
import { startInternet, type Internet } from '../testing/an-internet.ts';

const MIB = 1 << 20;
const FLOOD = 64 * MIB;
const PIECE = Buffer.alloc(64 * 1024, 'x');

let internet: Internet;
let broker: TestBroker;
/** Counters of the server. */
const seen = { headers: {} as IncomingMessage['headers'], requests: 0, received: 0, sent: 0, waits: 0, hungUp: 0 };

/** Writes with backpressure. */
async function flood(response: NodeJS.WritableStream): Promise<void> {
  for (seen.sent = 0; seen.sent < FLOOD; seen.sent += PIECE.length)
    if (!response.write(PIECE)) {
      seen.waits += 1;
      await once(response, 'drain');
      seen.waits -= 1;
    }
  response.end();
}

before(async () => {
  internet = await startInternet();
  await internet.serveHttp('server.org', (request, response) => {
    seen.headers = request.headers;
    seen.requests += 1;
    seen.received = 0;
    request.on('data', (chunk: Buffer) => (seen.received += chunk.length));
    response.on('close', () => (seen.hungUp += response.writableFinished ? 0 : 1));
    switch (request.url) {
      case '/flood':
        return void flood(response).catch(() => undefined);
      case '/hang':
        return void response.write('begun');
      case '/silent':
        return;
      case '/reset':
        return void request.socket.destroy();
      case '/torn':
        response.writeHead(200, { 'content-length': '100' }).write('begun');
        return void setImmediate(() => request.socket.destroy());
      case '/hints':
        response.writeEarlyHints({ link: '</style.css>; rel=preload' });
        return void response
          .writeHead(200, { 'set-cookie': ['a=1', 'b=2'], connection: 'x-hop, close', 'x-hop': '1' })
          .end('ok');
      case '/headed':
        return void response.writeHead(200, { 'x-long': 'x'.repeat(10_000) }).end('ok');
      case '/empty':
        return void response.writeHead(204).end();
      default:
        return void request.on('end', () => response.end(`${String(request.method)} ${String(seen.received)}`));
    }
  });
  const noTls = await internet.serveTcp(443);
  noTls.on('connection', (socket) => socket.on('error', () => undefined).end('HTTP/1.1 400 no TLS here\r\n\r\n'));
  internet.names.set('broken.org', ['93.184.215.14']);
  broker = await TestBroker.start(internet);
});
after(() => {
  broker.close();
  internet.close();
});
beforeEach(() => {
  broker.village.addAgent('ada', {
    allow: [
      { host: 'server.org', ports: [80], methods: ['GET', 'HEAD', 'POST', 'PUT'], paths: ['/**'] },
      { host: 'broken.org', methods: ['GET'], paths: ['/**'] },
    ],
  });
  broker.village.stop('uid-ada');
  broker.village.ends.length = 0;
  internet.dialled.length = 0;
  seen.hungUp = 0;
});

/** A request of a program that is still open. */
function begin(
  path: string,
  more: { method?: string; headers?: Record<string, string>; port?: number } = {},
): ClientRequest {
  const headers = { 'proxy-authorization': broker.identity('ada'), host: 'server.org', ...more.headers };
  const url = `http://server.org${path}`;
  const asked = {
    host: '127.0.0.1',
    port: more.port ?? broker.port,
    path: url,
    method: more.method ?? 'GET',
    headers,
    agent: false,
  };
  return requestHttp(asked).on('error', () => undefined);
}

test('a slow reader slows its server down, and still gets every byte', async () => {
  const request = begin('/flood').end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  let sent = -1;
  await until('the server waits', async () => {
    const isStill = seen.waits > 0 && seen.sent === sent;
    sent = seen.sent;
    return isStill;
  });
  assert.ok(seen.sent < FLOOD / 2, `${seen.sent} bytes are on their way to a program that reads none`);
  let read = 0;
  for await (const chunk of response) read += (chunk as Buffer).length;
  assert.equal(read, FLOOD);
});

test('a program that hangs up ends its request at the server: before the answer, during it, and during its own body', async () => {
  for (const [path, method] of [
    ['/silent', 'GET'],
    ['/hang', 'GET'],
    ['/silent', 'PUT'],
  ] as const) {
    seen.hungUp = 0;
    seen.headers = {};
    const request = begin(path, { method, headers: method === 'PUT' ? { 'content-length': String(MIB) } : {} });
    if (method === 'PUT') request.write(PIECE);
    else request.end();
    await until('the request has arrived', async () => seen.headers.host === 'server.org');
    request.destroy();
    await until(`${method} ${path} has ended`, async () => seen.hungUp === 1);
    await until('its end is recorded', async () => broker.village.ends.length > 0);
    broker.village.ends.length = 0;
  }
});

test('the broker itself answers Expect: 100-continue, and the server gets only the body', async () => {
  const request = begin('/body', { method: 'POST', headers: { expect: '100-continue', 'content-length': '5' } });
  request.flushHeaders();
  await once(request, 'continue');
  const [response] = (await once(request.end('12345'), 'response')) as [IncomingMessage];
  assert.equal(response.statusCode, 200);
  assert.equal(seen.headers.expect, undefined);
  assert.equal(seen.received, 5);
  response.resume();
});

test('early hints and hop-by-hop headers are dropped, repeated headers stay', async () => {
  const { status, headers, body } = await broker.plain('http://server.org/hints');
  assert.equal(status, 200);
  assert.equal(body, 'ok');
  assert.deepEqual(headers['set-cookie'], ['a=1', 'b=2']);
  assert.equal(headers['x-hop'], undefined);
});

test('consecutive requests share one connection, even after answers without a body', async () => {
  for (const path of ['/one', '/empty', '/two'])
    assert.ok([200, 204].includes((await broker.plain(`http://server.org${path}`)).status));
  assert.deepEqual(internet.dialled, ['93.184.215.14:80']);
  const head = await broker.plain('http://server.org/three', { method: 'HEAD' });
  assert.deepEqual([head.status, head.body], [200, '']);
  assert.equal((await broker.plain('http://server.org/four', { method: 'PUT', body: 'abc' })).body, 'PUT 3');
});

test('a server that resets counts as unreachable; an answer that is cut off is cut off for the program too', async () => {
  const { status, headers } = await broker.plain('http://server.org/reset');
  assert.deepEqual([status, headers['hamlet-egress-code']], [502, 'egress_unreachable']);
  await assert.rejects(broker.plain('http://server.org/torn'), /aborted|ECONNRESET/);
  await until('both ends are recorded', async () => broker.village.ends.length === 2);
  assert.deepEqual(
    broker.village.ends.map(({ refused }) => refused),
    ['egress_unreachable', 'egress_unreachable'],
  );
});

test('bytes beyond the limit of a rule do not go out', async () => {
  const rule = { host: 'server.org', ports: [80], methods: ['POST'], paths: ['/**'], bytesPerHour: 20_000 };
  broker.village.addAgent('ada', { version: '2', allow: [rule] });
  broker.village.stop('uid-ada');
  const { status, headers } = await broker.plain('http://server.org/much', {
    method: 'POST',
    body: 'x'.repeat(300_000),
  });
  assert.deepEqual([status, headers['hamlet-egress-code']], [429, 'egress_bytes_spent']);
  assert.ok(seen.received <= 20_000, String(seen.received));
});

test('heads count against the limit of a rule and in the record, in both directions', async () => {
  const rule = { host: 'server.org', ports: [80], methods: ['GET', 'POST'], paths: ['/**'], bytesPerHour: 40_000 };
  broker.village.addAgent('ada', { version: '3', allow: [rule] });
  broker.village.stop('uid-ada');
  const long = { 'user-agent': 'u'.repeat(15_000) };
  const statuses: number[] = [];
  const before = seen.requests;
  for (let count = 0; count < 4; count += 1)
    statuses.push((await broker.plain('http://server.org/x', { headers: long })).status);
  statuses.push((await broker.plain('http://server.org/x', { method: 'POST', body: 'x' })).status);
  assert.deepEqual([statuses, seen.requests - before], [[200, 200, 429, 429, 429], 2]);
  await until('all ends are recorded', async () => broker.village.ends.length === 5);
  const { ends } = broker.village;
  assert.deepEqual(
    ends.map(({ sentBytes, address }) => [Math.floor(sentBytes / 15_000), address === null]),
    [
      [1, false],
      [1, false],
      [0, true],
      [0, true],
      [0, true],
    ],
  );
  // More than the two bytes of its body.
  assert.ok((ends[0]?.receivedBytes ?? 0) > 40, String(ends[0]?.receivedBytes));
  broker.village.addAgent('ada', { version: '4', allow: [{ ...rule, bytesPerHour: 8_000 }] });
  broker.village.stop('uid-ada');
  const headed = await broker.plain('http://server.org/headed');
  assert.deepEqual([headed.status, headed.headers['hamlet-egress-code']], [429, 'egress_bytes_spent']);
});

test('idle connections to servers are limited, however many hosts a rule has', async (t) => {
  const most = 4;
  const limited = await TestBroker.start(internet, { serverConnections: { ofAgent: most, inAll: 8 } });
  t.after(() => limited.close());
  const rules = ['ada', 'bob'].map((agent) => ({ agent, rule: { host: `*.${agent}.org`, ports: [80] } }));
  for (const { agent, rule } of rules) limited.village.addAgent(agent, { version: '5', allow: [rule] });
  const ask = async (agent: string, at: number): Promise<string> => {
    const host = `h${String(at)}.${agent}.org`;
    internet.names.set(host, ['93.184.215.14']);
    const { status, headers } = await limited.plain(`http://${host}/x`, { agent });
    return `${String(status)} ${String(headers['hamlet-egress-code'] ?? '')}`;
  };
  for (let at = 0; at < most; at += 1) assert.equal(await ask('ada', at), '200 ', String(at));
  assert.equal(await ask('ada', most), '429 egress_too_many');
  assert.equal(await ask('ada', most - 1), '200 ', 'an idle connection serves the next request of its host');
  assert.equal(await ask('bob', 0), '200 ');
  limited.village.stop('uid-ada');
  await until('the connections have ended', async () => (await ask('ada', most)) === '200 ');
});

test('the refusal names a server without TLS or with an untrusted certificate, and the cause', async () => {
  const { status, body } = await broker.inspected('https://broken.org/');
  assert.equal(status, 502);
  assert.match(body, /the TLS handshake with broken\.org failed \([A-Z_]+\); check its certificate/);
});

test('a request ends if the server, the body or the reader is idle for too long', async (t) => {
  const impatient = await TestBroker.start(internet, { idleMs: 300 });
  t.after(() => impatient.close());
  impatient.village.addAgent('ada', {
    allow: [{ host: 'server.org', ports: [80], methods: ['GET', 'PUT'], paths: ['/**'], writes: 'Allow' }],
  });
  const { status, headers } = await impatient.plain('http://server.org/silent');
  assert.deepEqual([status, headers['hamlet-egress-code']], [502, 'egress_unreachable']);
  await assert.rejects(impatient.plain('http://server.org/hang'), /aborted|ECONNRESET/);
  const upload = begin('/body', { method: 'PUT', headers: { 'content-length': String(MIB) }, port: impatient.port });
  upload.write(PIECE);
  const [refused] = (await once(upload, 'response')) as [IncomingMessage];
  assert.equal(refused.statusCode, 502);
  upload.destroy();
  const unread = begin('/flood', { port: impatient.port }).end();
  const [answer] = (await once(unread, 'response')) as [IncomingMessage];
  await assert.rejects(
    (async () => {
      await until('the request has ended', async () => impatient.village.ends.length === 4);
      for await (const chunk of answer) assert.ok(chunk);
    })(),
    /aborted|ECONNRESET/,
  );
});
