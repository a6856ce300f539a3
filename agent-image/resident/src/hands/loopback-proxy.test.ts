import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request as requestHttp, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { listenOnLoopback } from '@hamlet/test/env/net/loopback';
import { startLoopbackProxy } from './loopback-proxy.ts';
import { proxyEnvironment } from './proxy-environment.ts';
import { createRefusals } from './refusals.ts';

const RUN = '6f1c1d52-0000-4000-8000-000000000001';

/** A broker that echoes: the bytes of a tunnel after its answer, and the content of a request. */
async function startBroker() {
  const identities: string[] = [];
  const note = ({ headers }: IncomingMessage): void => {
    const text = (headers['proxy-authorization'] ?? '').replace('Basic ', '');
    identities.push(Buffer.from(text, 'base64').toString());
  };
  const server = createServer((request, response) => {
    note(request);
    if (request.url === 'http://off.example/a')
      return void response
        .writeHead(403, 'egress_denied: closed; ask an admin', { 'hamlet-egress-code': 'egress_denied' })
        .end();
    if (request.url === 'http://denied.example/') return void response.writeHead(403, 'off: ask an admin').end();
    response.setHeader('set-cookie', ['a=1', 'b=2']);
    response.setHeader('content-type', 'application/json');
    const words = { method: request.method, url: request.url, headers: request.headers };
    void request.toArray().then((parts) => response.end(JSON.stringify({ ...words, body: parts.join('') })));
  });
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    note(request);
    if (request.url?.startsWith('slow') === true) {
      socket.write('HTTP/1.1 403 egress_not_allowed: no rule of this agent al');
      setTimeout(() => socket.end('lows it; ask an admin\r\nhamlet-egress-code: egress_not_allowed\r\n\r\n'), 20);
    } else if (request.url?.startsWith('denied') === true)
      socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\n\r\nno');
    else {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      socket.pipe(socket);
    }
  });
  const port = await listenOnLoopback(server);
  return { identities, port, close: () => (server.close(), server.closeAllConnections()) };
}

const refusals = createRefusals();
/** The id of a program that serves one run after another, and the run that it serves. */
const STAND_IN = '6f1c1d52-0000-4000-8000-00000000000a';
let serves: string | null = null;
const broker = await startBroker();
const proxy = await startLoopbackProxy({
  host: '127.0.0.1',
  port: 0,
  broker: new URL(`http://127.0.0.1:${String(broker.port)}`),
  token: async () => 'the-token',
  runOf: (named) => (named === STAND_IN ? serves : named),
  refusals,
});
after(() => {
  proxy.close();
  broker.close();
});

const basic = (user: string): string => `Basic ${Buffer.from(`${user}:x`).toString('base64')}`;

async function tunnel(target: string, lines: readonly string[], port = proxy.port) {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write([`CONNECT ${target} HTTP/1.1`, `Host: ${target}`, ...lines, '', ''].join('\r\n'));
  let text = '';
  while (!text.includes('\r\n\r\n')) text += String((await once(socket, 'data'))[0]);
  return { socket, text };
}

async function ask(path: string, headers: Record<string, string>, body = '') {
  const request = requestHttp({ port: proxy.port, path, headers, method: body === '' ? 'GET' : 'POST', agent: false });
  request.end(body);
  const response = await new Promise<IncomingMessage>((settle, fail) =>
    request.on('response', settle).on('error', fail),
  );
  return { response, body: (await response.toArray()).join('') };
}

test("a tunnel carries its program's run and call, and the token, which the program never sees", async () => {
  const user = decodeURIComponent(
    new URL(proxyEnvironment({ run: RUN, call: 'call-1' })['HTTPS_PROXY'] ?? '').username,
  );
  const { socket, text } = await tunnel('example.org:443', [`Proxy-Authorization: ${basic(user)}`]);
  assert.match(text, /^HTTP\/1.1 200/);
  assert.doesNotMatch(text, /the-token/);
  assert.equal(broker.identities.at(-1), `${RUN}/call-1:the-token`);
  socket.write('hello');
  assert.equal(String((await once(socket, 'data'))[0]), 'hello');
  socket.destroy();
});

test('a program without a proxy user, or with a malformed one, counts as without a run', async () => {
  for (const lines of [[], [`Proxy-Authorization: ${basic('root')}`], ['Proxy-Authorization: Bearer stolen']]) {
    const { socket } = await tunnel('example.org:443', lines);
    assert.equal(broker.identities.at(-1), '/:the-token');
    socket.destroy();
  }
});

