import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ModelPort } from '../../loop/ports.ts';
import { manifestFolders } from '../../testing/manifest-folders.ts';
import { calls, says, scriptedModel } from '../../testing/scripted-model.ts';
import type { ToolHandler } from '../tools/tool-handler.ts';
import { Engine, type EngineOptions } from './engine.ts';
import { EngineError, type EngineErrorCode } from './engine-error.ts';

const aFolder = manifestFolders('workflow');

type Files = Readonly<Record<string, string>>;

const TOOLS = `
tools:
  - id: double
    uses: handler
    description: Doubles a number.
    effect: read
    input: { type: object, properties: { n: { type: integer } }, required: [n], additionalProperties: false }
  - id: note
    uses: handler
    description: Notes a text.
    effect: once
    input: { type: object, properties: { text: { type: string } }, required: [text] }
`;

const AGENTS = `
agents:
  - id: critic
    instructions: You judge numbers.
    model: fast
    tools: [double]
    output: { type: object, properties: { good: { type: boolean } }, required: [good] }
models:
  - { id: fast, provider: openai, name: test }
`;

const REVIEW = `
workflow:
  id: review
  nodes:
    - { id: start, role: tool, tool: double, input: { n: "=task.input.n" } }
    - { id: judge, role: agent, agent: critic, decides: true }
    - { id: good, role: linear, output: "='good'" }
    - { id: bad, role: tool, tool: note, input: { text: bad } }
  edges:
    - { from: start, to: judge }
    - { from: judge, to: good, type: conditional, when: output.good }
    - { from: judge, to: bad, type: conditional, otherwise: true }
`;

const FILES: Files = { 'tools.yaml': TOOLS, 'agents.yaml': AGENTS, 'workflow.yaml': REVIEW };
const GOOD = says('{"good": true}');
const BAD = says('{"good": false}');

const double: ToolHandler = async (input) => ({ n: (input as { n: number }).n * 2 });

type Opened = Readonly<{ engine: Engine; notes: string[] }>;

async function opened(dir: string, models: ModelPort, options: EngineOptions = {}): Promise<Opened> {
  const notes: string[] = [];
  const engine = await Engine.fromConfigDir(dir, { models, ...options });
  engine.registerToolHandler('double', double);
  engine.registerToolHandler('note', async (input) => {
    notes.push((input as { text: string }).text);
    return 'noted';
  });
  return { engine, notes };
}

const rejectsWith = (work: Promise<unknown>, code: EngineErrorCode): Promise<void> =>
  assert.rejects(work, (error) => error instanceof EngineError && error.code === code);

test('a workflow runs from its folder: tools, an agent with a schema, and a decision', async () => {
  const dir = aFolder(FILES);
  const { engine } = await opened(dir, scriptedModel([calls(['double', { n: 4 }]), GOOD]));
  const task = await engine.runOne({ input: { n: 2 } });
  assert.equal(task.status, 'COMPLETED');
  assert.equal(task.output, 'good');
  assert.deepEqual(
    task.stages.map(({ id, status }) => `${id} ${status}`),
    ['start COMPLETED', 'judge COMPLETED', 'bad SKIPPED', 'good COMPLETED'],
  );
  assert.deepEqual(task.stages[1]?.edges, ['judge->good']);
  assert.equal(task.stages[2]?.role, 'tool', 'also of a skipped stage');
  assert.equal(task.spent.steps, 2);
  await engine.close();
});

test('faults of the manifests are reported with file, line and column before any task exists', async () => {
  const dir = aFolder({ ...FILES, 'workflow.yaml': REVIEW.replace('tool: note', 'tool: nite') });
  await assert.rejects(Engine.fromConfigDir(dir), (error) => {
    assert.ok(error instanceof EngineError);
    assert.equal(error.code, 'config_error');
    assert.partialDeepStrictEqual(error.errors[0], { file: 'workflow.yaml', line: 8 });
    return true;
  });
});

