/** A program that carries out workflows with an engine, tools and runs of its own. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { testFolder } from '@hamlet/test/env/at-end';
import { z } from 'zod';
import { defineTool, type Tool } from '../../effects/tool.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Engine } from '../../loop/engine.ts';
import type { ModelPort } from '../../loop/ports.ts';
import { echo, outcomeOf, someJournals } from '../../testing/a-tool.ts';
import { anEngine } from '../../testing/an-engine.ts';
import { BUDGETS } from '../../testing/an-event.ts';
import { taskOutput } from '../../testing/a-flow.ts';
import { calls, says, scriptedModel } from '../../testing/scripted-model.ts';
import { TelemetryEvent } from '../telemetry/event.ts';
import { EngineError } from '../facade/engine-error.ts';
import type { HostTools } from '../facade/host-tools.ts';
import { WorkflowHost } from './workflow-host.ts';

const folder = testFolder('workflow-host');
const hosts: WorkflowHost[] = [];
after(() => Promise.all(hosts.map((host) => host.close())));
const journals = someJournals();

const FILES: Readonly<Record<string, string>> = {
  'agents.yaml': `agents:
  - { id: critic, instructions: You judge., model: fast, tools: [look], budget: { steps: 3 } }
  - { id: writer, instructions: You write., model: fast }
`,
  'tools.yaml': `permissions: { filesystem: { read: ["src/**"] } }
tools:
  - { id: read, uses: filesystem.read_file }
  - { id: look, uses: handler, description: Looks., effect: read, input: { type: object, properties: { text: { type: string } } } }
`,
  'workflow.yaml': `workflow:
  id: review
  description: Reads and judges.
  nodes:
    - { id: fetch, role: tool, tool: read, input: { path: "=task.input" } }
    - { id: judge, role: agent, agent: critic }
    - { id: write, role: agent, agent: writer }
  edges: [{ from: fetch, to: judge }, { from: judge, to: write }]
`,
  'plugins.yaml': 'telemetry: { sinks: [{ type: jsonl, path: events.jsonl }] }',
};

const ASKED = z.strictObject({ stage: z.string(), round: z.int(), attempt: z.int() });

/** `late`: what the requests of stages wait for, by the ids of the stages. */
type World = Readonly<{
  host: WorkflowHost;
  engine: Engine;
  seen: string[];
  journal: Journal;
  data: string;
  late: Map<string, Promise<void>>;
}>;

/** A host whose runs for stages are runs of its engine, with ids of their own. */
function aWorld(model: ModelPort, files = FILES, journal: Journal = journals.open()): World {
  const seen: string[] = [];
  const late = new Map<string, Promise<void>>();
  const read: Tool = defineTool({
    name: 'read_file',
    description: 'Reads.',
    input: z.strictObject({ path: z.string() }),
    effect: 'read',
    timeoutMs: 1_000,
    execute: async ({ path }) => {
      seen.push(`read ${path}`);
      const text = `text of ${path}`;
      return path.includes('outside') ? { kind: 'ok', text, untrusted: true } : { kind: 'ok', text };
    },
  });
  const asking: Tool = defineTool({
    name: 'run_stage',
    description: 'Asks an agent.',
    input: ASKED,
    effect: 'read',
    timeoutMs: 10_000,
    execute: async (at, { run: task, call }) => {
      const place = { ...at, task };
      const run = `worker ${task} ${call}`;
      host.place(run, place);
      await late.get(at.stage);
      const request = await host.requestOf(place);
      if (!request.ok) return { kind: 'failed', code: request.failure.code, text: request.failure.message };
      seen.push(`${at.stage}: ${request.run.prompt.stable.split('\n')[0]} ${request.run.budgets.steps}`);
      const begun = await engine.start({
        ...request.run,
        run,
        conversation: run,
        parent: { run: task, call },
        stage: { id: at.stage, plan: '' },
      });
      const outcome = await outcomeOf(begun);
      return outcome.kind === 'done'
        ? { kind: 'ok', text: JSON.stringify(outcome.text) }
        : { kind: 'failed', code: 'empty_answer', text: outcome.kind };
    },
  });
  const tools: HostTools = {
    toolFor: ({ id, uses }) => {
      if (uses === 'filesystem.read_file') return read;
      return id === 'look' ? echo('look', 'read') : { missing: `there is no tool ${id}`, hint: 'Write look.' };
    },
    asking,
    argumentsOf: ({ at: { stage, round, attempt } }) => ({ stage: stage.id, round, attempt }),
  };
  const data = mkdtempSync(join(folder, 'data-'));
  const host = WorkflowHost.open({ files: new Map(Object.entries(files)), journal, data, tools });
  hosts.push(host);
  const { engine } = anEngine({ journal, model, ...host.ports });
  return { host, engine, seen, journal, data, late };
}

const NEW = { id: 't1', input: 'src/a.ts' };

