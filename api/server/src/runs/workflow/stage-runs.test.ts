/** The stages of workflows over HTTP: calls of `run_stage` by honest and lying engines, what people see of the journal, and repeats. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JournalClaim, Run } from '@hamlet/contract';
import { inTransaction, taintRun } from '@hamlet/store';
import { dataOf, refuses } from '@hamlet/test/env/client';
import { pluck } from '@hamlet/test/env/pluck';
import { accepted } from '../../http/outcome.ts';
import { PermissionPlay, resultOf, startPermits, type Working } from '../../permissions/testing/permission-play.ts';
import { RunPlay } from '../../testing/play/run-play.ts';
import { clientOf, TOKENS, type AgentId } from '../../testing/test-village.ts';

const manifests = { text: 'id: review\n' };
const manifestSource = {
  read: async () => accepted([{ path: 'workflow.yaml' as const, text: manifests.text }]),
};
const rules = JSON.stringify([{ tools: ['read', 'speak', 'delegate'], verdict: 'allow' }]);
const { village, permits } = await startPermits({ rules, agents: { manifestSource } });
await village.liftRequestLimits();
const { play } = permits;
const { admin, member } = play;
const runs = new RunPlay(play.url);
const other = new PermissionPlay(
  (await village.startReplica({ HAMLET_TOOL_RULES: rules }, { agents: { manifestSource } })).peopleUrl,
);

const SCHEMA = { type: 'object', properties: { loaves: { type: 'integer' } }, required: ['loaves'] };
const STAGE = { stage: 'count', round: 1, attempt: 1, agent: 'counter', prompt: 'Count the bread.' };
const PLAN = JSON.stringify({ stages: [{ id: 'spare', role: 'tool' }] });

const call = (callId: string, args: object = {}) => ({ tool: 'run_stage', callId, args: { ...STAGE, ...args } });

async function begun(agentId: AgentId, by = admin): Promise<Working> {
  const body = { prompt: 'Count.', workflow: { pipeline: 'quick', overrides: [{ kind: 'dry_run' }] } };
  return permits.start(agentId, (await by.createRun({ agent_id: agentId, ...body })).run);
}

async function workerOf(working: Working, callId: string, args: object = {}): Promise<Run> {
  const { outcome } = dataOf(await permits.perform(working, call(callId, args)));
  assert.equal(outcome.kind, 'ok', outcome.text);
  return runs.get(String(outcome.data?.['run_id']));
}

test('a stage begins one worker for its call, with its tools and its schema, whichever replica is asked', async () => {
  const task = await begun('ada');
  const args = { tools: ['read_board'], output_schema: SCHEMA, tokens: 2_000 };
  const answers = await Promise.all(
    [permits, other, permits, other].map((each) => each.perform(task, call('count.1.1:1', args))),
  );
  const ids = new Set(answers.map((answer) => dataOf(answer).outcome.data?.['run_id']));
  assert.equal(ids.size, 1);
  const worker = await workerOf(task, 'count.1.1:1', args);
  const { prompt: _, ...stage } = STAGE;
  assert.deepEqual(
    [worker.kind, worker.worker?.role, worker.worker?.stage, worker.worker?.tools, worker.budgets?.tokens],
    ['worker', 'count', stage, [['read_board']], 2_000],
  );
  const started = dataOf(await runs.start('ada', worker.run_id));
  assert.deepEqual([started.output_schema, started.manifests], [SCHEMA, undefined]);
  const events = (await runs.events(task.runId)).filter(({ event }) => event === 'call_settled');
  assert.deepEqual(
    pluck(events, 'witnessed', 'detail').map(([seen]) => seen),
    [true],
  );
  const bare = await workerOf(task, 'count.1.2:1', { attempt: 2, tools: [] });
  assert.deepEqual(bare.worker?.tools, [[]], 'an agent without tools may call none');
});

test('a call of run_stage is refused without a workflow of the run itself, with a wrong input, and with a wrong schema', async () => {
  const plain = await permits.startRun('bob');
  assert.equal(resultOf(await permits.perform(plain, call('a.1.1:1'))), 'denied no_workflow');
  await permits.end(plain);
  const task = await begun('bob');
  const worker = await permits.start('bob', await workerOf(task, 'a.1.1:1'));
  assert.equal(resultOf(await permits.perform(worker, call('a.1.1:1'))), 'denied no_workflow');
  assert.equal(resultOf(await permits.perform(task, call('a.1.1:2', { stage: '../etc' }))), 'failed invalid_input');
  assert.equal(resultOf(await permits.perform(task, call('a.1.1:3', { round: 0 }))), 'failed invalid_input');
  const slow = { output_schema: { properties: { name: { pattern: '(a+)+$' } } } };
  assert.equal(resultOf(await permits.perform(task, call('a.1.1:4', slow))), 'failed invalid_input');
  const wrong = { output_schema: { properties: { name: { type: 'strin' } } } };
  assert.equal(resultOf(await permits.perform(task, call('a.1.1:5', wrong))), 'failed output_schema_invalid');
});

test('a stage waits while no more workers may be active, and the same call begins its worker later', async () => {
  const task = await begun('cleo');
  const workers = [];
  for (const number of [1, 2, 3, 4]) workers.push(await workerOf(task, `a.1.1:${number}`, { tokens: 1_000 }));
  const { outcome } = dataOf(await permits.perform(task, call('b.1.1:1')));
  assert.deepEqual([outcome.kind, outcome.code, outcome.data], ['failed', 'worker_too_many', { again: true }]);
  dataOf(await runs.cancel(workers[0]?.run_id ?? ''));
  assert.equal(resultOf(await permits.perform(task, call('b.1.1:1'))), 'ok');
  for (const { run_id } of workers.slice(1)) dataOf(await runs.cancel(run_id));
  const all = call('c.1.1:1', { tokens: 1_000_000_000 });
  assert.deepEqual(dataOf(await permits.perform(task, all)).outcome.data, { again: true }, 'a share may come back');
  for (const { run } of (await admin.listWorkers({ agent_id: 'cleo', active: 'true' })).workers)
    await runs.cancel(run.run_id);
  const { outcome: last } = dataOf(await permits.perform(task, all));
  assert.deepEqual([last.code, last.data], ['worker_no_tokens', undefined], 'nothing can come back');
});

const ref = (name: string): string => name.padEnd(22, '_');
const text = (name: string, value: unknown) => ({ ref: ref(name), text: JSON.stringify(value) });
let seq = 0;

/** Stores events of the journal of a task; the time of an event is its number. */
function store(
  { agentId, runId, cycle, attempt }: Working,
  events: readonly (Partial<JournalClaim> & { readonly type: string })[],
  payloads: { ref: string; text: string }[] = [],
) {
  const entries = events.map((fields) => {
    seq += 1;
    return { seq, event: { v: 7, run: runId, stage: 'task', fence: 1, at: seq, elapsedMs: 1, ...fields } };
  });
  return play.as(agentId).raw.storeRunJournal({ run_id: runId, cycle, attempt, entries, payloads });
}

