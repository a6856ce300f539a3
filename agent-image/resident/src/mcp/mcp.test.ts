/**
 * Tools of MCP servers: real programs under a real supervisor, and a server over HTTP. Each failure has a cause, and the next
 * call works.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { listenOnLoopback } from '@hamlet/test/env/net/loopback';
import { pluck } from '@hamlet/test/env/pluck';
import { setTimeout as delay } from 'node:timers/promises';
import { untilEnd } from '@hamlet/test/env/at-end';
import type { CallContext, Tool, ToolOutcome } from '@hamlet/engine';
import { startHands } from '@hamlet/test/env/hands/start-hands';
import { z } from 'zod';
import { NO_CALL_LOG, callContext } from '../testing/a-hands-kit.ts';
import { startHandsProcess } from '../hands/hands-process.ts';
import { createMcpServer, type McpServer } from './mcp-server.ts';
import { listedTools, type ServedTools } from './mcp-tools.ts';
import { overHttp } from './open-servers.ts';
import { mcpProgram, processTransport } from './process-transport.ts';

const PROGRAM = join(import.meta.dirname, './testing/mcp-program.ts');
const hands = untilEnd(await startHands());

function program(mode: string): McpServer {
  const place = { socket: hands.socket, cwd: hands.workspace, environmentOf: () => ({}) };
  const argv = [process.execPath, PROGRAM, mode];
  return untilEnd(
    createMcpServer(mode, () => processTransport(() => startHandsProcess(place, mcpProgram(mode, argv)))),
  );
}

interface Offered {
  readonly tools: readonly Tool[];
  /** Why the server has no tools, or lacks some. */
  readonly why: readonly string[];
}

async function offer(server: McpServer, fields: Partial<ServedTools> = {}): Promise<Offered> {
  const listed = await listedTools({
    server,
    only: null,
    readsOnly: false,
    timeoutMs: 60_000,
    calls: NO_CALL_LOG,
    ...fields,
  });
  if (listed.ok) return { tools: listed.tools, why: listed.leftOut };
  return { tools: [], why: [`${listed.fault.code}: ${listed.fault.message}`] };
}

const context = (signal = new AbortController().signal): CallContext => callContext({ call: '1', signal });

async function call({ tools }: Offered, name: string, args: unknown = {}): Promise<ToolOutcome> {
  const tool = tools.find((each) => each.name.endsWith(`__${name}`));
  assert.ok(tool !== undefined, `no tool ${name}`);
  const prepared = tool.prepare(args);
  if (!prepared.ok) return prepared.outcome;
  const outcome = await prepared.call.execute(context());
  assert.ok(outcome.kind !== 'needs_permission' && outcome.kind !== 'parked');
  return outcome;
}

const textOf = (outcome: ToolOutcome): string => ('text' in outcome ? outcome.text : JSON.stringify(outcome));

