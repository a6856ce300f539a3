import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JournalEvent } from '../../journal/event.ts';
import type { Notice } from '../../loop/kit.ts';
import { aCall, anEvent, aRef } from '../../testing/an-event.ts';
import { aPlan, aStage } from '../../testing/a-plan.ts';
import { fold, foldEvents, only, sourcesOf } from '../testing/fold-telemetry.ts';
import type { TelemetryEvent } from './event.ts';
import { project } from './project.ts';

/** A task with a tool stage, an agent stage that decides, a stage that fails into an error edge, and one that is skipped. */
const PLAN = aPlan(
  [
    aStage('fetch', { role: 'tool', tool: 'read' }),
    aStage('judge', { role: 'agent', agent: 'critic', decides: true }),
    aStage('ship', { role: 'tool', tool: 'publish' }),
    aStage('drop'),
    aStage('alarm'),
  ],
  ['fetch>judge', 'judge?ship:output.good', 'judge?drop', 'ship!alarm'],
);
const ROUTING = { kind: 'pipeline', chosen: 'default', reason: 'it fits', candidates: [] };
const TEXTS = {
  plan: PLAN,
  task: { id: 'task-7', input: { path: 'a.ts' }, mode: 'implement', tags: ['code'], routing: [ROUTING] },
  found: { kind: 'ok', text: 'export' },
  broken: { kind: 'failed', code: 'no_network', text: 'The network is down.' },
  judged: { good: true },
  why: JSON.stringify('The tool failed.'),
  in1: 'a.ts',
};

const flow = (fields: object) => ({
  flow: { role: 'tool', attempt: 1, round: 1, input: aRef('in1'), calls: [], ...fields } as never,
});
const ended = (fields: object) => ({
  flow: { end: 'done', output: null, failure: null, edges: [], ...fields } as never,
});
const CHILD = { run: 'r2', stage: 'main' };
const usage = { prompt: 10, completion: 5, total: 15 };

const STORY: readonly JournalEvent[] = [
  anEvent('run_opened', { plan: aRef('plan'), flow: { workflow: 'review', pipeline: 'default', task: aRef('task') } }),
  anEvent('stage_opened', {
    stage: 'fetch',
    elapsedMs: 1,
    ...flow({ calls: [aCall({ id: 'fetch/1', tool: 'read', effect: 'read' })] }),
  }),
  anEvent('tool_intent', { stage: 'fetch', call: 'fetch/1', tool: 'read', effect: 'read', elapsedMs: 2 }),
  anEvent('tool_settled', { stage: 'fetch', call: 'fetch/1', result: aRef('found'), elapsedMs: 30 }),
  anEvent('stage_closed', { stage: 'fetch', ...ended({ output: aRef('in1'), edges: ['fetch->judge'] }) }),
  anEvent('stage_opened', { stage: 'judge', elapsedMs: 1, ...flow({ role: 'agent' }) }),
  anEvent('run_opened', { ...CHILD, parent: { run: 'r1', call: 'judge' } }),
  anEvent('stage_opened', CHILD),
  anEvent('context_built', {
    ...CHILD,
    parts: [
      { source: 'memory', form: 'whole', tokens: 12, text: aRef('memory'), run: null },
      { source: 'message', form: 'whole', tokens: 3, text: aRef('in1'), run: null },
    ],
  }),
  anEvent('model_asked', { ...CHILD, elapsedMs: 5 }),
  anEvent('model_failed', { ...CHILD, code: 'rate', elapsedMs: 100 }),
  anEvent('model_asked', { ...CHILD, attempt: 2 }),
  anEvent('model_answered', {
    ...CHILD,
    attempt: 2,
    elapsedMs: 400,
    usage,
    moneyMicros: 7,
    calls: [aCall({ id: '1.0', tool: 'publish', effect: 'idempotent', repair: ['commas_removed'] })],
    finish: 'tool_calls',
  }),
  anEvent('permission_asked', { ...CHILD, call: '1.0' }),
  anEvent('permission_answered', { ...CHILD, answer: 'allow' }),
  anEvent('tool_intent', { ...CHILD, call: '1.0', tool: 'publish', effect: 'idempotent' }),
  anEvent('tool_settled', { ...CHILD, call: '1.0', outcome: 'failed', result: aRef('broken'), elapsedMs: 9 }),
  anEvent('model_asked', { ...CHILD, ask: 2 }),
  anEvent('model_answered', {
    ...CHILD,
    ask: 2,
    usage,
    output: { code: null, text: aRef('judged'), repair: ['default_added'] },
  }),
  anEvent('stage_closed', CHILD),
  anEvent('run_closed', { ...CHILD, outcome: { kind: 'done', answer: aRef('judged') } }),
  anEvent('stage_closed', {
    stage: 'judge',
    elapsedMs: 600,
    ...ended({ output: aRef('judged'), edges: ['judge->ship'] }),
  }),
  anEvent('stage_opened', {
    stage: 'ship',
    ...flow({ calls: [aCall({ id: 'ship/1', tool: 'publish', effect: 'keyed' })] }),
  }),
  anEvent('tool_settled', { stage: 'ship', call: 'ship/1', outcome: 'denied', result: aRef('denied') }),
  anEvent('stage_closed', {
    stage: 'ship',
    ...ended({
      end: 'failed',
      failure: { category: 'permission', code: 'policy', message: aRef('why') },
      edges: ['ship->alarm'],
    }),
  }),
  anEvent('stage_closed', { stage: 'drop', ...ended({ end: 'skipped' }) }),
  anEvent('stage_opened', { stage: 'alarm', ...flow({ role: 'linear' }) }),
  anEvent('stage_closed', { stage: 'alarm', ...ended({ output: aRef('in1') }) }),
  anEvent('run_closed', { elapsedMs: 3, outcome: { kind: 'done', answer: aRef('in1') } }),
];

