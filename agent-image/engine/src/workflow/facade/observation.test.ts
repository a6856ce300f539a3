/** Telemetry and plugins of a workflow, through the façade alone. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { testFolder } from '@hamlet/test/env/at-end';
import type { ModelPort } from '../../loop/ports.ts';
import { otlpReceiver } from '@hamlet/test/env/net/otlp-receiver';
import { calls, says, scriptedModel } from '../../testing/scripted-model.ts';
import { HOOKS, HOOKS_VERSION, type Hook } from '../plugins/hooks.ts';
import type { Plugin } from '../plugins/plugin.ts';
import { TelemetryEvent, type TelemetryOf, type TelemetryType } from '../telemetry/event.ts';
import { Engine } from './engine.ts';

const folder = testFolder('observation');
let folders = 0;
const KEY = 'sk-0123456789abcdef';

const MANIFESTS: Readonly<Record<string, string>> = {
  'tools.yaml': `
tools:
  - id: note
    uses: handler
    description: Notes a text.
    effect: once
    risk: high
    input: { type: object, properties: { text: { type: string } }, required: [text] }
`,
  'agents.yaml': `
agents:
  - { id: critic, instructions: You judge., model: fast, tools: [note] }
models:
  - { id: fast, provider: openai, name: test, api_key_env: THE_KEY }
`,
  'workflow.yaml': `
workflow:
  id: review
  nodes:
    - { id: judge, role: agent, agent: critic, input: "=task.input" }
    - { id: keep, role: tool, tool: note, input: { text: "=input" } }
  edges:
    - { from: judge, to: keep }
`,
};

const pluginsYaml = (sinks: string, more = ''): string => `
plugins:
  - { id: cost, uses: cost_tracking, config: { prices: { fast: { input: "0.25", output: "2" } } } }
telemetry:
  sinks: [${sinks}]
  redact: [input.token]
${more}`;

type Observed = Readonly<{ engine: Engine; dir: string; events: TelemetryEvent[]; notes: string[] }>;

async function open(dir: string, models: ModelPort, plugin?: Plugin): Promise<Observed> {
  const engine = await Engine.fromConfigDir(dir, { models, env: { THE_KEY: KEY } });
  const [events, notes]: [TelemetryEvent[], string[]] = [[], []];
  engine.events((event) => void events.push(TelemetryEvent.parse(event)));
  engine.registerToolHandler('note', async (input) => void notes.push(JSON.stringify(input)));
  if (plugin !== undefined) engine.register(plugin);
  return { engine, dir, events, notes };
}

function aFolder(sinks = '{ type: jsonl, path: events.jsonl }'): string {
  const dir = join(folder, `${(folders += 1)}`);
  mkdirSync(dir);
  for (const [name, text] of Object.entries({ ...MANIFESTS, 'plugins.yaml': pluginsYaml(sinks) }))
    writeFileSync(join(dir, name), text);
  return dir;
}

function everywhere(handle: (hook: Hook) => unknown): Plugin {
  const hooks = Object.fromEntries(Object.keys(HOOKS).map((hook) => [hook, () => handle(hook as Hook)]));
  return { id: 'observer', hooksVersion: HOOKS_VERSION, hooks };
}

const only = <T extends TelemetryType>({ events }: Observed, type: T): readonly TelemetryOf<T>[] =>
  events.filter((event): event is TelemetryOf<T> => event.type === type);

const SEQUENCE = [
  'task_created',
  'routing_decision',
  'stage_started judge',
  'model_called judge critic',
  'permission_checked judge critic',
  'sensitive_call judge critic',
  'tool_called judge critic',
  'model_called judge critic',
  'agent_called judge critic',
  'stage_finished judge',
  'stage_started keep',
  'permission_checked keep',
  'sensitive_call keep',
  'tool_called keep',
  'stage_finished keep',
  'task_finished',
];

const model = (): ModelPort => scriptedModel([calls(['note', { text: 'a' }]), says('good')]);

const INPUT = { path: 'a.ts', token: 'private', key: `Bearer ${KEY}` };

test('a workflow gives the expected sequence of telemetry events, to listeners and sinks alike', async () => {
  const receiver = await otlpReceiver();
  const sinks = `{ type: memory }, { type: jsonl, path: logs/events.jsonl }, { type: prometheus, path: metrics.prom }, { type: otlp, endpoint: "${receiver.endpoint}" }`;
  const observed = await open(aFolder(sinks), model());
  assert.equal((await observed.engine.runOne({ id: 't1', input: INPUT })).status, 'COMPLETED');
  await observed.engine.close();
  assert.deepEqual(
    observed.events.map(({ type, stage, agent }) => [type, stage, agent].filter((part) => part !== null).join(' ')),
    SEQUENCE,
  );
  const lines = readFileSync(join(observed.dir, '.hamlet/logs/events.jsonl'), 'utf8').trimEnd().split('\n');
  assert.deepEqual(
    lines.map((line): unknown => JSON.parse(line)),
    observed.events,
  );
  assert.ok(existsSync(join(observed.dir, '.hamlet/metrics.prom')));
  assert.ok(receiver.spans.some(({ name }) => name === 'invoke_workflow review'));
});

test('keys of models and redacted fields are in no event, and the cost is that of the table', async () => {
  const observed = await open(aFolder(), model());
  await observed.engine.runOne({ id: 't1', input: INPUT });
  await observed.engine.close();
  const expected = { path: 'a.ts', token: '[redacted]', key: 'Bearer [redacted]' };
  assert.deepEqual(only(observed, 'task_created')[0]?.input, expected);
  assert.deepEqual(only(observed, 'stage_started')[0]?.input, expected);
  assert.ok(!JSON.stringify(observed.events).includes(KEY));
  // Two answers of 10 and 5 tokens: 12.5 and 12.5 millionths, each rounded once.
  assert.equal(only(observed, 'task_finished')[0]?.usage.cost_micros, 26);
});

test('hooks fire in the order of the work', async () => {
  const log: Hook[] = [];
  const observed = await open(
    aFolder(),
    model(),
    everywhere((hook) => void log.push(hook)),
  );
  await observed.engine.runOne({ id: 't1', input: INPUT });
  await observed.engine.close();
  assert.deepEqual(log, [
    'before_task',
    'before_stage',
    'before_agent',
    'before_tool',
    'after_tool',
    'after_agent',
    'after_stage',
    'before_stage',
    'before_tool',
    'after_tool',
    'after_stage',
    'after_task',
    'on_completion',
  ]);
});

test('a veto of a call keeps the tool from running', async () => {
  const observed = await open(
    aFolder(),
    model(),
    everywhere((hook) => (hook === 'before_tool' ? { veto: 'Not today.' } : undefined)),
  );
  const task = await observed.engine.runOne({ id: 't1', input: INPUT });
  await observed.engine.close();
  assert.equal(task.status, 'FAILED');
  assert.deepEqual(observed.notes, []);
  assert.deepEqual(
    only(observed, 'permission_denied').map(({ stage, message }) => [stage, message]),
    [
      ['judge', 'Not today. (plugin observer)'],
      ['keep', 'Not today. (plugin observer)'],
    ],
  );
});

test('a plugin that fails at every hook hurts no task, and each failure is an error event', async () => {
  const called: Hook[] = [];
  const failing = everywhere((hook) => {
    called.push(hook);
    throw new Error('broken');
  });
  const observed = await open(aFolder(), model(), failing);
  const task = await observed.engine.runOne({ id: 't1', input: INPUT });
  await observed.engine.close();
  assert.equal(task.status, 'COMPLETED');
  assert.equal(observed.notes.length, 2);
  assert.deepEqual(
    only(observed, 'error').map(({ failure, message }) => `${failure.code} ${message}`),
    called.map((hook) => `plugin_failed plugin observer: The plugin observer failed at ${hook}: broken`),
  );
  assert.deepEqual(
    [...new Set(called)].toSorted(),
    Object.keys(HOOKS)
      .filter((hook) => hook !== 'on_error')
      .toSorted(),
  );
});

test('a task that continues in another engine continues its telemetry', async () => {
  const dir = aFolder();
  const asked = Promise.withResolvers<void>();
  let answers = 0;
  const script = model();
  const stopping: ModelPort = {
    chat: async function* (request, signal) {
      answers += 1;
      if (answers === 1) return yield* script.chat(request, signal);
      asked.resolve();
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      yield { type: 'delta', text: '' };
    },
  };
  const first = await open(dir, stopping);
  const { id } = await first.engine.createTask({ id: 't1', input: INPUT });
  const running = first.engine.runTask(id);
  await asked.promise;
  await first.engine.close();
  await running.catch(() => null);
  const second = await open(dir, scriptedModel([says('good')]));
  assert.equal((await second.engine.resumeTask(id)).status, 'COMPLETED');
  await second.engine.close();
  const shown = [...first.events, ...second.events].map(({ type, stage, agent }) =>
    [type, stage, agent].filter((part) => part !== null).join(' '),
  );
  assert.deepEqual(shown, SEQUENCE);
  assert.deepEqual(
    [...first.events, ...second.events].map(({ seq }) => seq),
    SEQUENCE.map((_, index) => index + 1),
  );
  assert.equal(only(second, 'task_finished')[0]?.usage.total_tokens, 30);
});