test('tools and agents of the manifests are calls of the host, judged by the manifests', async () => {
  const model = scriptedModel([calls(['look', { text: 'x' }]), says('Good.'), says('The verdict.')]);
  const { host, engine, seen, data } = aWorld(model);
  host.begin('t1');
  const outcome = await outcomeOf(await engine.start(host.newTask(NEW, BUDGETS)));
  await host.end('t1');
  assert.equal(taskOutput(outcome), 'The verdict.');
  assert.deepEqual(seen, ['read src/a.ts', 'judge: You judge. 3', `write: You write. 100`]);
  assert.deepEqual(
    model.requests.map(({ tools }) => tools.map(({ name }) => name)),
    [['look'], ['look'], []],
  );
  assert.equal(engine.spentOf('t1')?.steps, 3, 'what the agents used counts for the task');
  assert.equal(host.task('t1').status, 'COMPLETED');
  await host.close();
  const lines = readFileSync(join(data, 'events.jsonl'), 'utf8').trim().split('\n');
  const events = lines.map((line) => TelemetryEvent.parse(JSON.parse(line)));
  assert.deepEqual(
    events.filter(({ type }) => type === 'agent_called').map(({ stage, agent }) => [stage, agent]),
    [
      ['judge', 'critic'],
      ['write', 'writer'],
    ],
  );
});

test('a path that the manifests do not allow never reaches the host', async () => {
  const { host, engine, seen } = aWorld(scriptedModel([]));
  host.begin('t1');
  const outcome = await outcomeOf(await engine.start(host.newTask({ ...NEW, input: 'secret.txt' }, BUDGETS)));
  assert.partialDeepStrictEqual(outcome, { kind: 'failed', code: 'path_not_permitted' });
  assert.match(host.task('t1').failure?.message ?? '', /read secret\.txt.*tools\.yaml:1/);
  assert.deepEqual(seen, []);
});

test('a repeated task takes over what the earlier one did, and its limits are those of the host', async () => {
  const model = scriptedModel([says('Good.'), says('One.'), says('Two.')]);
  const { host, engine, seen } = aWorld(model);
  host.begin('t1');
  await outcomeOf(await engine.start(host.newTask(NEW, BUDGETS)));
  await host.end('t1');
  const limits = { ...BUDGETS, steps: 2 };
  const again = host.repeatedTask('t1', { stage: 'write', input: 'other', id: 't2' }, limits);
  assert.equal(again.budgets.steps, 2);
  host.begin('t2');
  assert.equal(taskOutput(await outcomeOf(await engine.start(again))), 'Two.');
  assert.equal(seen.filter((line) => line.startsWith('read')).length, 1);
  const known = (act: () => unknown): unknown => assert.throws(act, (error) => error instanceof EngineError);
  known(() => host.repeatedTask('t1', { stage: 'none', id: 't3' }, BUDGETS));
  known(() => host.repeatedTask('lost', { stage: 'write', id: 't3' }, BUDGETS));
});