const STORY_SOURCES = sourcesOf({ ...TEXTS, denied: { kind: 'denied', code: 'policy', text: 'Not today.' } });

test('a workflow gives the expected sequence of telemetry events', () => {
  const folded = foldEvents(STORY, STORY_SOURCES);
  assert.deepEqual(
    folded.events.map(({ type, stage, agent }) => [type, stage, agent].join(' ')),
    [
      'task_created  ',
      'routing_decision  ',
      'stage_started fetch ',
      'permission_checked fetch ',
      'tool_called fetch ',
      'stage_finished fetch ',
      'stage_started judge ',
      'memory_retrieved judge critic',
      'model_called judge critic',
      'error judge critic',
      'model_called judge critic',
      'json_repair judge critic',
      'permission_checked judge critic',
      'permission_checked judge critic',
      'sensitive_call judge critic',
      'tool_called judge critic',
      'error judge critic',
      'model_called judge critic',
      'json_repair judge critic',
      'agent_called judge critic',
      'stage_finished judge ',
      'routing_decision judge ',
      'stage_started ship ',
      'permission_denied ship ',
      'error ship ',
      'stage_finished ship ',
      'routing_decision ship ',
      'stage_finished drop ',
      'stage_started alarm ',
      'stage_finished alarm ',
      'task_finished  ',
    ],
  );
  assert.deepEqual(
    folded.events.map(({ seq }) => seq),
    folded.events.map((_, index) => index + 1),
  );
  assert.ok(folded.events.every(({ task }) => task === 'task-7'));
  assert.deepEqual([...folded.projection.runs.keys()], ['r1']);
});

