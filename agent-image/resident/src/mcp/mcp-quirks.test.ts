/** Servers of strangers: each quirk loses at most what it concerns. Real programs under a real supervisor. */
import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterEach, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { atEnd, untilEnd } from '@hamlet/test/env/at-end';
import { startHands } from '@hamlet/test/env/hands/start-hands';
import { listenOnLoopback } from '@hamlet/test/env/net/loopback';
import type { Tool, ToolOutcome } from '@hamlet/engine';
import { z } from 'zod';
import type { ServerState } from '../capabilities/server-states.ts';
import { NO_CALL_LOG, callContext } from '../testing/a-hands-kit.ts';
import { soon } from '../testing/tool-calls.ts';
import { startHandsProcess } from '../hands/hands-process.ts';
import { liveTools } from './live-tools.ts';
import { createMcpServer, type Dial, type McpServer } from './mcp-server.ts';
import { listedTools, type Listed, type ServedTools } from './mcp-tools.ts';
import { overHttp } from './open-servers.ts';
import { mcpProgram, processTransport } from './process-transport.ts';

const PROGRAM = join(import.meta.dirname, './testing/mcp-quirks.ts');
const hands = untilEnd(await startHands());
let programs = 0;

function dialled(quirk: string): Dial {
  const place = { socket: hands.socket, cwd: hands.workspace, environmentOf: () => ({}) };
  const argv = [process.execPath, PROGRAM, quirk];
  const name = `q${(programs += 1)}`;
  return () => processTransport(() => startHandsProcess(place, mcpProgram(name, argv)));
}

/** The servers of the present test. The hands run at most 32 programs at once. */
const open: McpServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

function opened(dial: Dial, name = 'q'): McpServer {
  const server = createMcpServer(name, dial);
  open.push(server);
  return server;
}
const program = (quirk: string): McpServer => opened(dialled(quirk));
const served = (server: McpServer): ServedTools => ({
  server,
  only: null,
  readsOnly: false,
  timeoutMs: 20_000,
  calls: NO_CALL_LOG,
});

async function listed(server: McpServer): Promise<Extract<Listed, { ok: true }>> {
  const list = await listedTools(served(server));
  assert.ok(list.ok, JSON.stringify(list));
  return list;
}

const shortNames = (tools: readonly Tool[]): readonly string[] => tools.map(({ name }) => name.replace('mcp__q__', ''));

async function call(tools: readonly Tool[], name: string, args: object = {}): Promise<ToolOutcome> {
  const prepared = tools.find((tool) => tool.name === `mcp__q__${name}`)?.prepare(args);
  assert.ok(prepared !== undefined, `no tool ${name}`);
  if (!prepared.ok) return prepared.outcome;
  const outcome = await prepared.call.execute(callContext());
  assert.ok(outcome.kind !== 'needs_permission' && outcome.kind !== 'parked');
  return outcome;
}

const textOf = (outcome: ToolOutcome): string => ('text' in outcome ? outcome.text : JSON.stringify(outcome));