test('a task is kept before it begins, and its state is there for the next process', async () => {
  const dir = aFolder(FILES);
  const first = await opened(dir, scriptedModel([GOOD]));
  const { id } = await first.engine.createTask({ input: { n: 1 } });
  assert.equal(first.engine.task(id).status, 'PENDING');
  await first.engine.close();
  const second = await opened(dir, scriptedModel([GOOD]));
  assert.equal((await second.engine.runTask(id)).status, 'COMPLETED');
  await second.engine.close();
  const third = await opened(dir, scriptedModel([]));
  assert.equal(third.engine.task(id).output, 'good');
  await rejectsWith(third.engine.createTask({ input: {}, id }), 'task_exists');
  await third.engine.close();
});

test('a task that was interrupted continues where it was; no stage is done twice', async () => {
  const dir = aFolder(FILES);
  const asked = Promise.withResolvers<void>();
  const waits: ModelPort = {
    chat: async function* (_request, signal) {
      asked.resolve();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      yield { type: 'delta', text: '' };
    },
  };
  const first = await opened(dir, waits);
  const { id } = await first.engine.createTask({ input: { n: 1 } });
  const running = first.engine.runTask(id);
  await asked.promise;
  assert.equal(first.engine.task(id).status, 'RUNNING');
  await first.engine.close();
  assert.equal((await running.catch(() => null))?.status ?? 'WAITING', 'WAITING');
  const second = await opened(dir, scriptedModel([BAD]));
  const task = await second.engine.resumeTask(id);
  assert.deepEqual([task.status, task.output], ['COMPLETED', 'noted']);
  assert.equal(task.stages.find((stage) => stage.id === 'start')?.attempt, 1);
  assert.deepEqual(second.notes, ['bad']);
  await second.engine.close();
});

test('a task is not resumed with other manifests, and the error says how to continue', async () => {
  const dir = aFolder(FILES);
  const first = await opened(dir, scriptedModel([]));
  const { id } = await first.engine.createTask({ input: { n: 1 } });
  await first.engine.close();
  writeFileSync(join(dir, 'workflow.yaml'), REVIEW.replace("='good'", "='fine'"));
  const second = await opened(dir, scriptedModel([]));
  await rejectsWith(second.engine.resumeTask(id), 'plan_changed');
  await second.engine.close();
});

test('a task is repeated from a stage with another input; what was done before is taken over', async () => {
  const dir = aFolder(FILES);
  const { engine, notes } = await opened(dir, scriptedModel([GOOD, BAD]));
  const first = await engine.runOne({ input: { n: 1 } });
  const again = await engine.rerunTask(first.id, { stage: 'judge', input: { n: 100 } });
  assert.deepEqual(again.rerun, { of: first.id, stage: 'judge' });
  const task = await engine.runTask(again.id);
  assert.deepEqual([task.status, task.output, notes], ['COMPLETED', 'noted', ['bad']]);
  assert.deepEqual(task.stages.find(({ id }) => id === 'judge')?.input, { n: 100 });
  assert.deepEqual(task.stages.find(({ id }) => id === 'start')?.output, { n: 2 });
  await rejectsWith(engine.rerunTask(first.id, { stage: 'nowhere' }), 'no_such_stage');
  await engine.close();
});

test('an agent can call only its own tools', async () => {
  const dir = aFolder(FILES);
  const { engine, notes } = await opened(dir, scriptedModel([calls(['note', { text: 'x' }]), GOOD]));
  assert.equal((await engine.runOne({ input: { n: 1 } })).status, 'COMPLETED');
  assert.deepEqual(notes, []);
  await engine.close();
});

test('a task for analysis makes no call that changes something', async () => {
  const dir = aFolder(FILES);
  const { engine, notes } = await opened(dir, scriptedModel([BAD]));
  const task = await engine.runOne({ input: { n: 1 }, overrides: [{ kind: 'analysis_only' }] });
  assert.deepEqual(notes, []);
  assert.ok(task.changes.length > 0);
  await engine.close();
});

