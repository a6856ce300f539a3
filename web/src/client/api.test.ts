import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { createClient, getMe, listAgents, openWakes, type RouteSpec } from '@hamlet/contract';
import { type Api, type ApiOptions, createApi } from './api.ts';

/** An Api that talks to a real HTTP server with these answers. */
async function apiOf(context: TestContext, answer: RequestListener, options: ApiOptions = {}): Promise<Api> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return createApi({ client: createClient({ baseUrl: `http://127.0.0.1:${port}` }), ...options });
}

const OWN = { params: { agent_id: 'ada' }, query: {} };
const silent: RequestListener = () => undefined;
const problem = {
  type: 'about:blank',
  title: 'Not signed in',
  status: 401,
  code: 'unauthenticated',
  detail: 'Sign in',
  request_id: 'r1',
};
const refuse: RequestListener = (_, response) => {
  response.writeHead(401, { 'content-type': 'application/problem+json' }).end(JSON.stringify(problem));
};

test('a call that times out becomes a refusal that names the timeout', async (context) => {
  const api = await apiOf(context, silent, { timeoutMs: 20 });
  const reply = await api.call(listAgents, {});
  assert.ok(!reply.ok);
  assert.equal(reply.refused.code, 'unreachable');
  assert.match(reply.refused.detail, /within 0\.02 s/);
});

test('the caller can abort a call', async (context) => {
  const leaving = new AbortController();
  const api = await apiOf(context, () => leaving.abort());
  assert.ok(!(await api.call(listAgents, { signal: leaving.signal })).ok);
});

test('refusals of calls and streams are reported with their route', async (context) => {
  const reported: string[] = [];
  const onRefused = ({ name }: RouteSpec, { code }: { readonly code: string }): number =>
    reported.push(`${name} ${code}`);
  const api = await apiOf(context, refuse, { onRefused });
  assert.ok(!(await api.call(getMe, {})).ok);
  const stream = await api.open(openWakes, OWN, () => assert.fail('no event was sent'));
  assert.ok(!stream.ok && stream.refused.status === 401);
  assert.deepEqual(reported, ['getMe unauthenticated', 'openWakes unauthenticated']);
});

const STREAM = { 'content-type': 'text/event-stream' };
const cycle = (number: number): string => `event: cycle\ndata: {"cycle":${number}}\n\n`;

test('a stream yields each event, skips unknown kinds, and reports that the server ended it', async (context) => {
  const cycles: unknown[] = [];
  const api = await apiOf(context, (_, response) => {
    response.writeHead(200, STREAM);
    response.write(`: open\n\n${cycle(3)}event: newer\ndata: {}\n\n`);
    response.end(cycle(4));
  });
  const reply = await api.open(openWakes, OWN, ({ data }) => cycles.push(data));
  assert.deepEqual([reply, cycles], [{ ok: true, data: null }, [{ cycle: 3 }, { cycle: 4 }]]);
});

test('aborting a stream is not a refusal, and closes the connection to the server', async (context) => {
  const leaving = new AbortController();
  const gone = Promise.withResolvers<void>();
  const api = await apiOf(context, (_, response) => {
    response.once('close', () => gone.resolve());
    response.writeHead(200, STREAM).write(cycle(3));
  });
  const reply = await api.open(openWakes, { ...OWN, signal: leaving.signal }, () => leaving.abort());
  assert.deepEqual(reply, { ok: true, data: null });
  await gone.promise;
});

test('a broken stream, or one without heartbeats, becomes a refusal with a message', async (context) => {
  const mute = await apiOf(context, (_, response) => void response.writeHead(200, STREAM).write(cycle(3)), {
    silenceMs: 30,
  });
  const quiet = await mute.open(openWakes, OWN, () => undefined);
  assert.ok(!quiet.ok && quiet.refused.detail.includes('silent'));
  const broken = await apiOf(context, (_, response) => {
    response.writeHead(200, STREAM).write(cycle(3), () => response.destroy());
  });
  const lost = await broken.open(openWakes, OWN, () => undefined);
  assert.ok(!lost.ok && lost.refused.code === 'unreachable');
});