test('events carry tokens, cost, durations and failures with their place', () => {
  const folded = foldEvents(STORY, STORY_SOURCES);
  const used = { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30, cost_micros: 40, money_micros: 7 };
  const [failed, first] = only(folded, 'model_called');
  assert.deepEqual([failed?.outcome, failed?.code, failed?.duration_ms], ['failed', 'rate', 100]);
  assert.deepEqual([first?.usage.cost_micros, first?.duration_ms, first?.tool_calls], [20, 400, 1]);
  assert.deepEqual(only(folded, 'agent_called')[0]?.usage, used);
  assert.deepEqual(only(folded, 'task_finished')[0]?.usage, used);
  assert.deepEqual(
    only(folded, 'stage_finished').map(({ stage, usage: sum, duration_ms: ms, end }) => [
      stage,
      sum.total_tokens,
      ms,
      end,
    ]),
    [
      ['fetch', 0, 32, 'done'],
      ['judge', 30, 600, 'done'],
      ['ship', 0, 0, 'failed'],
      ['drop', 0, 0, 'skipped'],
      ['alarm', 0, 0, 'done'],
    ],
  );
  assert.deepEqual(only(folded, 'stage_finished')[2]?.failure, {
    taskId: 'task-7',
    pipelineId: 'default',
    stageId: 'ship',
    nodeType: 'tool',
    category: 'permission',
    code: 'policy',
  });
  assert.deepEqual(
    only(folded, 'error').map(({ where, failure: { code, stageId, nodeType }, message }) => [
      where,
      code,
      stageId,
      nodeType,
      message,
    ]),
    [
      ['model', 'rate', 'judge', 'agent', ''],
      ['tool', 'no_network', 'judge', 'agent', 'The network is down.'],
      ['stage', 'policy', 'ship', 'tool', 'The tool failed.'],
    ],
  );
});

test('events carry inputs, outputs, choices and checks', () => {
  const folded = foldEvents(STORY, STORY_SOURCES);
  const [created] = only(folded, 'task_created');
  assert.deepEqual([created?.input, created?.mode, created?.tags], [{ path: 'a.ts' }, 'implement', ['code']]);
  assert.deepEqual(
    only(folded, 'routing_decision').map(({ kind, choice }) => [kind, choice]),
    [
      ['pipeline', ROUTING],
      ['edges', ['judge->ship']],
      ['edges', ['ship->alarm']],
    ],
  );
  assert.deepEqual(
    only(folded, 'permission_checked').map(({ tool, verdict, by }) => `${tool} ${verdict} ${by}`),
    ['read allow policy', 'publish ask policy', 'publish allow person'],
  );
  assert.deepEqual(
    only(folded, 'permission_denied').map(({ tool, code, message }) => [tool, code, message]),
    [['publish', 'policy', 'Not today.']],
  );
  assert.deepEqual(
    only(folded, 'json_repair').map(({ where, tool, result, actions }) => [where, tool, result, ...actions]),
    [
      ['arguments', 'publish', 'repaired', 'commas_removed'],
      ['output', null, 'repaired', 'default_added'],
    ],
  );
  assert.deepEqual(
    only(folded, 'memory_retrieved').map(({ parts, tokens }) => [parts, tokens]),
    [[1, 12]],
  );
});

test('a model without a price has an unknown cost, and so has everything that used it', () => {
  const folded = foldEvents(STORY, { ...STORY_SOURCES, costOf: () => null });
  const costs = folded.events.flatMap((event) =>
    event.type === 'agent_called' || event.type === 'task_finished' || event.type === 'model_called'
      ? [event.usage.cost_micros]
      : [],
  );
  assert.deepEqual(costs, [null, null, null, null, null]);
  assert.deepEqual(
    only(folded, 'stage_finished').map(({ usage: sum }) => sum.cost_micros),
    [0, null, 0, 0, 0],
  );
});

test('deleted texts leave their events in place', () => {
  const folded = foldEvents(STORY, sourcesOf({}));
  assert.equal(folded.events.length, foldEvents(STORY, STORY_SOURCES).events.length - 2);
  assert.equal(only(folded, 'task_created')[0]?.input, '[deleted]');
  assert.equal(only(folded, 'tool_called')[1]?.code, 'failed');
});

test('the same journal gives the same events, even from its middle after a catch-up', () => {
  const whole = foldEvents(STORY, STORY_SOURCES);
  for (let at = 0; at <= STORY.length; at += 1) {
    const before = foldEvents(STORY.slice(0, at), STORY_SOURCES);
    const later: TelemetryEvent[] = [];
    let { projection } = before;
    for (const event of STORY.slice(at)) {
      const projected = project(projection, { type: 'event', event }, STORY_SOURCES);
      ({ projection } = projected);
      later.push(...projected.events);
    }
    assert.deepEqual([...before.events, ...later], whole.events);
  }
});