test('a failed task names the stage, its role, the category and the code', async () => {
  const dir = aFolder(FILES);
  const { engine } = await opened(dir, scriptedModel([]));
  engine.registerToolHandler('double', async () => {
    throw Object.assign(new Error('The number is odd.'), { code: 'odd_number' });
  });
  const task = await engine.runOne({ input: { n: 1 }, id: 't1' });
  assert.deepEqual(task.failure, {
    taskId: 't1',
    pipelineId: 'default',
    stageId: 'start',
    nodeType: 'tool',
    category: 'tool',
    code: 'odd_number',
    message: 'The number is odd.',
  });
  await engine.close();
});

test('a tool without a function is refused before a task exists, and only tools of the manifests can get one', async () => {
  const engine = await Engine.fromConfigDir(aFolder(FILES), { models: scriptedModel([]) });
  await rejectsWith(engine.createTask({ input: {} }), 'handler_missing');
  assert.throws(() => engine.registerToolHandler('other', double), { code: 'handler_unknown' });
  await engine.close();
});

test('built-in tools carry out a ToolPlan whose steps use earlier results', async () => {
  const dir = aFolder({
    'tools.yaml': `
permissions: { filesystem: { read: ["**"], write: ["out/**"] } }
tools:
  - { id: read, uses: filesystem.read_file }
  - { id: write, uses: filesystem.write_file }
  - { id: list, uses: filesystem.list }
`,
    'workflow.yaml': `
workflow:
  id: copy
  nodes:
    - { id: copy, role: tool, tool_plan: [read, write] }
`,
    'a.txt': 'hello',
  });
  mkdirSync(join(dir, 'out'));
  const engine = await Engine.fromConfigDir(dir, { models: scriptedModel([]) });
  const input = [
    { tool_name: 'read', arguments: { path: 'a.txt' }, result_field: 'a' },
    { tool_name: 'write', arguments: { path: 'out/b.txt', content: '=input.a.content' } },
  ];
  const task = await engine.runOne({ input });
  assert.equal(task.status, 'COMPLETED', JSON.stringify(task.failure));
  assert.match(readFileSync(join(dir, 'out/b.txt'), 'utf8'), /hello/);
  const { steps } = task.output as Readonly<{ steps: readonly Readonly<{ duration_ms: unknown }>[] }>;
  assert.deepEqual(
    steps.map(({ duration_ms: ms }) => typeof ms),
    ['number', 'number'],
  );
  const denied = await engine.runOne({ input: [{ tool_name: 'write', arguments: { path: 'a.txt', content: 'x' } }] });
  assert.partialDeepStrictEqual(denied.failure, { category: 'permission', stageId: 'copy' });
  assert.equal(readFileSync(join(dir, 'a.txt'), 'utf8'), 'hello');
  const other = await engine.runOne({ input: [{ tool_name: 'list', arguments: {} }] });
  assert.partialDeepStrictEqual(other.failure, { category: 'permission', code: 'tool_not_named' });
  await engine.close();
});

test('a cancelled task stays cancelled', async () => {
  const { engine } = await opened(aFolder(FILES), scriptedModel([]));
  const { id } = await engine.createTask({ input: { n: 1 } });
  assert.equal((await engine.cancelTask(id)).status, 'CANCELLED');
  assert.equal((await engine.runTask(id)).status, 'CANCELLED');
  await engine.close();
});

test('one folder of data serves one engine at a time', async () => {
  const dir = aFolder(FILES);
  const { engine } = await opened(dir, scriptedModel([]));
  await rejectsWith(Engine.fromConfigDir(dir, { models: scriptedModel([]) }), 'data_locked');
  await engine.close();
});