const opened = (stage: string, { role = 'agent', attempt = 1, input = 'input', calls = [] as object[] } = {}) => ({
  type: 'stage_opened',
  stage,
  flow: { role, attempt, round: 1, input: ref(input), calls },
});
const closed = (stage: string, end: string, more: object = {}) => ({
  type: 'stage_closed',
  stage,
  flow: { end, output: null, failure: null, edges: [], ...more },
});
const OPENED = {
  type: 'run_opened',
  model: 'none',
  plan: ref('plan'),
  flow: { workflow: 'w', pipeline: 'quick', task: ref('task') },
};
const TEXTS = [
  { ref: ref('plan'), text: PLAN },
  text('input', { of: 'walnut' }),
  text('output', 'walnut bread'),
  text('why', 'no walnut left'),
];

test('people see the stages of the journal, with the tokens of all attempts', async () => {
  const task = await begun('dan', member);
  const params = { run_id: task.runId };
  const before = await member.getRunWorkflow(params);
  assert.deepEqual([before.pipeline, before.plan, before.stages], [null, null, []]);
  assert.deepEqual(before.manifests.files, [{ path: 'workflow.yaml', text: manifests.text }]);
  const failure = { category: 'agent', code: 'no_bread', message: ref('why') };
  const read = { id: 'read.1.1:1', modelId: 'x', tool: 'read_board', arguments: ref('input'), effect: 'read' };
  const [first, second] = [await workerOf(task, 'count.1.1:1'), await workerOf(task, 'count.1.2:1', { attempt: 2 })];
  dataOf(
    await store(
      task,
      [
        OPENED,
        opened('read', { role: 'tool', calls: [read] }),
        { type: 'tool_settled', call: 'read.1.1:1', outcome: 'denied', result: ref('why'), polls: false },
        closed('read', 'done', { output: ref('output'), edges: ['read-count'] }),
        opened('count'),
        closed('count', 'failed', { failure }),
      ],
      TEXTS,
    ),
  );
  const shown = await member.getRunWorkflow(params);
  assert.deepEqual([shown.pipeline, shown.plan], ['quick', PLAN]);
  const [reading, counting] = shown.stages;
  assert.deepEqual(
    { ...reading, started_at: '', ended_at: '' },
    {
      stage: 'read',
      role: 'tool',
      status: 'completed',
      round: 1,
      attempt: 1,
      input: '{"of":"walnut"}',
      output: '"walnut bread"',
      failure: null,
      edges: ['read-count'],
      worker_run_id: null,
      tokens: 0,
      cost: '0',
      started_at: '',
      ended_at: '',
    },
  );
  assert.deepEqual(
    [counting?.status, counting?.failure?.message, counting?.worker_run_id],
    ['repeated', 'no walnut left', first.run_id],
  );
  for (const [worker, tokens] of [
    [first, 100],
    [second, 20],
  ] as const) {
    const { run_id } = worker;
    dataOf(await runs.start('dan', run_id));
    const usage = { steps: 1, tokens, cost: '0.5' };
    dataOf(await runs.settle('dan', run_id, { state: 'failed', summary: 'No.', usage }));
  }
  dataOf(await store(task, [opened('count', { attempt: 2 }), closed('spare', 'skipped')]));
  const now = (await admin.getRunWorkflow(params)).stages;
  assert.deepEqual(
    now.map((each) => [each.stage, each.role, each.status, each.attempt, each.worker_run_id, each.tokens, each.cost]),
    [
      ['read', 'tool', 'completed', 1, null, 0, '0'],
      ['count', 'agent', 'running', 2, second.run_id, 120, '1'],
      ['spare', 'tool', 'skipped', 0, null, 0, '0'],
    ],
  );
  assert.equal(now[2]?.started_at, null);
  const named = (await runs.events(task.runId)).filter(({ witnessed }) => !witnessed);
  assert.deepEqual(pluck(named, 'event', 'detail').slice(0, 3), [
    ['stage_begun', { stage: 'read', role: 'tool', round: 1, attempt: 1 }],
    [
      'call_settled',
      {
        call_id: 'read.1.1:1',
        tool: 'read_board',
        effect: 'read',
        arguments_text: '{"of":"walnut"}',
        outcome: 'denied',
        result_text: '"no walnut left"',
      },
    ],
    ['stage_ended', { stage: 'read', end: 'done' }],
  ]);
});

