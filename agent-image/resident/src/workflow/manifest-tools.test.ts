import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { judgeCall, narrowPolicy, resolvePolicy } from '@hamlet/core';
import { defineTool, type CallContext, type Tool } from '@hamlet/engine';
import type { ManifestTool } from '@hamlet/engine/workflow/host';
import { z } from 'zod';
import { ManifestTools } from './manifest-tools.ts';

const aTool = (name: string, seen: string[] = []): Tool =>
  defineTool({
    name,
    description: name,
    input: z.looseObject({}),
    effect: 'read',
    timeoutMs: 1_000,
    execute: async (input, { args }) => {
      seen.push(`${name} ${JSON.stringify(input)} ${args}`);
      return { kind: 'ok', text: '' };
    },
  });

const toolsOf = (...tools: readonly Tool[]): ManifestTools =>
  new ManifestTools({ tools: () => tools, workspace: '/workspace' });

const builtIn = (id: string, uses: Exclude<ManifestTool['uses'], 'handler'>): ManifestTool => ({
  id,
  uses,
  timeout_s: 30,
});
const handler = (id: string): ManifestTool => ({
  id,
  uses: 'handler',
  description: id,
  effect: 'once',
  timeout_s: 30,
  input: {},
});

test('a call of a built-in tool becomes a call in the hands, with the arguments of their tool', async () => {
  const seen: string[] = [];
  const tools = toolsOf(aTool('shell', seen));
  const tool = tools.toolFor(builtIn('run', 'command.run'));
  assert.ok('prepare' in tool);
  const args = '{"argv":["git","log 1"],"folder":"a b"}';
  const prepared = tool.prepare({ argv: ['git', 'log 1'], folder: 'a b' });
  assert.ok(prepared.ok);
  await prepared.call.execute({ args } as CallContext);
  const expected = tools.translate({ tool: 'run', arguments: args });
  assert.equal(expected.tool, 'shell');
  assert.deepEqual(JSON.parse(expected.arguments), {
    timeout_s: 30,
    command: "(cd -- '/workspace/a b' || exit\ngit 'log 1'\n)",
  });
  // The village binds a permission to these arguments, so the call brings the same.
  assert.deepEqual(seen, [`shell ${expected.arguments} ${expected.arguments}`]);
});

test('a handler is the tool of the agent with its id, and calls of it do not change', () => {
  const ask = aTool('ask_human');
  const tools = toolsOf(ask);
  assert.equal(tools.toolFor(handler('ask_human')), ask);
  const call = { tool: 'ask_human', arguments: '{"question":"May I?"}' };
  assert.deepEqual(tools.translate(call), call);
});

test('a missing tool is refused with the reason and the nearest name', () => {
  const tools = toolsOf(aTool('web_search'), aTool('delegate'), aTool('post_to_board'));
  const missing = [handler('web_serch'), handler('pay'), handler('delegate'), builtIn('read', 'filesystem.read_file')];
  assert.deepEqual(
    missing.map((spec) => tools.toolFor(spec)),
    [
      { missing: 'the agent has no tool web_serch', hint: 'Write web_search.' },
      { missing: 'the agent has no tool pay', hint: 'Name one of its tools: post_to_board, web_search.' },
      { missing: 'delegate is not a tool for workflows', hint: 'Add a stage with an agent instead.' },
      {
        missing: 'filesystem.read_file needs hands, and the agent has none',
        hint: 'Set spec.hands.enabled of the Agent to true, or remove the tool.',
      },
    ],
  );
});

test('tools of the manifests have the names of the village, each once', () => {
  const tools = toolsOf(aTool('read_file'), aTool('ask_human'));
  for (const spec of [builtIn('a', 'filesystem.read_file'), builtIn('b', 'filesystem.read_file'), handler('ask_human')])
    tools.toolFor(spec);
  assert.deepEqual(tools.namesOf(['a', 'ask_human', 'b', 'unknown']), ['read_file', 'ask_human']);
});

const sha256 = (bytes: Uint8Array): Uint8Array => createHash('sha256').update(bytes).digest();

test('a worker may call the tool of an MCP server that the manifests give its agent', () => {
  const tools = toolsOf(aTool('mcp__files__read'));
  tools.toolFor(handler('mcp__files__read'));
  const agent = resolvePolicy(
    { village: [{ tools: ['read'], verdict: 'allow' }], tier: [], agent: null, mcp: { files: 'read', mail: 'read' } },
    sha256,
  );
  const policy = narrowPolicy(agent, { lists: [tools.namesOf(['mcp__files__read'])], safeMode: null }, sha256);
  const verdictOf = (tool: string) => judgeCall(policy, { tool, when: 'run' }).verdict;
  assert.deepEqual([verdictOf('mcp__files__read'), verdictOf('mcp__mail__read')], ['allow', 'deny']);
});

test('a tool of an MCP server that is starting is there once it answers, and one that its server lacks is a fault', async () => {
  let present: readonly Tool[] = [];
  const seen: string[] = [];
  const tools = new ManifestTools({ tools: () => present, workspace: '/workspace' });
  const tool = tools.toolFor(handler('mcp__files__read'));
  assert.ok('prepare' in tool);
  assert.equal(tool.effect, 'once', 'its effect is unknown until then');
  const call = async () => {
    const prepared = tool.prepare({ path: 'a' });
    assert.ok(prepared.ok);
    return prepared.call.execute({ args: '{"path":"a"}' } as CallContext);
  };
  assert.partialDeepStrictEqual(await call(), { kind: 'failed', code: 'mcp_unreachable' });
  present = [aTool('mcp__files__read', seen)];
  assert.equal((await call()).kind, 'ok');
  assert.deepEqual(seen, ['mcp__files__read {"path":"a"} {"path":"a"}']);
  assert.partialDeepStrictEqual(tools.toolFor(handler('mcp__files__rea')), { hint: 'Write mcp__files__read.' });
});
