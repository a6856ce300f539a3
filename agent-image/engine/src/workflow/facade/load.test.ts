/** Tasks that are many, long or large. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { testFolder } from '@hamlet/test/env/at-end';
import { cases } from '@hamlet/test/env/seeded';
import { scriptedModel } from '../../testing/scripted-model.ts';
import { Engine } from './engine.ts';

const folder = testFolder('workflow-load');
const TEXT = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const TOOLS = {
  tools: [
    { id: 'step', uses: 'handler', description: 'Makes a step.', effect: 'idempotent', input: TEXT, output: TEXT },
  ],
};

/** A folder with the workflow of a sequence of tool stages. */
function sequenceOf(name: string, stages: number): string {
  const ids = Array.from({ length: stages }, (_, at) => `s${at}`);
  const nodes = ids.map((id) => ({ id, role: 'tool', tool: 'step' }));
  const edges = ids.slice(1).map((id, index) => ({ from: ids[index], to: id }));
  const dir = join(folder, name);
  mkdirSync(dir);
  writeFileSync(join(dir, 'tools.yaml'), JSON.stringify(TOOLS));
  writeFileSync(join(dir, 'workflow.yaml'), JSON.stringify({ workflow: { id: 'sequence', nodes, edges } }));
  return dir;
}

const open = (dir: string): Promise<Engine> => Engine.fromConfigDir(dir, { models: scriptedModel([]) });
const textIn = (value: unknown): string => (value as Readonly<{ text: string }>).text;

test('a hundred tasks at once each end with their own output', async () => {
  const engine = await open(sequenceOf('at-once', 3));
  engine.registerToolHandler('step', async (input) => ({ text: `${textIn(input)}.` }));
  const tasks = Array.from({ length: 100 }, (_, index) => engine.runOne({ input: { text: `${index}` } }));
  const outputs = (await Promise.all(tasks)).map(({ output }) => textIn(output));
  assert.deepEqual(
    outputs,
    tasks.map((_, index) => `${index}...`),
  );
  await engine.close();
});

const RUNS = cases(50, 1_000);
const MAX_GROWTH_MIB = 8;

test(`${RUNS} tasks of one pipeline leave no memory behind`, async (t) => {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  assert.ok(typeof collect === 'function');
  const engine = await open(sequenceOf('many', 3));
  const inputs: WeakRef<object>[] = [];
  engine.registerToolHandler('step', async (input) => {
    inputs.push(new WeakRef(input as object));
    return { text: textIn(input) };
  });
  const heap: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const { status } = await engine.runOne({ input: { text: 'x'.repeat(10_000) } });
    assert.equal(status, 'COMPLETED');
    // A new weak reference keeps its object until the event loop turns.
    await new Promise((resolve) => setImmediate(resolve));
    if (run % (RUNS / 5) !== 0) continue;
    collect();
    heap.push(process.memoryUsage().heapUsed / 2 ** 20);
  }
  await new Promise((resolve) => setTimeout(resolve, 10));
  collect();
  t.diagnostic(`heap at each fifth of ${RUNS} tasks: ${heap.map((mib) => mib.toFixed(1)).join(', ')} MiB`);
  const alive = inputs.filter((input) => input.deref() !== undefined).length;
  assert.ok(alive <= 10, `${alive} inputs of ${inputs.length} calls are still referenced`);
  const [, warm = 0] = heap;
  assert.ok((heap.at(-1) ?? 0) - warm < MAX_GROWTH_MIB, `the heap grew: ${heap.join(', ')}`);
  await engine.close();
});

const STAGES = cases(4, 54);
const MEGABYTE = 1_000_000 - 100;

test(`a task of ${STAGES} MB is kept, and another engine loads and continues it`, async (t) => {
  const dir = sequenceOf('large', STAGES);
  const first = await open(dir);
  let made = 0;
  const half = Promise.withResolvers<void>();
  const large = (): Readonly<{ text: string }> => ({
    text: String.fromCodePoint(97 + ((made += 1) % 26)).repeat(MEGABYTE),
  });
  first.registerToolHandler('step', async (_input, { signal }) => {
    if (made < STAGES / 2) return large();
    half.resolve();
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    throw new Error('The engine closes.');
  });
  const { id } = await first.createTask({ input: { text: '' } });
  const running = first.runTask(id);
  await half.promise;
  await first.close();
  assert.equal((await running.catch(() => null))?.status ?? 'WAITING', 'WAITING');
  const second = await open(dir);
  second.registerToolHandler('step', async () => large());
  const started = performance.now();
  const { status } = await second.resumeTask(id);
  t.diagnostic(`the second half took ${(performance.now() - started).toFixed(0)} ms`);
  assert.deepEqual([status, made], ['COMPLETED', STAGES]);
  await second.close();
  const third = await open(dir);
  const loaded = third.task(id);
  const texts = loaded.stages.map(({ output }) => textIn(output));
  assert.equal(texts.join('').length, STAGES * MEGABYTE);
  assert.ok(loaded.stages.every(({ input }, index) => textIn(input) === (texts[index - 1] ?? '')));
  await third.close();
});
