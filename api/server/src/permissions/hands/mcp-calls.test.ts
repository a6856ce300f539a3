/** Calls of an Agent's MCP servers: the API judges them by the class that the Agent sets; without a class it asks a person. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pluck } from '@hamlet/test/env/pluck';
import { dataOf } from '@hamlet/test/env/client';
import { type Working, startPermits } from '../testing/permission-play.ts';

const ADA = `apiVersion: hamlet.village/v1alpha1
kind: Agent
metadata: { name: ada }
spec:
  entitlement: { policy: Pinned, name: tier-1 }
  mcpServers:
    - { name: files, command: [mcp-server-filesystem, /workspace], class: read, tools: [read_file] }
    - { name: tracker, url: 'https://mcp.example.org/mcp', callTimeout: 2m }
`;

const { permits } = await startPermits({ samples: { 'good-agent-ada.yaml': ADA } });

const begin = (working: Working, callId: string, tool: string) =>
  permits.begun(working, { callId, tool, args: {}, boot: 'mcp' });

test('the resident receives the servers of its Agent', async () => {
  const { mcp_servers } = await permits.play.as('ada').getAgentConfig({ agent_id: 'ada' });
  assert.deepEqual(mcp_servers, [
    {
      name: 'files',
      url: null,
      command: ['mcp-server-filesystem', '/workspace'],
      class: 'read',
      tools: ['read_file'],
      call_timeout_ms: 60_000,
    },
    {
      name: 'tracker',
      url: 'https://mcp.example.org/mcp',
      command: null,
      class: null,
      tools: null,
      call_timeout_ms: 120_000,
    },
  ]);
});

test('a call of a server with a class begins and is stored; without a class a person is asked; unlisted servers are denied', async () => {
  const working = await permits.startRun('ada');
  assert.equal(await begin(working, '1.0', 'mcp__files__read_file'), 'begun');
  assert.equal(await begin(working, '2.0', 'mcp__tracker__close_issue'), 'permission_needed');
  const denied = await permits.begin(working, { callId: '3.0', tool: 'mcp__other__anything', args: {}, boot: 'mcp' });
  assert.equal(dataOf(denied).state, 'denied');
  const { calls } = await permits.play.admin.listCalls({ run_id: working.runId });
  assert.deepEqual(
    pluck(
      calls.filter(({ state }) => state === 'begun'),
      'tool',
    ),
    ['mcp__files__read_file'],
  );
});
