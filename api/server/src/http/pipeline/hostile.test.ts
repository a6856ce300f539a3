/** Cheap attacks from one address: meanwhile the API still serves another address. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { WebSocket } from 'ws';
import { atEnd } from '@hamlet/test/env/at-end';
import { startApiProcess } from '../../testing/api-process.ts';
import { eventually, testVillage, Play } from '../../testing/test-village.ts';

const HOSTILE = '127.0.0.66';
const CAP_MS = 60_000;
const SOCKETS_MAX = 10;
/** The API's limit of plain connections for one address. */
const CONNECTIONS_MAX = SOCKETS_MAX * 4;

const village = await testVillage();
// No proxy is trusted, because the callers of this test have loopback addresses.
const api = await startApiProcess(village, {
  HAMLET_TRUSTED_PROXIES: '192.0.2.1',
  HAMLET_RATE_LIMIT: '300',
  HAMLET_SOCKETS_PER_ADDRESS: String(SOCKETS_MAX),
});
atEnd(() => api.stop('SIGKILL'));

interface Asked {
  readonly path: string;
  readonly method?: string;
  readonly body?: string;
}

/** Sends a request from a loopback address. Returns the status, or 0 if the API closed the connection. */
function ask(from: string, { path, method = 'GET', body }: Asked): Promise<number> {
  return new Promise((resolve) => {
    const headers = {
      'content-type': 'application/json',
      ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
    };
    const sent = request(
      `${api.url}${path}`,
      { method, headers, localAddress: from, agent: false, timeout: CAP_MS },
      (response) => {
        response.resume();
        response.once('close', () => resolve(response.statusCode ?? 0));
      },
    );
    sent.once('error', () => resolve(0)).once('timeout', () => sent.destroy());
    sent.end(body);
  });
}

let guests = 1;
/** A new address for the honest caller at each call, so that its own quota does not matter. */
function guest(): string {
  guests += 1;
  return `127.0.1.${guests}`;
}

async function assertServed(what: string): Promise<void> {
  const from = guest();
  assert.equal(await ask(from, { path: '/livez' }), 200, what);
  assert.equal(await ask(from, { path: '/api/v1/world' }), 200, what);
  const socket = new WebSocket(`${api.url.replace('http', 'ws')}/ws/world`, { localAddress: from });
  await once(socket, 'message', { signal: AbortSignal.timeout(CAP_MS) });
  socket.terminate();
}

async function flood(times: number, asked: Asked): Promise<readonly number[]> {
  const statuses: number[] = [];
  for (let sent = 0; sent < times; sent += 20)
    statuses.push(...(await Promise.all(Array.from({ length: 20 }, () => ask(HOSTILE, asked)))));
  return statuses;
}

test('an address with silent or very slow connections gets only its share of connections', async () => {
  await new Play(api.url).everybody();
  const { hostname, port } = new URL(api.url);
  const loris: Socket[] = [];
  for (let number = 0; number < CONNECTIONS_MAX * 3; number += 1) {
    const socket = connect({ host: hostname, port: Number(port), localAddress: HOSTILE });
    socket
      .on('error', () => undefined)
      .once('connect', () => socket.write('GET /livez HTTP/1.1\r\nhost: x\r\nx-slow: '));
    loris.push(socket);
  }
  const drip = setInterval(() => {
    for (const socket of loris) if (socket.writable) socket.write('a');
  }, 500);
  await eventually(
    'the end of the connections above the limit',
    () => loris.filter(({ closed }) => !closed).length <= CONNECTIONS_MAX,
  );
  await assertServed('beside slow requests');
  await eventually('the end of the slow connections', () => loris.every(({ closed }) => closed));
  clearInterval(drip);
  await assertServed('after slow requests');
});

test('a flood of sockets and messages leaves room for other addresses', async () => {
  const sockets = Array.from(
    { length: SOCKETS_MAX * 3 },
    () => new WebSocket(`${api.url.replace('http', 'ws')}/ws/world?format=json`, { localAddress: HOSTILE }),
  );
  const outcomes = await Promise.all(
    sockets.map((socket) =>
      once(socket, 'open').then(
        () => true,
        () => false,
      ),
    ),
  );
  assert.equal(outcomes.filter(Boolean).length, SOCKETS_MAX);
  const open = sockets.filter((_, index) => outcomes[index]);
  const closed = open.map((socket) => once(socket, 'close').then(([code]) => Number(code)));
  for (const socket of open)
    for (let number = 0; number < 400; number += 1)
      socket.send(JSON.stringify({ type: 'view', x: number % 2, y: 0, width: 100, height: 100, zoom: 'near' }));
  await assertServed('next to a flood of messages');
  assert.deepEqual(
    [...new Set(await Promise.all(closed))].filter((code) => ![1_006, 1_008].includes(code)),
    [],
  );
  await eventually('room again', async () => {
    const again = new WebSocket(`${api.url.replace('http', 'ws')}/ws/world`, { localAddress: guest() });
    const isOpen = await once(again, 'open').then(
      () => true,
      () => false,
    );
    again.terminate();
    return isOpen;
  });
});

const PASSWORD = 'correct horse battery';
for (const [what, asked] of Object.entries<Asked>({
  'paths that do not exist': { path: '/api/v1/nowhere' },
  'sign-ins': { path: '/api/v1/login', method: 'POST', body: JSON.stringify({ name: 'Grace', password: PASSWORD }) },
  'codes for the first account': {
    path: '/api/v1/bootstrap',
    method: 'POST',
    body: JSON.stringify({ code: 'a guess', name: 'Grace', password: PASSWORD }),
  },
  'large bodies': {
    path: '/api/v1/login',
    method: 'POST',
    body: JSON.stringify({ name: 'Grace', password: 'x'.repeat(1 << 20) }),
  },
}))
  test(`a flood of ${what} is refused, and another address is served`, async () => {
    const flooding = flood(400, asked);
    for (let look = 0; look < 3; look += 1) await assertServed(what);
    const statuses = await flooding;
    assert.ok(
      statuses.some((status) => status === 429 || status === 0),
      `${what}: ${JSON.stringify([...new Set(statuses)])}`,
    );
    assert.ok(
      statuses.every((status) => status < 500),
      what,
    );
    await assertServed(what);
  });
