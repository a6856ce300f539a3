/** The telemetry and the hooks of a workflow that a real engine carries out. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFlow } from '../../flow/create-flow.ts';
import type { FlowPorts } from '../../flow/flow-ports.ts';
import type { Journal } from '../../journal/journal.ts';
import type { RunOutcome } from '../../loop/advance.ts';
import type { RunRequest } from '../../loop/engine.ts';
import { SYSTEM_CLOCK } from '../../loop/system-clock.ts';
import { aPlan, aStage } from '../../testing/a-plan.ts';
import { echo, outcomeOf, someJournals } from '../../testing/a-tool.ts';
import { anEngine, aRequest } from '../../testing/an-engine.ts';
import { BUDGETS } from '../../testing/an-event.ts';
import { fold, foldEvents, only, sourcesOf, type Folded } from '../testing/fold-telemetry.ts';
import { calls, says, scriptedModel } from '../../testing/scripted-model.ts';
import { withToolHooks } from '../plugins/hook-tools.ts';
import { HOOKS, HOOKS_VERSION } from '../plugins/hooks.ts';
import { createPluginManager } from '../plugins/plugin-manager.ts';
import type { Plugin } from '../plugins/plugin.ts';
import { createTaskHooks } from '../plugins/task-hooks.ts';

const journals = someJournals();

const PLAN = aPlan(
  [
    aStage('fetch', { role: 'tool', tool: 'look' }),
    aStage('judge', { role: 'agent', agent: 'critic', decides: true }),
    aStage('ship', { role: 'tool', tool: 'look' }),
    aStage('drop'),
  ],
  ['fetch>judge', "judge?ship:output == 'good'", 'judge?drop'],
);

const TASK: RunRequest = aRequest({
  run: 't1',
  conversation: 't1',
  input: '',
  stage: { id: 'task', plan: JSON.stringify(PLAN) },
  flow: {
    workflow: 'review',
    pipeline: 'default',
    task: JSON.stringify({ id: 't1', input: 'a', mode: null, tags: [] }),
  },
});

const PORTS: Pick<FlowPorts, 'agentRun' | 'toolStep'> = {
  agentRun: async ({ input }) => ({
    ok: true,
    run: {
      input: JSON.stringify(input),
      prompt: { stable: 'You judge.', situation: '' },
      model: 'test',
      budgets: BUDGETS,
    },
  }),
  toolStep: ({ stage, input }, [settled]) => {
    if (settled === undefined)
      return { kind: 'calls', calls: [{ tool: stage.tool ?? '', arguments: { text: String(input) } }] };
    const { outcome } = settled;
    if (outcome?.kind === 'ok') return { kind: 'done', output: outcome.text };
    return { kind: 'failed', failure: { category: 'permission', code: outcome?.kind ?? 'deleted', message: 'No.' } };
  },
};

type Ran = Readonly<{ outcome: RunOutcome; folded: Folded; journal: Journal; executed: string[] }>;

/** Carries out the plan with the plugin at every hook. */
async function run(plugin: Plugin): Promise<Ran> {
  const journal = journals.open();
  const plugins = createPluginManager({ clock: SYSTEM_CLOCK, report: ({ error }) => assert.fail(error) });
  plugins.register(plugin);
  const hooks = createTaskHooks({
    plugins,
    taskOf: (id) => id,
    agentOf: ({ run: id, stage }) => ({ run: `${id}/${stage.id}`, model: 'test' }),
    tokensOf: () => 0,
  });
  const executed: string[] = [];
  const look = echo('look', 'read');
  const logging = {
    ...look,
    prepare: (input: unknown) => {
      const prepared = look.prepare(input);
      if (!prepared.ok) return prepared;
      const execute: typeof prepared.call.execute = (context) => {
        executed.push(context.args);
        return prepared.call.execute(context);
      };
      return { ok: true as const, call: { ...prepared.call, execute } };
    },
  };
  const tools = withToolHooks([logging], plugins, (id) => ({
    task: 't1',
    stage: null,
    agent: id === 't1' ? null : 'critic',
  }));
  const flow = createFlow({ ...PORTS, beforeStage: hooks.beforeStage, afterStage: hooks.afterStage });
  const model = scriptedModel([calls(['look', { text: 'b' }]), says('good')]);
  const { engine, notices } = anEngine({ journal, model, tools, flow });
  await hooks.beforeTask({
    task: 't1',
    run: 't1',
    workflow: 'review',
    pipeline: 'default',
    mode: null,
    tags: [],
    input: 'a',
  });
  const outcome = await outcomeOf(await engine.start(TASK));
  const status = outcome.kind === 'done' ? 'completed' : 'failed';
  const code = outcome.kind === 'failed' ? outcome.code : null;
  await hooks.afterTask({ task: 't1', run: 't1', workflow: 'review', pipeline: 'default', status, output: null, code });
  return { outcome, folded: fold(notices, sourcesOf({}, { textOf: (ref) => journal.textOf(ref) })), journal, executed };
}