test('requests of the program of a conversation belong to the run that it serves; between runs they belong to none', async () => {
  const lines = [`Proxy-Authorization: ${basic(`${STAND_IN}/mind`)}`];
  for (const [run, identity] of [
    [null, '/:the-token'],
    [RUN, `${RUN}/mind:the-token`],
  ] as const) {
    serves = run;
    const { socket } = await tunnel('example.org:443', lines);
    assert.equal(broker.identities.at(-1), identity);
    socket.destroy();
  }
});

test('the refusal of the broker reaches the program', async () => {
  const { text, socket } = await tunnel('denied.example:443', []);
  assert.match(text, /^HTTP\/1.1 403 Forbidden/);
  socket.destroy();
  const { response } = await ask('http://denied.example/', { host: 'denied.example' });
  assert.deepEqual([response.statusCode, response.statusMessage], [403, 'off: ask an admin']);
});

test("refusals of the broker are recorded for the program's call before the program reads them", async () => {
  const user = [`Proxy-Authorization: ${basic(`${RUN}/call-9`)}`];
  const { text, socket } = await tunnel('slow.example:443', user);
  assert.match(text, /ask an admin/);
  socket.destroy();
  await ask('http://off.example/a', { host: 'off.example', 'proxy-authorization': basic(`${RUN}/call-9`) });
  await ask('http://off.example/a', { host: 'off.example', 'proxy-authorization': basic('mcp/web') });
  assert.equal(broker.identities.at(-1), '/:the-token', 'the broker does not know MCP servers');
  assert.deepEqual(refusals.take({ run: RUN, call: 'call-9' }), [
    'egress_not_allowed: no rule of this agent allows it; ask an admin',
    'egress_denied: closed; ask an admin',
  ]);
  assert.deepEqual(refusals.take({ run: RUN, call: 'call-9' }), [], 'refusals are returned once');
  assert.deepEqual(refusals.take({ run: 'mcp', call: 'web' }), ['egress_denied: closed; ask an admin']);
});

test('a request without TLS is forwarded with its full address, headers and body', async () => {
  const { response, body } = await ask(
    'http://example.org/a?b=c',
    { host: 'example.org', 'proxy-authorization': basic(`${RUN}/call-2`), 'x-own': 'kept', authorization: basic('me') },
    'words',
  );
  const received = JSON.parse(body);
  assert.equal(response.statusCode, 200, body);
  assert.deepEqual([received.method, received.url, received.body], ['POST', 'http://example.org/a?b=c', 'words']);
  assert.deepEqual([received.headers.host, received.headers['x-own']], ['example.org', 'kept']);
  assert.equal(received.headers.authorization, basic('me'));
  assert.deepEqual(response.headers['set-cookie'], ['a=1', 'b=2']);
  assert.equal(broker.identities.at(-1), `${RUN}/call-2:the-token`);
});

test('a request to an endpoint of the broker may carry run and call as the user in its address', async () => {
  const { body } = await ask('/git/example.org/a.git/info/refs', { authorization: basic(`${RUN}/call-3`) });
  assert.equal(JSON.parse(body).url, '/git/example.org/a.git/info/refs');
  assert.equal(JSON.parse(body).headers.authorization, undefined);
  assert.equal(broker.identities.at(-1), `${RUN}/call-3:the-token`);
});

test('a request through the proxy to a broker endpoint keeps its proxy user', async () => {
  const { body } = await ask('http://hamlet/npm/left-pad', {
    host: 'hamlet',
    'proxy-authorization': basic(`${RUN}/call-4`),
  });
  assert.equal(JSON.parse(body).url, '/npm/left-pad');
  assert.equal(broker.identities.at(-1), `${RUN}/call-4:the-token`);
});

test('while the broker is unreachable, programs get an error that says so', async () => {
  const gone = await startBroker();
  gone.close();
  const lonely = await startLoopbackProxy({
    host: '127.0.0.1',
    port: 0,
    broker: new URL(`http://127.0.0.1:${String(gone.port)}`),
    token: async () => 'the-token',
    runOf: (named) => named,
    refusals,
  });
  const user = basic(`${RUN}/call-10`);
  const { text, socket } = await tunnel('example.org:443', [`Proxy-Authorization: ${user}`], lonely.port);
  assert.match(text, /^HTTP\/1.1 503[\s\S]*egress_unreachable/);
  socket.destroy();
  const request = requestHttp({ port: lonely.port, path: '/pip/x', headers: { authorization: user }, agent: false });
  const [response] = (await once(request.end(), 'response')) as [IncomingMessage];
  assert.equal(response.statusCode, 503);
  response.resume();
  assert.deepEqual(
    refusals.take({ run: RUN, call: 'call-10' }),
    ['egress_unreachable: the broker does not answer; try again in a minute'],
    'and the result of the call says so',
  );
  lonely.close();
});