test('stages of later batches name their calls too', async () => {
  const task = await begun('eve');
  const calls = [{ id: 'a.1.1:2', modelId: 'x', tool: 'list', arguments: ref('input'), effect: 'read' }];
  dataOf(
    await store(task, [OPENED, opened('a', { role: 'tool' }), { type: 'calls_planned', stage: 'a', calls }], TEXTS),
  );
  dataOf(
    await store(task, [{ type: 'tool_settled', call: 'a.1.1:2', outcome: 'ok', result: ref('output'), polls: false }]),
  );
  const last = (await runs.events(task.runId)).at(-1);
  assert.deepEqual([last?.event, last?.detail['tool' as never]], ['call_settled', 'list']);
});

test('other members see the states of stages, and none of their texts; a run without a workflow has none', async () => {
  const task = await begun('fay');
  const failure = { category: 'agent', code: 'no_bread', message: ref('why') };
  const ended = closed('count', 'failed', { failure, edges: ['spare'], output: null });
  dataOf(
    await store(
      task,
      [OPENED, opened('read'), closed('read', 'done', { output: ref('output') }), opened('count'), ended],
      TEXTS,
    ),
  );
  const shown = await member.getRunWorkflow({ run_id: task.runId });
  assert.doesNotMatch(JSON.stringify(shown), /walnut/);
  assert.deepEqual([shown.plan, shown.pipeline], [null, 'quick']);
  assert.deepEqual(
    shown.stages.map(({ status, input, output, failure: why }) => [status, input, output, why?.code]),
    [
      ['completed', null, null, undefined],
      ['failed', null, null, 'no_bread'],
    ],
  );
  await permits.end(task);
  await refuses(admin.raw.getRunWorkflow({ run_id: (await runs.give('fay')).run_id }), 'no_workflow');
  await refuses(admin.raw.getRunWorkflow({ run_id: '00000000-0000-4000-8000-000000000000' }), 'no_such_run');
  await runs.finishAll('fay');
});

