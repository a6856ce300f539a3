/** Tools of manifests that a host carries out with its own. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { defineTool, type CallContext, type Tool, type ToolDefinition } from '../../effects/tool.ts';
import type { SafeMode } from './check-tool-call.ts';
import { toolsOf, type ToolManifests } from './tools-of.ts';

const MANIFESTS: ToolManifests = {
  permissions: { filesystem: { read: ['**'], write: ['out/**'] } },
  tools: [
    { id: 'save', uses: 'filesystem.write_file', timeout_s: 5 },
    {
      id: 'pay',
      uses: 'handler',
      description: 'Pays.',
      // The host knows better.
      effect: 'read',
      timeout_s: 5,
      input: { type: 'object', properties: { amount: { type: 'integer' } }, required: ['amount'] },
    },
  ],
  agents: [],
};

type Verifying = Extract<ToolDefinition<unknown>, { effect: 'verify' }>;

const done: string[] = [];
const host = defineTool<unknown>({
  name: 'of the host',
  description: 'Of the host.',
  input: z.unknown(),
  effect: 'verify',
  timeoutMs: 77,
  polls: true,
  execute: async (input) => {
    done.push(JSON.stringify(input));
    return { kind: 'needs_permission', reason: 'A person decides.' };
  },
  verify: async () => ({ kind: 'not_done' }),
} satisfies Verifying);

function toolOf(id: string, mode: SafeMode | null = null): Tool {
  const tools = toolsOf({ manifests: MANIFESTS, toolFor: () => host, agent: null, mode });
  return tools.find(({ name }) => name === id) ?? assert.fail(`no tool ${id}`);
}

function callOf(tool: Tool, input: unknown) {
  const prepared = tool.prepare(input);
  return prepared.ok ? prepared.call : assert.fail(JSON.stringify(prepared.outcome));
}

const context = {} as CallContext;

test('a tool has its name, description and arguments of the manifests, and effect, time and results of the host', async () => {
  const tool = toolOf('pay');
  assert.deepEqual(
    [tool.name, tool.description, tool.effect, tool.timeoutMs, tool.polls],
    ['pay', 'Pays.', 'verify', 77, true],
  );
  assert.equal(tool.prepare({ amount: 'much' }).ok, false);
  const call = callOf(tool, { amount: '5' });
  assert.deepEqual(await call.execute(context), { kind: 'needs_permission', reason: 'A person decides.' });
  assert.deepEqual(await call.verify(context), { kind: 'not_done' });
  assert.deepEqual(done.splice(0), ['{"amount":5}']);
});

test('permissions of the manifests are judged before the host', () => {
  const prepared = toolOf('save').prepare({ path: 'src/a.ts', content: '' });
  assert.partialDeepStrictEqual(prepared, { ok: false, outcome: { kind: 'denied', code: 'path_not_permitted' } });
  assert.equal(toolOf('save').prepare({ path: 'out/a.ts', content: '' }).ok, true);
});

test('a safe mode judges by the effect that the host says, and a dry run never reaches it', async () => {
  const denied = toolOf('pay', 'analysis_only').prepare({ amount: 5 });
  assert.partialDeepStrictEqual(denied, { ok: false, outcome: { kind: 'denied', code: 'analysis_only' } });
  const planned = await callOf(toolOf('pay', 'dry_run'), { amount: 5 }).execute(context);
  assert.ok(planned.kind === 'ok');
  assert.deepEqual(JSON.parse(planned.text), { planned: true, tool: 'pay', arguments: { amount: 5 }, mutations: [] });
  assert.deepEqual(done, []);
});