/** Logs every hook, with the stage or the tool. */
function logger(log: string[], veto: (hook: string, place: string) => boolean = () => false): Plugin {
  const handle = (hook: string, context: Readonly<{ stage?: string | null; tool?: string }>) => {
    const place = context.tool ?? context.stage ?? '';
    log.push(`${hook} ${place}`.trimEnd());
    return veto(hook, place) ? { veto: 'Not today.' } : undefined;
  };
  const hooks = Object.fromEntries(
    Object.keys(HOOKS).map((hook) => [hook, (context: object) => handle(hook, context)]),
  );
  return { id: 'logger', hooksVersion: HOOKS_VERSION, hooks };
}

test('a workflow gives the expected sequence of events and hooks', async () => {
  const log: string[] = [];
  const { outcome, folded } = await run(logger(log));
  assert.equal(outcome.kind, 'done');
  assert.deepEqual(
    folded.events.map(({ type, stage, agent }) => [type, stage, agent].filter((part) => part !== null).join(' ')),
    [
      'task_created',
      'stage_started fetch',
      'permission_checked fetch',
      'tool_called fetch',
      'stage_finished fetch',
      'stage_started judge',
      'model_called judge critic',
      'permission_checked judge critic',
      'tool_called judge critic',
      'model_called judge critic',
      'agent_called judge critic',
      'stage_finished judge',
      'routing_decision judge',
      'stage_finished drop',
      'stage_started ship',
      'permission_checked ship',
      'tool_called ship',
      'stage_finished ship',
      'task_finished',
    ],
  );
  assert.deepEqual(log, [
    'before_task',
    'before_stage fetch',
    'before_tool look',
    'after_tool look',
    'after_stage fetch',
    'before_stage judge',
    'before_agent judge',
    'before_tool look',
    'after_tool look',
    'after_agent judge',
    'after_stage judge',
    'before_stage ship',
    'before_tool look',
    'after_tool look',
    'after_stage ship',
    'after_task',
    'on_completion',
  ]);
});

test('events of a workflow carry its inputs, outputs, tokens and cost', async () => {
  const { folded } = await run(logger([]));
  assert.deepEqual(
    only(folded, 'stage_started').map(({ stage, role, input }) => [stage, role, input]),
    [
      ['fetch', 'tool', 'a'],
      ['judge', 'agent', 'look: a'],
      ['ship', 'tool', 'good'],
    ],
  );
  assert.deepEqual(
    only(folded, 'stage_finished').map(({ stage, end, output, usage }) => [stage, end, output, usage.total_tokens]),
    [
      ['fetch', 'done', 'look: a', 0],
      ['judge', 'done', 'good', 30],
      ['drop', 'skipped', null, 0],
      ['ship', 'done', 'look: good', 0],
    ],
  );
  assert.deepEqual(only(folded, 'task_finished')[0]?.usage, {
    prompt_tokens: 20,
    completion_tokens: 10,
    total_tokens: 30,
    cost_micros: 40,
    money_micros: 2,
  });
  assert.deepEqual(only(folded, 'routing_decision')[0]?.choice, ['judge->ship']);
});

test('a veto keeps the tool of a stage from running, and the task says why', async () => {
  const { outcome, folded, executed } = await run(logger([], (hook) => hook === 'before_tool'));
  assert.equal(outcome.kind, 'failed');
  assert.deepEqual(executed, []);
  assert.deepEqual(only(folded, 'tool_called'), []);
  assert.equal(only(folded, 'permission_denied')[0]?.message, 'Not today. (plugin logger)');
  const [finished] = only(folded, 'task_finished');
  assert.deepEqual(
    [finished?.status, finished?.failure?.category, finished?.failure?.stageId],
    ['failed', 'permission', 'fetch'],
  );
});

test('a veto keeps a stage and its agent from running', async () => {
  for (const veto of ['before_stage', 'before_agent']) {
    const log: string[] = [];
    const { outcome, folded } = await run(logger(log, (hook, place) => hook === veto && place === 'judge'));
    assert.equal(outcome.kind, 'failed');
    assert.deepEqual(only(folded, 'model_called'), []);
    const failure = only(folded, 'task_finished')[0]?.failure;
    assert.deepEqual([failure?.category, failure?.code, failure?.stageId], ['permission', 'vetoed', 'judge']);
    assert.ok(!log.includes('after_agent judge'));
  }
});

test('the journal of a workflow gives the events that were reported while it ran', async () => {
  const { folded, journal } = await run(logger([]));
  const { entries } = journal.readAfter(0, 1_000);
  const again = foldEvents(
    entries.map(({ event }) => event),
    sourcesOf({}, { textOf: (ref) => journal.textOf(ref) }),
  );
  assert.deepEqual(again.events, folded.events);
});