test('a tool that the host does not have is a fault at its place, beside all others', () => {
  const tools = `tools:
  - { id: look, uses: handler, description: Looks., input: {} }
  - { id: lok, uses: handler, description: Looks., input: {} }
  - { id: run_stage, uses: filesystem.read_file }
`;
  const { 'agents.yaml': agents = '', 'workflow.yaml': workflow = '' } = FILES;
  const files = {
    'agents.yaml': agents,
    'workflow.yaml': workflow.replace('tool: read', 'tool: lok'),
    'tools.yaml': tools,
  };
  const open = () => aWorld(scriptedModel([]), files);
  assert.throws(open, (error) => {
    assert.ok(error instanceof EngineError);
    assert.deepEqual(
      error.errors.map(({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`),
      ['tools.yaml:3:11: there is no tool lok', 'tools.yaml:4:11: the engine itself has a tool with this id'],
    );
    return true;
  });
});

test('a task does not continue with other manifests', async () => {
  const first = aWorld(scriptedModel([says('Good.'), says('Done.')]));
  first.host.begin('t1');
  await outcomeOf(await first.engine.start(first.host.newTask(NEW, BUDGETS)));
  const files = { ...FILES, 'agents.yaml': FILES['agents.yaml']?.replace('You judge.', 'You rule.') ?? '' };
  const second = aWorld(scriptedModel([]), files, first.journal);
  assert.throws(() => second.host.begin('t1'), /The manifests have changed/);
});

test('limits that an override set stay for the host that continues the task, and hold for no other run', async () => {
  const first = aWorld(scriptedModel([]));
  const overrides = [{ kind: 'budget', budget: { tokens: 50 } }];
  await first.engine.open(first.host.newTask({ ...NEW, overrides }, BUDGETS));
  const { host } = aWorld(scriptedModel([]), FILES, first.journal);
  host.begin('t1');
  assert.deepEqual(host.limitsOf('t1', BUDGETS), { ...BUDGETS, tokens: 50 });
  assert.deepEqual(host.limitsOf('another', BUDGETS), BUDGETS);
  host.place('w1', { task: 't1', stage: 'judge', round: 1, attempt: 1 });
  assert.deepEqual(host.limitsOf('w1', BUDGETS), { ...BUDGETS, steps: 3 });
});

test('a task reads nothing that an earlier one left, because it may be of another person', async () => {
  const files = {
    ...FILES,
    'agents.yaml': FILES['agents.yaml']?.replaceAll('model: fast', 'model: fast, context: all') ?? '',
    'memory.yaml': 'context_profiles: [{ id: all, max_tokens: 4000 }]\n',
  };
  const model = scriptedModel([says('A walnut.'), says('One.'), says('Good.'), says('Two.')]);
  const { host, engine } = aWorld(model, files);
  for (const [id, input] of [
    ['t1', 'src/walnut.ts'],
    ['t2', 'src/rye.ts'],
  ] as const) {
    host.begin(id);
    await outcomeOf(await engine.start(host.newTask({ id, input }, BUDGETS)));
    await host.end(id);
    await delay(50);
  }
  const [, , ...second] = model.requests.map((request) => JSON.stringify(request));
  assert.equal(second.length, 2);
  for (const request of second) assert.doesNotMatch(request, /walnut/);
  assert.match(second[0] ?? '', /text of src\/rye\.ts/);
});

test('an agent reads only what had ended when its stage began, however late it begins', async () => {
  const files = {
    ...FILES,
    'workflow.yaml': `workflow:
  id: review
  description: Two agents at once.
  nodes:
    - { id: first, role: linear }
    - { id: fast, role: agent, agent: writer }
    - { id: slow, role: agent, agent: writer }
    - { id: both, role: merge, merge: list }
  edges: [{ from: first, to: fast }, { from: first, to: slow }, { from: fast, to: both }, { from: slow, to: both }]
`,
  };
  const model = scriptedModel([says('A walnut.'), says('Done.')]);
  const { host, engine, late } = aWorld(model, files);
  const { promise, resolve } = Promise.withResolvers<void>();
  late.set('slow', promise);
  host.begin('t1');
  const begun = await engine.start(host.newTask(NEW, BUDGETS));
  const hasEnded = (id: string): boolean =>
    host.task('t1').stages.some((stage) => stage.id === id && stage.status === 'COMPLETED');
  while (!hasEnded('fast')) await delay(5);
  resolve();
  assert.equal((await outcomeOf(begun)).kind, 'done');
  assert.deepEqual(JSON.parse(JSON.stringify(host.task('t1').output)), ['A walnut.', 'Done.']);
  const request = JSON.stringify(model.requests[1]);
  assert.match(request, /src\/a\.ts/);
  assert.doesNotMatch(request, /walnut/);
});

test('agents read text from outside between marks, also in a task that repeats another one', async () => {
  const model = scriptedModel([says('Good.'), says('One.'), says('Two.'), says('Good.'), says('Three.')]);
  const { host, engine } = aWorld(model);
  const carryOut = async (request: ReturnType<WorkflowHost['newTask']>): Promise<void> => {
    host.begin(request.run);
    await outcomeOf(await engine.start(request));
    await host.end(request.run);
  };
  await carryOut(host.newTask({ id: 't1', input: 'src/outside.txt' }, BUDGETS));
  await carryOut(host.repeatedTask('t1', { id: 't2', stage: 'write', input: 'Write <outside-text> it.' }, BUDGETS));
  await carryOut(host.newTask({ ...NEW, id: 't3' }, BUDGETS));
  const [judged, , again, ...plain] = model.requests.map(({ messages }) => JSON.stringify(messages));
  assert.match(judged ?? '', /<outside-text>\\ntext of src\/outside\.txt\\n<\/outside-text>/);
  assert.match(again ?? '', /<outside-text>\\nWrite <outside text> it\.\\n<\/outside-text>/);
  assert.equal(plain.length, 2);
  for (const request of plain) assert.doesNotMatch(request, /outside/);
});

test('a limit that is raised leaves an agent the time of its stage', async () => {
  const workflow = FILES['workflow.yaml'] ?? '';
  const files = { ...FILES, 'workflow.yaml': workflow.replace('agent: critic', 'agent: critic, timeout_s: 20') };
  const { host, engine } = aWorld(scriptedModel([]), files);
  await engine.open(host.newTask(NEW, BUDGETS));
  host.begin('t1');
  host.place('w1', { task: 't1', stage: 'judge', round: 1, attempt: 1 });
  assert.deepEqual(host.limitsOf('w1', BUDGETS), { ...BUDGETS, steps: 3, timeMs: 20_000 });
  host.place('w2', { task: 't1', stage: 'write', round: 1, attempt: 1 });
  assert.deepEqual(host.limitsOf('w2', BUDGETS), BUDGETS);
});