test("the result of a call lists the broker's refusals to the server", async () => {
  const line = 'egress_denied: closed; ask an admin';
  const offered = await offer(program('good'), { refused: () => [line] });
  const text = textOf(await call(offered, 'echo', { text: 'bread' }));
  assert.match(text, /^While it ran[^]*- egress_denied: closed; ask an admin\nbread \(/);
});

test("a program's tools carry its name, and their arguments are checked by its schema", async () => {
  const offered = await offer(program('good'));
  assert.deepEqual(
    pluck(offered.tools, 'name', 'effect'),
    ['bad_name_', 'broken', 'die', 'echo', 'fail', 'hang', 'huge', 'long', 'shape'].map((name) => [
      `mcp__good__${name}`,
      'once',
    ]),
  );
  const said = await call(offered, 'echo', { text: 'bread' });
  assert.deepEqual([said.kind, textOf(said).startsWith('bread (')], ['ok', true]);
  const wrong = await call(offered, 'echo', { text: [3] });
  assert.deepEqual([wrong.kind, textOf(wrong).includes('string')], ['invalid_input', true]);
  assert.equal((await call(offered, 'echo', {})).kind, 'invalid_input');
  const echo = offered.tools.find(({ name }) => name === 'mcp__good__echo');
  const schema = z.toJSONSchema(echo?.input ?? z.never(), { io: 'input', unrepresentable: 'any' });
  assert.deepEqual(schema['properties'], { text: { type: 'string', minLength: 1 } });
  assert.deepEqual(schema['required'], ['text']);
});

test('a server that dies in a call leaves the outcome unknown with a reason; the next call restarts it', async () => {
  const offered = await offer(program('good'));
  const first = textOf(await call(offered, 'echo', { text: 'a' }));
  const died = await call(offered, 'die');
  assert.equal(died.kind, 'unknown');
  assert.match(textOf(died), /good ended: .*ended with code 7; its last words: the roof fell in/);
  const again = await call(offered, 'echo', { text: 'a' });
  assert.equal(again.kind, 'ok');
  assert.notEqual(textOf(again), first);
});

test('calls without changes fail with a code instead, and may be repeated', async () => {
  const server = program('good');
  const offered = await offer(server, { readsOnly: true });
  const outcome = await call(offered, 'die');
  assert.deepEqual([outcome.kind, 'code' in outcome && outcome.code], ['failed', 'mcp_died']);
  const late = await call(await offer(server, { readsOnly: true, timeoutMs: 300 }), 'hang');
  assert.deepEqual([late.kind, 'code' in late && late.code], ['failed', 'mcp_timed_out']);
  assert.equal(offered.tools[0]?.effect, 'read');
});

test('a call of a hanging server ends at its timeout, and other calls succeed', async () => {
  const offered = await offer(program('good'), { timeoutMs: 300 });
  const outcome = await call(offered, 'hang');
  assert.equal(outcome.kind, 'unknown');
  assert.match(textOf(outcome), /good does not answer/);
  assert.equal((await offer(program('good'))).tools.length, 9);
});

test("an answer that violates the protocol fails with a cause; one that differs from the tool's schema is shown", async () => {
  const offered = await offer(program('good'), { readsOnly: true });
  const broken = await call(offered, 'broken');
  assert.deepEqual([broken.kind, 'code' in broken && broken.code], ['failed', 'mcp_broken_answer']);
  assert.deepEqual(await call(offered, 'shape'), { kind: 'ok', text: '{"text":3}', untrusted: true });
  assert.deepEqual(await call(offered, 'fail'), {
    kind: 'failed',
    code: 'mcp_tool_failed',
    text: 'no such file',
    untrusted: true,
  });
});

test('long answers are shortened; an even longer one fails alone, and the server continues', async () => {
  const offered = await offer(program('good'), { readsOnly: true });
  const pid = textOf(await call(offered, 'echo', { text: 'a' }));
  assert.match(textOf(await call(offered, 'long')), /^x+\n\[… 137856 characters left out …\]$/);
  const huge = await call(offered, 'huge');
  assert.deepEqual([huge.kind, 'code' in huge && huge.code], ['failed', 'mcp_refused']);
  assert.match(textOf(huge), /longer than 16 MiB: ask for less/);
  assert.equal(textOf(await call(offered, 'echo', { text: 'a' })), pid);
  await call(offered, 'huge');
  const renewed = await call(offered, 'echo', { text: 'a' });
  assert.equal(renewed.kind, 'ok');
  assert.notEqual(textOf(renewed), pid, 'a program that has printed much starts again before its output is full');
});

test('the tools of a server that does not start or lists none are missing, with a cause; other output of the server is ignored', async () => {
  const causes: Readonly<Record<string, RegExp>> = {
    'dies-at-start': /does not start: .*ended with code 3; its last words: no configuration/,
    'bad-list': /violates the protocol/,
  };
  for (const [mode, cause] of Object.entries(causes)) {
    const { tools, why } = await offer(program(mode));
    assert.deepEqual([mode, tools.length, why.length], [mode, 0, 1]);
    assert.match(why[0] ?? '', cause);
  }
  for (const mode of ['greets', 'noise']) assert.equal((await offer(program(mode))).tools.length, 9);
});

test('the number of tools is limited, their order does not depend on the server, and the Agent can select them', async () => {
  const many = await offer(program('many'));
  assert.deepEqual([many.tools.length, many.why.length], [128, 1]);
  assert.match(many.why[0] ?? '', /22 more than 128/);
  const names = (await offer(program('shuffled'))).tools.map(({ name }) => name.replace('shuffled', 'good'));
  const good = await offer(program('good'));
  assert.deepEqual(
    names,
    good.tools.map(({ name }) => name),
  );
  const chosen = await offer(program('good'), { only: ['echo', 'bad name!', 'mcp__good__fail'] });
  assert.deepEqual(pluck(chosen.tools, 'name'), ['mcp__good__bad_name_', 'mcp__good__echo', 'mcp__good__fail']);
  assert.match(chosen.tools[0]?.description ?? '', /^\(bad name!\) /);
});

test('starting a server ends the program that a killed resident left behind', async () => {
  const pidOf = async (server: McpServer): Promise<string> =>
    /\((\d+)\)/.exec(textOf(await call(await offer(server), 'echo', { text: 'a' })))?.[1] ?? '';
  const left = await pidOf(program('good'));
  const next = await pidOf(program('good'));
  assert.notEqual(left, next);
  while (existsSync(`/proc/${left}`)) await delay(10);
  assert.ok(existsSync(`/proc/${next}`));
});

test('without hands the server is unreachable and nothing is done', async () => {
  const place = { socket: join(hands.workspace, 'none.sock'), cwd: '/', environmentOf: () => ({}) };
  const dial = () => processTransport(() => startHandsProcess(place, mcpProgram('x', ['x'])));
  const { tools, why } = await offer(createMcpServer('x', dial));
  assert.deepEqual([tools.length, why[0]?.split(':')[0]], [0, 'mcp_unreachable']);
});

const listen = async (server: Server): Promise<string> => `http://127.0.0.1:${await listenOnLoopback(server)}/mcp`;

/** A server without sessions that answers in JSON, optionally after a pause; `body` creates the answer to a call. */
function httpServer(body: () => string, pauseMs = 0): Server {
  return createServer((request, response) => {
    let sent = '';
    request.on('data', (part: Buffer) => (sent += part.toString()));
    request.on('end', () => {
      if (request.method !== 'POST') return response.writeHead(405).end();
      const { id, method } = JSON.parse(sent) as { id?: number; method: string };
      const results: Readonly<Record<string, () => unknown>> = {
        initialize: () => ({
          protocolVersion: '2025-06-18',
          capabilities: { tools: {} },
          serverInfo: { name: 'web', version: '1' },
        }),
        'tools/list': () => ({ tools: [{ name: 'get', inputSchema: { type: 'object' } }] }),
        'tools/call': () => ({ content: [{ type: 'text', text: body() }] }),
      };
      const result = results[method]?.();
      if (id === undefined) return response.writeHead(202).end();
      response.writeHead(200, { 'content-type': 'application/json' });
      const error = { code: -32_601, message: 'Method not found' };
      const answer = JSON.stringify({ jsonrpc: '2.0', id, ...(result === undefined ? { error } : { result }) });
      return void setTimeout(() => response.end(answer), pauseMs);
    });
  });
}

const web = (url: string, environment: Record<string, string> = {}): McpServer =>
  createMcpServer('web', overHttp(url, environment));

test('the tools of an older or slow program that is silent at first, and of a slow HTTP server, arrive', async () => {
  const server = httpServer(() => 'late', 4_000);
  const url = await listen(server);
  const [older, slow] = await Promise.all([offer(program('older')), offer(web(url))]);
  assert.deepEqual([older.tools.length, slow.tools.length], [9, 1], JSON.stringify([older.why, slow.why]));
  server.close();
  server.closeAllConnections();
});

test('an HTTP server answers, also through a proxy; an overlong answer or a lost server has a cause', async () => {
  let text = 'fresh bread';
  const server = httpServer(() => text);
  const url = await listen(server);
  const seen: string[] = [];
  const proxy = createServer((request, response) => {
    seen.push(request.headers['proxy-authorization'] ?? '');
    const target = new URL(request.url ?? '');
    void fetch(target.href, {
      method: request.method ?? 'GET',
      headers: { 'content-type': 'application/json', accept: request.headers.accept ?? '' },
      ...(request.method === 'POST' ? { body: request, duplex: 'half' } : {}),
    } as RequestInit).then(async (answer) => {
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
      response.end(await answer.text());
    });
  });
  const at = new URL(await listen(proxy));
  const through = await offer(web(url, { HTTP_PROXY: `http://mcp%2Fweb:x@${at.host}` }));
  assert.equal(textOf(await call(through, 'get')), 'fresh bread');
  assert.ok(seen.length >= 3 && seen.every((each) => each === `Basic ${Buffer.from('mcp/web:x').toString('base64')}`));
  const offered = await offer(web(url), { readsOnly: true });
  text = 'x'.repeat(17 << 20);
  const long = await call(offered, 'get');
  assert.equal(long.kind, 'failed');
  server.close();
  server.closeAllConnections();
  const gone = await call(offered, 'get');
  assert.deepEqual([gone.kind, textOf(gone).includes('Nothing was done')], ['unavailable', true]);
  proxy.close();
  proxy.closeAllConnections();
});