test('unreadable stages of a lying journal are ignored, and break nothing', async () => {
  const task = await begun('ada');
  const lies = [
    { ...opened('walnut'), at: Number.MAX_SAFE_INTEGER },
    { ...opened('../up') },
    {
      type: 'stage_opened',
      stage: 'a',
      flow: { role: 'agent', attempt: -1, round: 1, input: ref('input'), calls: [] },
    },
    { type: 'stage_closed', stage: 'a', flow: 'done' },
    {
      type: 'stage_opened',
      stage: 'b',
      flow: { role: 'agent', attempt: 1, round: 1, input: ref('missing'), calls: [] },
    },
    {
      type: 'stage_closed',
      stage: 'b',
      flow: { end: 'failed', output: null, failure: { category: 'json', code: 'x', message: ref('plan') }, edges: [] },
    },
  ];
  dataOf(await store(task, [OPENED, ...lies], [{ ref: ref('plan'), text: 'no JSON' }]));
  const { stages, plan } = await admin.getRunWorkflow({ run_id: task.runId });
  assert.deepEqual([stages.map(({ stage, input }) => [stage, input]), plan], [[['b', null]], 'no JSON']);
  assert.equal(stages[0]?.failure?.message, '');
});

test('an ended run is repeated from a stage with another input and other manifests, each with its refusals', async () => {
  const task = await begun('bob', member);
  const params = { run_id: task.runId };
  await refuses(member.raw.rerunRun(params), 'run_under_way');
  dataOf(
    await store(
      task,
      [OPENED, opened('read'), closed('read', 'done'), opened('count'), closed('spare', 'skipped')],
      TEXTS,
    ),
  );
  await permits.end(task);
  assert.deepEqual(
    (await member.getRunWorkflow(params)).stages.map(({ stage, status }) => [stage, status]),
    [
      ['read', 'completed'],
      ['count', 'stopped'],
      ['spare', 'skipped'],
    ],
  );
  const before = manifests.text;
  manifests.text = 'id: newer\n';
  const { run } = await member.rerunRun(params);
  const { workflow: first } = await runs.get(task.runId);
  assert.deepEqual(run.workflow, { ...first, rerun: { run_id: task.runId, stage: 'count' } });
  assert.deepEqual([run.prompt, run.created_by.role, run.state], ['Count.', 'member', 'queued']);
  const edited = await member.rerunRun({ ...params, stage: 'read', input_json: '{"of":"rye"}', manifests: 'current' });
  assert.deepEqual(edited.run.workflow?.rerun, { run_id: task.runId, stage: 'read', input_json: '{"of":"rye"}' });
  assert.notEqual(edited.run.workflow?.manifests, first?.manifests);
  const { manifests: got } = await admin.getRunWorkflow({ run_id: edited.run.run_id });
  assert.deepEqual(got.files, [{ path: 'workflow.yaml', text: 'id: newer\n' }]);
  manifests.text = before;
  await refuses(member.raw.rerunRun({ ...params, stage: 'spare' }), 'no_such_stage', /not begun a stage of this name/);
  await refuses(member.raw.rerunRun({ ...params, stage: 'unknown' }), 'no_such_stage');
  await refuses(member.raw.rerunRun({ ...params, input_json: '{' }), 'validation_failed');
  await runs.finishAll('bob');
  await refuses(admin.raw.rerunRun({ run_id: (await runs.give('bob')).run_id }), 'no_workflow');
  await runs.finishAll('bob');
});

