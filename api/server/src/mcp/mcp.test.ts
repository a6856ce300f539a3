/**
 * The village as an MCP server, used by the SDK's own client in both generations of the protocol, on a real village.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { pluck } from '@hamlet/test/env/pluck';
import { TOKENS, testVillage } from '../testing/test-village.ts';
import { MCP_TOOLS } from './mcp-tools.ts';

const village = await testVillage();
const urls = await village.startReplica({ HAMLET_AGENTS_LISTEN: '127.0.0.1:0' });

type Mode = 'legacy' | 'auto';

async function withClient<T>(token: string, use: (client: Client) => Promise<T>, mode: Mode = 'auto'): Promise<T> {
  const client = new Client({ name: 'assistant', version: '1' }, { versionNegotiation: { mode } });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', urls.peopleUrl), { requestInit }));
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

interface Answer {
  readonly isError: boolean;
  readonly text: string;
}

async function call(client: Client, name: string, args: Record<string, unknown> = {}): Promise<Answer> {
  const { isError = false, content } = await client.callTool({ name, arguments: args });
  const [first] = content;
  return { isError, text: first?.type === 'text' ? first.text : '' };
}

const post = (body: unknown): Promise<Response> =>
  fetch(new URL('/mcp', urls.peopleUrl), {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKENS.member}` },
    body: JSON.stringify(body),
  });

for (const mode of ['legacy', 'auto'] as const)
  test(`a client of the generation ${mode} lists the tools and gives a run, which another call reads`, async () => {
    await withClient(
      TOKENS.member,
      async (client) => {
        const { tools } = await client.listTools();
        assert.deepEqual(pluck(tools, 'name'), Object.keys(MCP_TOOLS));
        const started = await call(client, 'start_run', { agent_id: 'ada', prompt: 'Go to the café.' });
        const { run } = JSON.parse(started.text) as { run: { run_id: string } };
        const read = JSON.parse((await call(client, 'read_run', { run_id: run.run_id })).text) as typeof started & {
          run: { state: string; prompt: string };
        };
        assert.deepEqual([read.run.state, read.run.prompt], ['queued', 'Go to the café.']);
      },
      mode,
    );
  });

test('agents are listed briefly; a repeated call with the same key creates one post', async () => {
  await withClient(TOKENS.admin, async (client) => {
    const { agents } = JSON.parse((await call(client, 'list_agents')).text) as { agents: Record<string, unknown>[] };
    assert.deepEqual(agents.map(({ agent_id }) => agent_id).toSorted(), ['ada', 'bob', 'cleo', 'dan', 'eve', 'fay']);
    assert.equal('persona' in (agents[0] ?? {}), false);
    const wanted = { title: 'Bread', body: 'Who bakes?', tags: ['bread'], idempotency_key: 'k1' };
    const first = await call(client, 'post', wanted);
    assert.equal(first.isError, false, first.text);
    assert.deepEqual(JSON.parse((await call(client, 'post', wanted)).text), JSON.parse(first.text));
    const board = JSON.parse((await call(client, 'read_board', { tag: 'bread' })).text) as { posts: object[] };
    assert.equal(board.posts.length, 1);
    const { post_id } = JSON.parse(first.text) as { post_id: string };
    const thread = JSON.parse((await call(client, 'read_board', { post_id })).text) as { replies: object[] };
    assert.deepEqual(thread.replies, []);
    const other = await call(client, 'post', { ...wanted, body: 'Another text' });
    assert.match(other.text, /^idempotency_key_reused: /);
  });
});

test('a refusal of the village is a result with its code; wrong arguments name the field', async () => {
  await withClient(TOKENS.member, async (client) => {
    const missing = await call(client, 'start_run', { agent_id: 'nemo', prompt: 'Swim.' });
    assert.deepEqual([missing.isError, missing.text.startsWith('no_such_agent: ')], [true, true]);
    const wrong = await call(client, 'start_run', { agent_id: 'ada' });
    assert.deepEqual([wrong.isError, wrong.text.includes('prompt')], [true, true]);
    const more = await call(client, 'read_board', { limit: 21 });
    assert.deepEqual([more.isError, more.text.includes('limit')], [true, true]);
  });
});

test('the server refuses sessions, streams, batches and messages above the size limit', async () => {
  assert.equal((await fetch(new URL('/mcp', urls.peopleUrl))).status, 405);
  assert.equal((await post([{ jsonrpc: '2.0', id: 1, method: 'tools/list' }])).status, 400);
  assert.equal((await post({ jsonrpc: '2.0', method: 'notifications/initialized' })).status, 202);
  assert.equal((await post({ jsonrpc: '2.0', id: 1, method: 'x', params: { long: 'x'.repeat(300_000) } })).status, 413);
  const listed = await post({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  assert.deepEqual([listed.status, listed.headers.get('mcp-session-id')], [200, null]);
  const unknown = await post({ jsonrpc: '2.0', id: 7, method: 'no/such/method' });
  assert.match(await unknown.text(), /-32601/);
});

test("each tool's request counts towards the quota, in addition to callMcp", async () => {
  const limited = await village.startReplica({ HAMLET_RATE_LIMIT: '6' });
  const answers: string[] = [];
  for (let index = 1; index <= 6; index += 1) {
    const message = { jsonrpc: '2.0', id: index, method: 'tools/call', params: { name: 'list_agents', arguments: {} } };
    const response = await fetch(new URL('/mcp', limited.peopleUrl), {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKENS.admin}` },
      body: JSON.stringify(message),
    });
    answers.push(await response.text());
  }
  assert.deepEqual(
    answers.map((text) => text.includes('rate_limited')),
    [false, false, false, true, true, true],
  );
});
