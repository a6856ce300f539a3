/** Values of strangers and handlers that misbehave. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { testFolder } from '@hamlet/test/env/at-end';
import { scriptedModel } from '../../testing/scripted-model.ts';
import type { ToolHandler } from '../tools/tool-handler.ts';
import { Engine } from './engine.ts';
import { EngineError } from './engine-error.ts';
import type { Task } from './task.ts';

const folder = testFolder('workflow-hostile');
let folders = 0;

type Given = Readonly<{ workflow: string; handler?: ToolHandler; timeoutS?: number }>;

async function opened({ workflow, handler = async (input) => input, timeoutS = 10 }: Given): Promise<Engine> {
  const dir = join(folder, `${(folders += 1)}`);
  mkdirSync(dir);
  writeFileSync(
    join(dir, 'tools.yaml'),
    `tools: [{ id: act, uses: handler, description: Acts., effect: read, timeout_s: ${timeoutS}, input: {} }]`,
  );
  writeFileSync(join(dir, 'workflow.yaml'), `workflow: { id: hostile, ${workflow} }`);
  const engine = await Engine.fromConfigDir(dir, { models: scriptedModel([]) });
  engine.registerToolHandler('act', handler);
  return engine;
}

async function ended(given: Given, input: unknown): Promise<Task> {
  const engine = await opened(given);
  const task = await engine.runOne({ input });
  await engine.close();
  return task;
}

const ACT = 'nodes: [{ id: act, role: tool, tool: act, input: { given: "=input" } }]';

test('a value that looks like an expression stays a text', async () => {
  const input = ['=task.id', '==task.id', { '=task.id': '={}' }];
  const { output } = await ended({ workflow: ACT }, input);
  assert.deepEqual(output, { given: input });
});

test('a value with the keys of a prototype changes no other value', async () => {
  const input: unknown = JSON.parse('{"__proto__": {"admin": true}, "constructor": {"prototype": {"admin": true}}}');
  const workflow = `nodes: [
    { id: pass, role: linear },
    { id: ask, role: linear, output: "={'admin': has(input.admin), 'other': has(task.admin)}" }
  ], edges: [{ from: pass, to: ask }]`;
  const { output, stages } = await ended({ workflow }, input);
  assert.deepEqual(output, { admin: false, other: false });
  assert.equal(JSON.stringify(stages[0]?.output), JSON.stringify(input));
  assert.equal(Object.hasOwn(Object.prototype, 'admin'), false);
});

const FAULTS: readonly Readonly<{ of: string; handler: ToolHandler; code: string; timeoutS?: number }>[] = [
  { of: 'throws', handler: () => Promise.reject(new Error('No.')), code: 'handler_failed' },
  {
    of: 'throws no error',
    // oxlint-disable-next-line no-throw-literal, typescript/prefer-promise-reject-errors -- a handler may
    handler: () => Promise.reject('No.'),
    code: 'handler_failed',
  },
  { of: 'never ends', handler: () => new Promise(() => {}), code: 'timed_out', timeoutS: 0.05 },
  { of: 'gives no JSON', handler: async () => 1n, code: 'bad_output' },
  { of: 'gives too much', handler: async () => 'x'.repeat(2_000_000), code: 'too_large' },
];

for (const { of, handler, code, timeoutS } of FAULTS)
  test(`a handler that ${of} fails its stage as a tool, and the error edge is taken`, async () => {
    const workflow = `nodes: [
      { id: act, role: tool, tool: act }, { id: report, role: linear, output: "=input.failure" }
    ], edges: [{ from: act, to: report, type: error }]`;
    const { status, output } = await ended({ workflow, handler, ...(timeoutS && { timeoutS }) }, {});
    assert.equal(status, 'COMPLETED');
    assert.partialDeepStrictEqual(output, { stage: 'act', category: 'tool', code });
  });

test('a stage ends at its own limit of time, if that is shorter than that of its tool', async () => {
  const workflow = 'nodes: [{ id: act, role: tool, tool: act, timeout_s: 0.05 }]';
  const { status, failure } = await ended({ workflow, handler: () => new Promise(() => {}) }, {});
  assert.equal(status, 'FAILED');
  assert.partialDeepStrictEqual(failure, { stageId: 'act', category: 'tool', code: 'timed_out' });
});

test('a stage with a hundred edges away is followed by all of their targets', async () => {
  const ids = Array.from({ length: 100 }, (_, index) => `b${index}`);
  const nodes = [
    '{ id: in, role: linear }',
    ...ids.map((id) => `{ id: ${id}, role: linear }`),
    '{ id: all, role: merge, merge: reduce, output: "=size(inputs)" }',
  ];
  const edges = ids.flatMap((id) => [`{ from: in, to: ${id} }`, `{ from: ${id}, to: all }`]);
  const engine = await opened({ workflow: `nodes: [${nodes.join(', ')}], edges: [${edges.join(', ')}]` });
  const { id, output } = await engine.runOne({ input: 'x' });
  assert.equal(output, 100);
  assert.equal(engine.task(id).stages.length, 102);
  await engine.close();
});

test('the end of a stage that waits for a failed merge names the merge', async () => {
  const workflow = `nodes: [
    { id: a, role: linear }, { id: b, role: linear },
    { id: all, role: merge, merge: reduce, output: "=inputs[7]" }, { id: next, role: linear }
  ], edges: [{ from: a, to: all }, { from: b, to: all }, { from: all, to: next }]`;
  const { status, failure } = await ended({ workflow }, 1);
  assert.equal(status, 'FAILED');
  assert.partialDeepStrictEqual(failure, {
    stageId: 'all',
    nodeType: 'merge',
    category: 'routing',
    code: 'merge_failed',
  });
});

test('a task with an input that is too long, or an invalid id, is refused', async () => {
  const engine = await opened({ workflow: ACT });
  const refused = (error: unknown): boolean => error instanceof EngineError && error.code === 'input_invalid';
  await assert.rejects(engine.createTask({ input: 'x'.repeat(5_000_000) }), refused);
  await assert.rejects(engine.createTask({ input: 1, id: '../journal' }), refused);
  await assert.rejects(engine.createTask({ input: 1, tags: Array.from({ length: 100 }, () => 'x') }), refused);
  await engine.close();
});