test('members repeat only their own runs, and a run whose stages all ended well names no stage', async () => {
  const task = await begun('cleo');
  dataOf(await store(task, [OPENED, opened('read'), closed('read', 'done')], TEXTS));
  await permits.end(task);
  const params = { run_id: task.runId };
  await refuses(member.raw.rerunRun({ ...params, stage: 'read' }), 'forbidden', /only runs that they created/);
  await refuses(admin.raw.rerunRun(params), 'no_such_stage', /name the stage/);
  await refuses(admin.raw.rerunRun({ run_id: '00000000-0000-4000-8000-000000000000' }), 'no_such_run');
  const again = clientOf(other.play.url, TOKENS.admin);
  const { run } = await again.rerunRun({ ...params, stage: 'read' });
  assert.equal(run.workflow?.rerun?.stage, 'read');
  await admin.banAgent({ agent_id: 'cleo', reason: 'a test' });
  await refuses(admin.raw.rerunRun({ ...params, stage: 'read' }), 'agent_barred');
  await admin.liftBan({ agent_id: 'cleo', reason: 'the test is over' });
});

test('the worker of a stage has the marks that its task has when it begins', async () => {
  const task = await begun('eve');
  const [first, second] = [
    await workerOf(task, 'a.1.1:1', { stage: 'a', tokens: 1_000 }),
    await workerOf(task, 'b.1.1:1', { stage: 'b', tokens: 1_000 }),
  ];
  const mark = { runId: first.run_id, source: 'egress', detail: 'walnuts.example' } as const;
  await inTransaction(village.openDb(), (tx) => taintRun(tx, mark));
  assert.equal((await runs.get(second.run_id)).taint, undefined);
  dataOf(await runs.start('eve', second.run_id));
  assert.deepEqual(pluck((await runs.get(second.run_id)).taint ?? [], 'source'), ['parent']);
});

test('a stage has ended once the run has followed hundreds of its edges', async () => {
  const task = await begun('fay');
  const edges = Array.from({ length: 300 }, (_, at) => `start-${at}`);
  dataOf(await store(task, [OPENED, opened('start', { role: 'linear' }), closed('start', 'done', { edges })], TEXTS));
  const [stage] = (await admin.getRunWorkflow({ run_id: task.runId })).stages;
  assert.deepEqual([stage?.status, stage?.edges], ['completed', edges]);
});

test('the usage of a task is what its stages used, even if the API charged one of their requests to the task', async () => {
  const task = await begun('ada');
  const usage = { steps: 4, tokens: 72, cost: '0.000144' };
  const end = { attempt: task.attempt, state: 'failed' as const, summary: 'Enough.', usage };
  dataOf(await runs.settle('ada', task.runId, end));
  const charge = (tokens: number) =>
    village
      .openDb()
      .updateTable('run')
      .set({ tokens, cost_micros: tokens * 2 })
      .where('run_id', '=', task.runId)
      .execute();
  await charge(18);
  assert.deepEqual((await runs.get(task.runId)).usage, { ...usage, witnessed: false });
  await charge(90);
  assert.deepEqual((await runs.get(task.runId)).usage, { steps: 4, tokens: 90, cost: '0.00018', witnessed: true });
});
