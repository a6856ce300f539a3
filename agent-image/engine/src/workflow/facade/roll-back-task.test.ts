/** The bounds of built-in tools in a folder with its own manifests, and rollbacks of whole tasks. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { manifestFolders } from '../../testing/manifest-folders.ts';
import { calls, says, scriptedModel } from '../../testing/scripted-model.ts';
import { Engine } from './engine.ts';

const aFolder = manifestFolders('bounds');

const TOOLS = `
permissions: { filesystem: { read: ["**"] } }
tools:
  - { id: read, uses: filesystem.read_file }
  - { id: write, uses: filesystem.write_file, permissions: { filesystem: { write: ["**"] } } }
`;

const workflowOf = (nodes: string, edges = '[]'): string => `workflow: { id: w, nodes: [${nodes}], edges: ${edges} }`;
const writing = (path: string): string =>
  workflowOf(`{ id: put, role: tool, tool: write, input: { path: "${path}", content: new } }`);

test('tools neither reach the data of the engine nor write the manifests, and a denial names the line of a manifest', async () => {
  for (const path of ['.hamlet/kept/x', 'tools.yaml', 'pipelines.yaml']) {
    const engine = await Engine.fromConfigDir(aFolder({ 'tools.yaml': TOOLS, 'workflow.yaml': writing(path) }));
    const task = await engine.runOne({ input: null });
    assert.deepEqual([task.failure?.category, task.failure?.code], ['permission', 'path_not_permitted'], path);
    await engine.close();
  }
  const narrow = TOOLS.replace('write: ["**"]', 'write: ["b"]');
  const engine = await Engine.fromConfigDir(aFolder({ 'tools.yaml': narrow, 'workflow.yaml': writing('a') }));
  const task = await engine.runOne({ input: null });
  assert.match(
    task.failure?.message ?? '',
    /no entry of tools\.yaml:5 \(tools\[1\]\.permissions\.filesystem\.write\) fits/,
  );
  await engine.close();
});

test('a rollback of a task restores the files that its tools and its agents changed', async () => {
  const agents = `
agents: [{ id: editor, instructions: Edit., model: fast, tools: [write] }]
models: [{ id: fast, provider: openai, name: test }]
`;
  const nodes = `
    { id: put, role: tool, tool: write, input: { path: a, content: by the stage } },
    { id: edit, role: agent, agent: editor }`;
  const dir = aFolder({
    'tools.yaml': TOOLS,
    'agents.yaml': agents,
    'workflow.yaml': workflowOf(nodes, '[{ from: put, to: edit }]'),
    a: 'first',
  });
  const models = scriptedModel([
    calls(['write', { path: 'a', content: 'by the agent' }], ['write', { path: 'new/b', content: 'x' }]),
    says('done'),
  ]);
  const engine = await Engine.fromConfigDir(dir, { models });
  const task = await engine.runOne({ input: null });
  assert.equal(task.status, 'COMPLETED', JSON.stringify(task.failure));
  assert.equal(readFileSync(join(dir, 'a'), 'utf8'), 'by the agent');
  const ends = await engine.rollbackTask(task.id);
  assert.deepEqual(
    ends.map(({ path, ok }) => [path, ok]),
    [
      ['new/b', true],
      ['a', true],
      ['a', true],
    ],
  );
  assert.equal(readFileSync(join(dir, 'a'), 'utf8'), 'first');
  assert.ok(!existsSync(join(dir, 'new/b')));
  const again = await engine.rollbackTask(task.id);
  assert.ok(again.every((end) => !end.ok && end.outcome.kind === 'failed' && end.outcome.code === 'changed'));
  await engine.close();
});
