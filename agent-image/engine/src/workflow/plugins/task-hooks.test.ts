import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SYSTEM_CLOCK } from '../../loop/system-clock.ts';
import { aTelemetryEvent, TELEMETRY_TYPES } from '../testing/a-telemetry-event.ts';
import type { StageFailure } from '../plan/failure.ts';
import { HOOKS, HOOKS_VERSION, type Hook } from './hooks.ts';
import { createPluginManager, type PluginManager } from './plugin-manager.ts';
import { createTaskHooks, errorHookSink, type TaskHooks } from './task-hooks.ts';

const TASK = { task: 't1', run: 'r1', workflow: 'review', pipeline: 'default' };
const FAILURE: StageFailure = { category: 'tool', code: 'no_network', message: 'Down.' };
const STAGES = {
  fetch: { id: 'fetch', role: 'tool', agent: null },
  judge: { id: 'judge', role: 'agent', agent: 'critic' },
} as const;
const at = (stage: keyof typeof STAGES) => ({ run: 'r1', stage: STAGES[stage], attempt: 1, round: 1, input: stage });

type Made = Readonly<{ hooks: TaskHooks; plugins: PluginManager; log: string[]; seen: unknown[] }>;

/** Hooks with one plugin that logs them all, takes its time, and vetoes at `vetoAt`. */
function made(vetoAt: Hook | null = null): Made {
  const log: string[] = [];
  const seen: unknown[] = [];
  const plugins = createPluginManager({ clock: SYSTEM_CLOCK, report: ({ error }) => assert.fail(error) });
  const handle = async (hook: string, context: Readonly<{ stage?: string }>) => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    log.push(`${hook} ${context.stage ?? ''}`.trimEnd());
    seen.push(context);
    return hook === vetoAt ? { veto: 'no' } : undefined;
  };
  const hooks = Object.fromEntries(
    Object.keys(HOOKS).map((hook) => [hook, (context: object) => handle(hook, context)]),
  );
  plugins.register({ id: 'logger', hooksVersion: HOOKS_VERSION, hooks });
  const parts = {
    plugins,
    taskOf: () => 't1',
    agentOf: () => ({ run: 'r1.judge', model: 'fast' }),
    tokensOf: () => 15,
  };
  return { hooks: createTaskHooks(parts), plugins, log, seen };
}

async function work({ hooks }: Made, failure: StageFailure | null): Promise<void> {
  const status = failure === null ? 'completed' : 'failed';
  assert.equal(await hooks.beforeTask({ ...TASK, mode: null, tags: [], input: 1 }), null);
  assert.equal(await hooks.beforeStage(at('fetch')), null);
  hooks.afterStage(at('fetch'), { output: 2, failure: null });
  assert.equal(await hooks.beforeStage(at('judge')), null);
  hooks.afterStage(at('judge'), { output: 3, failure });
  await hooks.afterTask({ ...TASK, status, output: 3, code: failure?.code ?? null });
}

test('the hooks of a task fire in the order of its work', async () => {
  const done = made();
  await work(done, null);
  assert.deepEqual(done.log, [
    'before_task',
    'before_stage fetch',
    'after_stage fetch',
    'before_stage judge',
    'before_agent judge',
    'after_agent judge',
    'after_stage judge',
    'after_task',
    'on_completion',
  ]);
  assert.deepEqual(done.seen[5], {
    task: 't1',
    run: 'r1.judge',
    stage: 'judge',
    agent: 'critic',
    model: 'fast',
    outcome: 'done',
    output: 3,
    tokens: 15,
  });
});

test('a task that failed has no completion, and its hooks carry the failure', async () => {
  const failed = made();
  await work(failed, FAILURE);
  assert.equal(failed.log.at(-1), 'after_task');
  assert.deepEqual(failed.seen.at(-2), {
    task: 't1',
    run: 'r1',
    stage: 'judge',
    role: 'agent',
    attempt: 1,
    round: 1,
    output: 3,
    failure: FAILURE,
  });
});

test('a veto reaches the engine, and an agent that never began has no end', async () => {
  assert.equal(
    await made('before_task').hooks.beforeTask({ ...TASK, mode: null, tags: [], input: 1 }),
    'no (plugin logger)',
  );
  const stage = made('before_stage');
  assert.equal(await stage.hooks.beforeStage(at('judge')), 'no (plugin logger)');
  assert.deepEqual(stage.log, ['before_stage judge']);
  const agent = made('before_agent');
  assert.equal(await agent.hooks.beforeStage(at('fetch')), null);
  assert.equal(await agent.hooks.beforeStage(at('judge')), 'no (plugin logger)');
  agent.hooks.afterStage(at('judge'), { output: null, failure: FAILURE });
  await agent.hooks.afterTask({ ...TASK, status: 'failed', output: null, code: 'vetoed' });
  assert.deepEqual(agent.log.slice(-3), ['before_agent judge', 'after_stage judge', 'after_task']);
});

test('errors of telemetry reach the plugins, except those about plugins', async () => {
  const { plugins, seen } = made();
  const { signal } = new AbortController();
  const event = aTelemetryEvent('error');
  const ofPlugin =
    event.type === 'error'
      ? { ...event, failure: { ...event.failure, category: 'engine', code: 'plugin_failed' } as const }
      : event;
  await errorHookSink(plugins).write([...TELEMETRY_TYPES.map((type) => aTelemetryEvent(type)), ofPlugin], signal);
  assert.equal(seen.length, 1);
  assert.ok(event.type === 'error');
  assert.deepEqual(seen[0], { task: 't1', run: 'r1', where: 'tool', failure: event.failure, message: event.message });
});
