/** The façade under faults: manifests with which the opening fails, concurrent callers, values that are not JSON. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { manifestFolders } from '../../testing/manifest-folders.ts';
import { scriptedModel } from '../../testing/scripted-model.ts';
import type { Override } from '../route/override.ts';
import type { ToolHandler } from '../tools/tool-handler.ts';
import { Engine } from './engine.ts';
import { EngineError, type EngineErrorCode } from './engine-error.ts';

const aFolder = manifestFolders('workflow-faults');

const TOOLS = `
tools:
  - { id: make, uses: handler, description: Makes a value., effect: read, input: { type: object } }
`;
const WORKFLOW = `
workflow: { id: one, nodes: [{ id: start, role: tool, tool: make, input: {} }] }
`;
const FILES = { 'tools.yaml': TOOLS, 'workflow.yaml': WORKFLOW };

async function opened(dir: string, handler: ToolHandler): Promise<Engine> {
  const engine = await Engine.fromConfigDir(dir, { models: scriptedModel([]) });
  engine.registerToolHandler('make', handler);
  return engine;
}

const rejectsWith = (work: Promise<unknown>, code: EngineErrorCode): Promise<void> =>
  assert.rejects(work, (error) => error instanceof EngineError && error.code === code);

test('an opening that fails leaves the data free', async () => {
  const dir = aFolder({ ...FILES, 'plugins.yaml': 'plugins: [{ id: x, uses: nothing_known }]' });
  await rejectsWith(Engine.fromConfigDir(dir), 'config_error');
  writeFileSync(join(dir, 'plugins.yaml'), 'plugins: []');
  await (await Engine.fromConfigDir(dir)).close();
});

test('two callers of one task see the same end', async () => {
  const engine = await opened(aFolder(FILES), async () => 1);
  let ends = 0;
  engine.register({ id: 'ends', hooksVersion: 1, hooks: { after_task: () => void (ends += 1) } });
  const { id } = await engine.createTask({ input: null });
  const both = await Promise.all([engine.runTask(id), engine.runTask(id)]);
  assert.deepEqual(
    both.map(({ status }) => status),
    ['COMPLETED', 'COMPLETED'],
  );
  await engine.close();
  assert.equal(ends, 1);
});

test('values that are not JSON are refused, or fail their stage', async () => {
  const loop: { self?: unknown } = {};
  loop.self = loop;
  let value: unknown = 1n;
  const engine = await opened(aFolder(FILES), async () => value);
  for (const input of [loop, 1n]) await rejectsWith(engine.createTask({ input }), 'input_invalid');
  const overrides = [{ kind: 'none' } as unknown as Override];
  await rejectsWith(engine.createTask({ input: 1, overrides }), 'input_invalid');
  for (value of [1n, loop, Symbol('x'), () => {}])
    assert.partialDeepStrictEqual(await engine.runOne({ input: 1 }), { failure: { code: 'bad_output' } });
  value = JSON.parse('['.repeat(20_000) + ']'.repeat(20_000));
  assert.equal((await engine.runOne({ input: 1 })).status, 'COMPLETED');
  await engine.close();
});

test('a task whose pipeline is gone says that its manifests have changed', async () => {
  const pipelines = (id: string): string => `pipelines: [{ id: ${id} }]`;
  const dir = aFolder({ ...FILES, 'pipelines.yaml': pipelines('old') });
  const first = await opened(dir, async () => 1);
  const { id } = await first.createTask({ input: 1 });
  await first.close();
  writeFileSync(join(dir, 'pipelines.yaml'), pipelines('fresh'));
  const second = await opened(dir, async () => 1);
  await rejectsWith(second.runTask(id), 'plan_changed');
  await second.close();
});

test('a task that the end of its engine interrupts waits for another one', async () => {
  const dir = aFolder(FILES);
  const begun = Promise.withResolvers<void>();
  const first = await opened(dir, async () => {
    begun.resolve();
    return new Promise(() => {});
  });
  const { id } = await first.createTask({ input: 1 });
  const running = first.runTask(id);
  const task = running.then(({ waiting }) => waiting);
  await begun.promise;
  await first.close();
  assert.deepEqual(await task, { for: 'engine' });
  const second = await opened(dir, async () => 7);
  assert.equal((await second.runTask(id)).status, 'COMPLETED');
  await second.close();
});

test('a task is repeated only from before the edges that have changed', async () => {
  const stages = (edges: string): string => `
workflow:
  id: one
  nodes:
    - { id: a, role: linear, output: "=input + 1" }
    - { id: b, role: linear, output: "=input * 10" }
    - { id: c, role: linear }
  edges: ${edges}
`;
  const dir = aFolder({ 'workflow.yaml': stages('[{ from: a, to: c }, { from: b, to: c, type: error }]') });
  const first = await Engine.fromConfigDir(dir);
  const { id, output } = await first.runOne({ input: 1 });
  assert.deepEqual(output, { b: 10, c: 2 });
  await first.close();
  writeFileSync(join(dir, 'workflow.yaml'), stages('[{ from: a, to: b }, { from: b, to: c }]'));
  const second = await Engine.fromConfigDir(dir);
  await rejectsWith(second.rerunTask(id, { stage: 'c' }), 'plan_changed');
  const again = await second.rerunTask(id, { stage: 'a' });
  assert.equal((await second.runTask(again.id)).output, 20);
  await second.close();
});