/** The text of a call for the model. */
const ANSWERS: Readonly<Record<string, string | RegExp>> = {
  'a resource': 'repo://mill:\nIt grinds.',
  'a link': '[https://a.test/m.csv: m, Flour]',
  'data beside a text': 'One order.\n{"id":17}',
  'data also as a text': '{ "b": 1, "a": 2 }',
  'an image': 'Open.\n[image 1: image/png]',
  'a broken image': /^\[image\/png, 3 bytes: not a png, jpeg, gif or webp image/,
  'an unknown content': '{"type":"poem","lines":2}\nnull\nend',
  'half a pair': 'half \uFFFD',
  'content as a text': 'plain',
  'a large integer': '{"id":"2512292042121000001","n":1}',
  'a long greeting': 'ok 1',
  'a log in JSON': 'ok',
  'ends at an early question': 'ok 1',
  'asks and tells in between': 'done',
};

for (const [quirk, wanted] of Object.entries(ANSWERS))
  test(`a call has its answer: ${quirk}`, async () => {
    const { tools } = await listed(program(quirk));
    const outcome = await call(tools, 'good');
    assert.equal(outcome.kind, 'ok', textOf(outcome));
    if (typeof wanted === 'string') assert.equal(textOf(outcome), wanted);
    else assert.match(textOf(outcome), wanted);
    const images = outcome.kind === 'ok' ? (outcome.images ?? []) : [];
    assert.equal(images.length, quirk === 'an image' ? 1 : 0);
    assert.equal((await call(tools, 'good')).kind, 'ok', 'the server continues');
  });

/** Lists in which one tool is unusual: all stay. Arguments that fit, and, if there are any, arguments that do not. */
const LISTS: Readonly<Record<string, { readonly fits?: object; readonly not?: object }>> = {
  'no type': {},
  'an empty schema': {},
  'a list as schema': {},
  'no schema': {},
  nulls: {},
  'a wrong result schema': {},
  'exclusiveMinimum as a word': { fits: { a: 1 }, not: { a: 0 } },
  'nullable without a type': { fits: { a: null }, not: { a: {} } },
  'nullable with a type': { fits: { a: null }, not: { a: 'y' } },
  'required in a property': { fits: { a: 'x' }, not: {} },
  'types of Python': { fits: { a: 1 }, not: { a: 'x' } },
  'properties as a list': { fits: { b: 1 } },
  'a reference to nothing': { fits: { a: 1 } },
  'a remote reference': { fits: { a: 1 } },
  'items as a list': { fits: { a: ['x', 1] }, not: { a: ['x', 'y'] } },
  'a recursive reference': { fits: { a: { a: {} } }, not: { a: 3 } },
  'a choice at the root': { fits: { a: 1 }, not: {} },
  'an empty cursor': {},
  'a null cursor': {},
  'the same cursor': {},
};

for (const [quirk, { fits = {}, not }] of Object.entries(LISTS))
  test(`one unusual tool or page loses none: ${quirk}`, async () => {
    const { tools, leftOut } = await listed(program(quirk));
    assert.deepEqual([shortNames(tools), leftOut], [['good', 't'], []]);
    assert.equal((await call(tools, 't', fits)).kind, 'ok', JSON.stringify(fits));
    if (not !== undefined) assert.equal((await call(tools, 't', not)).kind, 'invalid_input', JSON.stringify(not));
    const schema = z.toJSONSchema(tools[1]?.input ?? z.never(), { io: 'input', unrepresentable: 'any' });
    assert.deepEqual([schema.type, schema.anyOf], ['object', undefined], 'providers accept the schema');
  });

test('only the tool that cannot be used is left out, and the report names it', async () => {
  const { tools, leftOut } = await listed(program('no name'));
  assert.deepEqual([shortNames(tools), leftOut], [['good', 't'], ['a tool without a name']]);
});

test('a server that has no tools is connected all the same', async () => {
  assert.deepEqual(await listed(program('no tools')), { ok: true, tools: [], leftOut: [] });
});

test('pages of a list are read to their end', async () => {
  assert.equal((await listed(program('sixty tools in pages'))).tools.length, 60);
});

test('names that providers refuse are mapped, and calls use the name of the server', async () => {
  const { tools } = await listed(program('unusual names'));
  assert.deepEqual(
    tools.map(({ name, description }) => [name, description.slice(0, 30)]),
    [
      [tools[0]?.name, '(files.read) The tool files.re'],
      ['mcp__q__files_read', 'The tool files_read'],
      [tools[2]?.name, `(n${'o'.repeat(28)}`],
    ],
  );
  assert.match(tools[0]?.name ?? '', /^mcp__q__files_read_[0-9a-f]{8}$/);
  assert.match(tools[2]?.name ?? '', /^mcp__q__no+_[0-9a-f]{8}$/);
  assert.equal(tools[2]?.name.length, 64);
});

test("a server's hints decide whether a call with an unknown end may run again", async () => {
  const { tools } = await listed(program('hints'));
  assert.deepEqual(
    tools.map(({ effect }) => effect),
    ['read', 'idempotent', 'once'],
  );
});

test('texts get the types of the schema, and integers keep their digits', async () => {
  const { tools } = await listed(program('echo'));
  const answer = async (args: object) => textOf(await call(tools, 'good', args));
  assert.equal(await answer({ tags: '["mill","pond"]', id: '50' }), '{"tags":["mill","pond"],"id":50}');
  assert.equal(await answer({ id: '2512292042121000001' }), '{"id":2512292042121000001}');
  assert.equal(await answer({ deep: '{"on":"true","n":"1.5"}', word: '7' }), '{"deep":{"on":true,"n":1.5},"word":"7"}');
  assert.match(await answer({ id: 'many' }), /data\/id must be integer/);
});

interface Noted {
  readonly states: readonly (readonly [string, ServerState])[];
  readonly ports: Parameters<typeof liveTools>[1];
  /** Codes of the lines in the log. */
  readonly logged: readonly unknown[];
}

function noted(firstMs = 60_000): Noted {
  const states: [string, ServerState][] = [];
  const logged: unknown[] = [];
  const stop = new AbortController();
  atEnd(() => stop.abort());
  return {
    states,
    logged,
    ports: {
      log: { warn: (_event, fields) => void logged.push(fields) },
      noteState: (server, state) => void states.push([server, state]),
      stop: stop.signal,
      firstMs,
      retry: { first: 20, longest: 50 },
    },
  };
}

test('a list is read again after it changes, and after its server starts again', async () => {
  const server = program('a list that grows');
  const { ports } = noted();
  const tools = await liveTools([served(server)], ports);
  assert.deepEqual(shortNames(tools()), ['good']);
  const first = tools();
  assert.equal((await call(first, 'good')).kind, 'ok');
  await soon(() => tools().length === 2);
  assert.notEqual(tools(), first, 'a changed list is another one');
  await server.close();
  assert.equal((await call(first, 'good')).kind, 'ok');
  await soon(() => tools().length === 1);
  await soon(() => tools().length === 2);
});

test('a server that changes its list at each reading is read with growing pauses', async () => {
  const { ports } = noted();
  const tools = await liveTools([served(program('a list that always changes'))], ports);
  const newest = (): number => Number(shortNames(tools())[0]?.slice('list-'.length));
  await soon(() => newest() >= 3);
  await delay(1_000);
  assert.ok(newest() <= 12, `${newest()} lists`);
});

test('a server that does not start is tried again in the background, and its tools follow', async () => {
  let attempts = 0;
  const dial = dialled('hints');
  const broken = opened(() => {
    attempts += 1;
    if (attempts > 3) return dial();
    return processTransport(() => Promise.reject(new Error('the program is not there yet')));
  });
  const { ports, states, logged } = noted();
  const tools = await liveTools([served(broken), served(opened(dialled('a link'), 'other'))], ports);
  await soon(() => tools().length === 4);
  const own = states.filter(([, { ok }]) => !ok).map(([, state]) => (state.ok ? '' : state.code));
  assert.deepEqual([own.length, new Set(own)], [3, new Set(['mcp_unreachable'])]);
  assert.equal(logged.length, 1, 'the same cause is logged once');
});

test('the first lists are awaited for a bounded time; a slow server is starting, and its tools follow', async () => {
  const slow: McpServer = { ...program('hints') };
  const { promise, resolve } = Promise.withResolvers<void>();
  const { ports, states } = noted(10);
  const tools = await liveTools(
    [{ ...served(slow), server: { ...slow, tools: () => promise.then(() => slow.tools()) } }],
    ports,
  );
  assert.deepEqual(
    [tools(), states],
    [[], [['q', { ok: false, code: 'mcp_starting', message: 'it is starting; its tools follow' }]]],
  );
  resolve();
  await soon(() => tools().length === 3);
});

interface Asked {
  readonly method: string;
  readonly session: string | undefined;
}

/** An HTTP server with sessions, which forgets them on demand. */
async function sessionServer(status: number) {
  const asked: Asked[] = [];
  let session = 1;
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => void parts.push(part));
    request.on('end', () => {
      if (request.method !== 'POST') return response.writeHead(405).end();
      const { id, method } = JSON.parse(Buffer.concat(parts).toString()) as { id?: number; method: string };
      const named = request.headers['mcp-session-id']?.toString();
      asked.push({ method, session: named });
      const reply = (code: number, body: object, headers: Record<string, string> = {}): void => {
        response.writeHead(code, { 'content-type': 'application/json', ...headers });
        response.end(JSON.stringify({ jsonrpc: '2.0', id, ...body }));
      };
      if (method === 'initialize') {
        const info = {
          protocolVersion: '2025-06-18',
          capabilities: { tools: {} },
          serverInfo: { name: 's', version: '1' },
        };
        return reply(200, { result: info }, { 'mcp-session-id': `s${session}` });
      }
      if (named !== `s${session}`) return reply(status, { error: { code: -32_001, message: 'Session not found' } });
      if (id === undefined) return response.writeHead(202).end();
      if (method === 'tools/list') return reply(200, { result: { tools: [{ name: 'good', inputSchema: {} }] } });
      return reply(200, { result: { content: [{ type: 'text', text: `in s${session}` }] } });
    });
  });
  const port = await listenOnLoopback(server);
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${port}/mcp`, asked, expire: () => (session += 1) };
}

for (const status of [404, 400])
  test(`a session that has expired is opened again, and the call that it refused runs once (${status})`, async () => {
    const { url, asked, expire } = await sessionServer(status);
    const { tools } = await listed(opened(overHttp(url, {})));
    assert.equal(textOf(await call(tools, 'good')), 'in s1');
    expire();
    assert.equal(textOf(await call(tools, 'good')), 'in s2');
    assert.equal(asked.filter(({ method, session }) => method === 'tools/call' && session === 's2').length, 1);
  });

/** A server of the first protocol over HTTP: answers come on one stream of events, whose first event names the address of requests. */
async function eventServer(): Promise<string> {
  const server = createServer((request, response) => {
    if (request.method === 'GET' && request.url === '/sse') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('event: endpoint\ndata: /messages\n\n');
      stream = response;
      return;
    }
    if (request.url !== '/messages') return void response.writeHead(405).end();
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => void parts.push(part));
    request.on('end', () => {
      response.writeHead(202).end();
      const { id, method } = JSON.parse(Buffer.concat(parts).toString()) as { id?: number; method: string };
      const result = EVENTS[method];
      if (id === undefined || result === undefined) return;
      const event = `event: message\ndata: {"jsonrpc":"2.0","id":${id},"result":${result}}\n\n`;
      // The stream may cut an event anywhere.
      stream?.write(event.slice(0, 40));
      setImmediate(() => stream?.write(event.slice(40)));
    });
  });
  let stream: ServerResponse | null = null;
  const port = await listenOnLoopback(server);
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${port}/sse`;
}

const EVENTS: Readonly<Record<string, string>> = {
  initialize: '{"protocolVersion":"2024-11-05","capabilities":{"tools":{}},"serverInfo":{"name":"e","version":"1"}}',
  'tools/list': '{"tools":[{"name":"good","inputSchema":{}}]}',
  'tools/call': '{"content":[],"structuredContent":{"id":2512292042121000001}}',
};

test('an HTTP server of the first protocol is reached by its stream of events, and integers keep their digits', async () => {
  const { tools } = await listed(opened(overHttp(await eventServer(), {})));
  assert.equal(textOf(await call(tools, 'good')), '{"id":"2512292042121000001"}');
});