test('an agent with memory reads what earlier tasks left', async () => {
  const memory = `
context_profiles:
  - { id: long, max_tokens: 4000, sources: [memory, task] }
`;
  const agents = AGENTS.replace('model: fast\n', 'model: fast\n    context: long\n').replace(/ {4}output: .*\n/, '');
  const workflow = 'workflow: { id: chat, nodes: [{ id: reply, role: agent, agent: critic }] }';
  const dir = aFolder({ 'agents.yaml': agents, 'tools.yaml': TOOLS, 'memory.yaml': memory, 'workflow.yaml': workflow });
  const first = await opened(dir, scriptedModel([says('Nice to meet you, Zebulon.')]));
  await first.engine.runOne({ input: 'My name is Zebulon and I breed alpacas in Patagonia.' });
  await first.engine.close();
  const model = scriptedModel([says('Alpacas.')]);
  const second = await opened(dir, model);
  await second.engine.runOne({ input: 'Which animals does Zebulon breed?' });
  assert.match(JSON.stringify(model.requests[0]?.messages), /alpacas in Patagonia/);
  await second.engine.close();
});

test('telemetry follows a task from its creation, and plugins may veto a stage', async () => {
  const { engine } = await opened(aFolder(FILES), scriptedModel([GOOD]));
  const types: string[] = [];
  engine.events(({ type, stage }) => void types.push(`${type} ${stage ?? ''}`.trim()));
  await engine.runOne({ input: { n: 1 } });
  const veto = { id: 'no', hooksVersion: 1, hooks: { before_stage: () => ({ veto: 'Not today.' }) } };
  engine.register(veto);
  const task = await engine.runOne({ input: { n: 1 } });
  assert.partialDeepStrictEqual(task.failure, { category: 'permission', code: 'vetoed', stageId: 'start' });
  await engine.close();
  assert.deepEqual(types.filter((type) => type.startsWith('task_') || type.startsWith('stage_')).slice(0, 4), [
    'task_created',
    'stage_started start',
    'stage_finished start',
    'stage_started judge',
  ]);
});

test('a tool that asks makes its task wait; the question names the call, and the answer continues it', async () => {
  const dir = aFolder({ ...FILES, 'tools.yaml': TOOLS.replace('effect: once', 'effect: once\n    ask: true') });
  const { engine, notes } = await opened(dir, scriptedModel([BAD, BAD]));
  const task = await engine.runOne({ input: { n: 1 } });
  assert.equal(task.status, 'WAITING');
  assert.ok(task.waiting?.for === 'permission');
  const [question] = task.waiting.questions;
  assert.partialDeepStrictEqual(question, { tool: 'note', arguments: '{"text":"bad"}', why: 'policy' });
  assert.deepEqual(notes, []);
  const request = question?.request ?? '';
  const done = await engine.resumeTask(task.id, { answers: [{ request, answer: 'allow' }] });
  assert.deepEqual([done.status, notes], ['COMPLETED', ['bad']]);
  const again = await engine.runOne({ input: { n: 1 } });
  const asked = again.waiting?.for === 'permission' ? (again.waiting.requests[0] ?? '') : '';
  const denied = await engine.resumeTask(again.id, { answers: [{ request: asked, answer: 'deny' }] });
  assert.partialDeepStrictEqual(denied.failure, { category: 'permission', code: 'person' });
  await engine.close();
});

test('the files that a task changed are restored', async () => {
  const dir = aFolder({
    'tools.yaml': `
permissions: { filesystem: { write: ["out/**"] } }
tools: [{ id: write, uses: filesystem.write_file }]
`,
    'workflow.yaml': 'workflow: { id: w, nodes: [{ id: plan, role: tool, tool_plan: [write] }] }',
  });
  mkdirSync(join(dir, 'out'));
  writeFileSync(join(dir, 'out/a.txt'), 'before');
  const engine = await Engine.fromConfigDir(dir, { models: scriptedModel([]) });
  const write = (content: string) => ({ tool_name: 'write', arguments: { path: 'out/a.txt', content } });
  const { id } = await engine.runOne({ input: [write('one'), write('two')] });
  assert.equal(readFileSync(join(dir, 'out/a.txt'), 'utf8'), 'two');
  assert.deepEqual(
    (await engine.rollbackTask(id)).map(({ ok }) => ok),
    [true, true],
  );
  assert.equal(readFileSync(join(dir, 'out/a.txt'), 'utf8'), 'before');
  await engine.close();
});