test('a failed task names the stage that failed, else the code of its run', () => {
  const opened = anEvent('run_opened', {
    plan: aRef('plan'),
    flow: { workflow: 'w', pipeline: 'p', task: aRef('task') },
  });
  const failure = { category: 'tool', code: 'no_network', message: aRef('why') };
  const closed = anEvent('run_closed', { outcome: { kind: 'failed', code: 'no_network', answer: null } });
  const stage = anEvent('stage_closed', { stage: 'ship', ...ended({ end: 'failed', failure }) });
  const byStage = only(foldEvents([opened, stage, closed], STORY_SOURCES), 'task_finished')[0];
  assert.deepEqual(
    [byStage?.status, byStage?.failure?.stageId, byStage?.failure?.category],
    ['failed', 'ship', 'tool'],
  );
  const budget = anEvent('run_closed', { outcome: { kind: 'failed', code: 'budget_time', answer: null } });
  const byRun = only(foldEvents([opened, stage, budget], STORY_SOURCES), 'task_finished')[0];
  assert.deepEqual([byRun?.failure?.code, byRun?.failure?.stageId], ['budget_time', '']);
  const cancelled = anEvent('run_closed', { outcome: { kind: 'cancelled' } });
  assert.equal(only(foldEvents([opened, cancelled], STORY_SOURCES), 'task_finished')[0]?.status, 'cancelled');
});

test('a fault that did not end its run is an error with its code; a fault of an unknown run is ignored', () => {
  const opened = anEvent('run_opened');
  const problem = (run: string, error: unknown): Notice => ({ type: 'problem', run, where: 'plugin audit', error });
  const coded = Object.assign(new Error('It broke.'), { code: 'plugin_failed' });
  const notices: Notice[] = [
    { type: 'event', event: opened },
    problem('r1', coded),
    problem('r1', 'words'),
    problem('r1', Object.assign(new Error('x'.repeat(5_000)), { code: 'not a code!' })),
    problem('r9', coded),
  ];
  assert.deepEqual(
    only(fold(notices, sourcesOf({})), 'error').map(({ where, failure: { category, code }, message }) => [
      where,
      category,
      code,
      message.slice(0, 30),
    ]),
    [
      ['engine', 'engine', 'plugin_failed', 'plugin audit: It broke.'],
      ['engine', 'engine', 'engine_problem', 'plugin audit: words'],
      ['engine', 'engine', 'engine_problem', `plugin audit: ${'x'.repeat(16)}`],
    ],
  );
});

test('a plugin that fails before the run of an agent begins, or after the end of the task, is an error of the task', () => {
  const problem = { type: 'problem', run: 'r2', task: 'r1', where: 'plugin audit', error: new Error('no') } as const;
  const before = fold([{ type: 'event', event: anEvent('run_opened') }, problem], sourcesOf({}));
  const after = fold(
    [{ type: 'event', event: anEvent('run_opened') }, { type: 'event', event: anEvent('run_closed') }, problem],
    sourcesOf({}),
  );
  for (const folded of [before, after]) assert.equal(folded.events.at(-1)?.type, 'error');
  assert.deepEqual(
    after.events.map(({ seq }) => seq),
    [1, 2, 3, 4],
  );
});

test('a long-lived process keeps only the last ended tasks', () => {
  const tasks = [...Array(300).keys()].map((number) => `r${number}`);
  const { projection } = foldEvents(
    tasks.flatMap((run) => [anEvent('run_opened', { run }), anEvent('run_closed', { run })]),
    sourcesOf({}),
  );
  assert.deepEqual([...projection.runs.keys()], tasks.slice(-100));
  assert.deepEqual([...projection.counts.keys()], tasks.slice(-100));
});

test('runs that no task has, and events of unknown runs, give nothing', () => {
  const orphan = anEvent('run_opened', { run: 'r5', parent: { run: 'gone', call: '1.0' } });
  assert.deepEqual(
    foldEvents([orphan, anEvent('model_asked', { run: 'r5' }), anEvent('tool_intent')], STORY_SOURCES).events,
    [],
  );
});
