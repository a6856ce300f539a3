import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { test } from 'node:test';
import { diceOf, seedOf } from '../../testing/dice.ts';
import { BREAKS, randomWorkflow, type RandomWorkflow } from '../testing/random-workflow.ts';
import { compilePlan, planProblems, type PlanSource } from './compile-plan.ts';
import type { DagCode } from './dag-problem.ts';
import { PipelineSpec } from './pipeline-spec.ts';
import { planText } from './plan-text.ts';
import type { Plan } from './plan.ts';
import { WorkflowSpec } from './workflow-spec.ts';

const CASES = 1_000;

const sourceOf = (workflow: unknown, pipeline: object = {}): PlanSource => ({
  workflow: WorkflowSpec.parse(workflow),
  pipelines: [PipelineSpec.parse({ id: 'default', ...pipeline })],
});

function planOf(source: PlanSource): Plan {
  const compiled = compilePlan(source, 'default');
  return compiled.ok ? compiled.value : assert.fail(JSON.stringify(compiled.errors));
}

const codesOf = (flow: RandomWorkflow): readonly (DagCode | undefined)[] => [
  ...new Set(planProblems(sourceOf(flow)).map(({ problem }) => problem)),
];

test('1,000 random valid workflows compile, each to stages that come after their sources', (t) => {
  const seed = seedOf();
  t.diagnostic(`SEED=${seed}`);
  const dice = diceOf(seed);
  let stages = 0;
  for (let count = 0; count < CASES; count += 1) {
    const flow = randomWorkflow(dice);
    const plan = planOf(sourceOf(flow));
    const place = new Map(plan.stages.map(({ id }, index) => [id, index]));
    assert.equal(place.size, flow.nodes.length, `case ${count}`);
    assert.ok(
      plan.edges.every(({ from, to }) => (place.get(from) ?? Infinity) < (place.get(to) ?? -1)),
      `case ${count}`,
    );
    stages += plan.stages.length;
  }
  t.diagnostic(`${Math.round(stages / CASES)} stages on average`);
});

test('1,000 random workflows, each broken in one way, are refused with the code of that way and no other', (t) => {
  const seed = seedOf();
  t.diagnostic(`SEED=${seed}`);
  const dice = diceOf(seed);
  const ways = Object.entries(BREAKS) as [DagCode, (typeof BREAKS)[DagCode]][];
  for (let count = 0; count < CASES; count += 1) {
    const flow = randomWorkflow(dice);
    const [code, broken] = ways[count % ways.length] ?? assert.fail();
    broken(flow, dice);
    assert.deepEqual(codesOf(flow), [code], `case ${count}: ${JSON.stringify(flow)}`);
  }
});

test('equal manifests give equal texts, and edges keep the order of the manifest', () => {
  const flow = randomWorkflow(diceOf(7), 3);
  const reordered = JSON.parse(JSON.stringify(flow), (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toReversed())
      : value,
  ) as RandomWorkflow;
  const plan = planOf(sourceOf(flow));
  assert.equal(planText(plan), planText(planOf(sourceOf(reordered))));
  assert.deepEqual(
    plan.edges.map(({ from, to }) => [from, to]),
    flow.edges.map(({ from, to }) => [from, to]),
  );
  assert.deepEqual(JSON.parse(planText(plan)), plan);
});

test('a plan has all fields of its nodes, in units of the engine', () => {
  const plan = planOf(
    sourceOf({
      id: 'small',
      nodes: [
        {
          id: 'ask',
          role: 'agent',
          agent: 'critic',
          decides: true,
          timeout_s: 0.5,
          retry: { attempts: 3, backoff_s: 1, on: ['json'] },
        },
        { id: 'shape', role: 'linear', output: "={'text': input}" },
        { id: 'call', role: 'tool', tool_plan: ['publish'], input: { path: '=task.id' } },
      ],
      edges: [
        { from: 'ask', to: 'shape', type: 'conditional', when: 'output > 1' },
        { from: 'ask', to: 'shape', type: 'conditional', when: 'output > 0' },
        { from: 'ask', to: 'call', type: 'conditional', otherwise: true },
      ],
    }),
  );
  const plain = { agent: null, tool: null, toolPlan: null, input: null, output: null, merge: null, feedback: null };
  const once = { retry: { attempts: 1, backoffMs: 0, on: null }, timeoutMs: null };
  assert.deepEqual(plan.stages, [
    {
      id: 'ask',
      role: 'agent',
      ...plain,
      agent: 'critic',
      decides: true,
      retry: { attempts: 3, backoffMs: 1_000, on: ['json'] },
      timeoutMs: 500,
    },
    { id: 'shape', role: 'linear', ...plain, ...once, decides: false, output: "{'text': input}" },
    { id: 'call', role: 'tool', ...plain, ...once, decides: false, toolPlan: ['publish'], input: { path: '=task.id' } },
  ]);
  assert.deepEqual(
    plan.edges.map(({ id, when }) => [id, when]),
    [
      ['ask->shape', 'output > 1'],
      ['ask->shape#2', 'output > 0'],
      ['ask->call', null],
    ],
  );
});

const JUDGED = {
  id: 'judged',
  nodes: [
    { id: 'draft', role: 'agent', agent: 'writer' },
    { id: 'judge', role: 'agent', agent: 'critic', decides: true },
    { id: 'ship', role: 'linear' },
    { id: 'alarm', role: 'linear' },
  ],
  edges: [
    { from: 'draft', to: 'judge' },
    { from: 'judge', to: 'ship', type: 'conditional', when: 'output.good' },
    { from: 'judge', to: 'alarm', type: 'error' },
  ],
};

test('a pipeline puts its stages around each node of a role; the last one decides in the place of the node', () => {
  const check = { id: 'check', role: 'agent', agent: 'critic' };
  const plan = planOf(sourceOf(JUDGED, { stages: { agent: [{ id: 'look', role: 'linear' }, 'node', check] } }));
  assert.deepEqual(
    plan.stages.map(({ id, decides }) => [id, decides]),
    [
      ['draft.look', false],
      ['draft', false],
      ['draft.check', false],
      ['judge.look', false],
      ['judge', false],
      ['judge.check', true],
      ['ship', false],
      ['alarm', false],
    ],
  );
  assert.deepEqual(
    plan.edges.map(({ id }) => id),
    [
      'draft.check->judge.look',
      'judge.check->ship',
      'judge.look->alarm',
      'judge->alarm',
      'judge.check->alarm',
      'draft.look->draft',
      'draft->draft.check',
      'judge.look->judge',
      'judge->judge.check',
    ],
  );
});

test('sequences that a workflow cannot have are refused at their place', () => {
  const merged = {
    id: 'merged',
    nodes: [
      { id: 'a', role: 'agent', agent: 'writer' },
      { id: 'b', role: 'feedback', agent: 'critic', reviews: 'a', until: 'output == 1' },
      { id: 'b.late', role: 'linear' },
      { id: 'c', role: 'merge' },
    ],
    edges: [
      { from: 'a', to: 'b' },
      { from: 'b', to: 'b.late' },
      { from: 'b', to: 'c' },
      { from: 'b.late', to: 'c' },
    ],
  };
  const extra = { id: 'late', role: 'linear' };
  const problems = (stages: object): unknown =>
    planProblems(sourceOf(merged, { stages })).map(({ code, path, message }) => [code, path.join('.'), message]);
  assert.deepEqual(problems({ merge: ['node', extra] }), []);
  assert.deepEqual(problems({ merge: [extra, 'node'] }), [
    ['config_dag', 'pipelines.0.stages.merge', 'a stage would stand between a merge node and its inputs'],
  ]);
  assert.deepEqual(problems({ agent: ['node', extra] }), [
    ['config_dag', 'pipelines.0.stages.agent', "a stage would stand between 'a' and the feedback node that reviews it"],
  ]);
  assert.deepEqual(problems({ feedback: ['node', extra] }), [
    ['config_dag', 'pipelines.0.stages', "two stages would have the id 'b.late'"],
  ]);
});

test('a plan whose ids or edges do not fit into events of the journal is refused', () => {
  const id = 'i'.repeat(60);
  const long = { id: 'long', nodes: [{ id, role: 'linear' }] };
  const messages = (workflow: object, stages: object): unknown =>
    planProblems(sourceOf(workflow, { stages })).map(({ code, message }) => [code, message]);
  assert.deepEqual(messages(long, { linear: ['node', { id: 'j'.repeat(35), role: 'linear' }] }), []);
  assert.deepEqual(messages(long, { linear: ['node', { id: 'j'.repeat(36), role: 'linear' }] }), [
    ['config_limit', `the id '${id}.${'j'.repeat(36)}' would have more than 96 characters`],
  ]);
  const ends = Array.from({ length: 256 }, (_, index) => ({ id: `end${index}`, role: 'linear' }));
  const edges = ends.map(({ id: to }) => ({ from: 'a', to, type: 'error' }));
  const wide = { id: 'wide', nodes: [{ id: 'a', role: 'agent', agent: 'writer' }, ...ends], edges };
  assert.deepEqual(messages(wide, {}), []);
  assert.deepEqual(messages(wide, { agent: ['node', { id: 'b', role: 'linear' }] }), [
    ['config_limit', "more than 256 edges would lead away from 'a'"],
  ]);
});

test('an unknown pipeline, and a plan with more than 1,000 stages, are refused', () => {
  const chain = {
    id: 'chain',
    nodes: Array.from({ length: 600 }, (_, index) => ({ id: `n${index}`, role: 'linear' })),
  };
  const source = sourceOf(chain, { stages: { linear: ['node', { id: 'more', role: 'linear' }] } });
  const refused = compilePlan(source, 'default');
  assert.deepEqual(refused.ok || refused.errors.map(({ code }) => code), ['config_limit']);
  const unknown = compilePlan(source, 'fast');
  assert.deepEqual(unknown.ok || unknown.errors.map(({ code, hint }) => [code, hint]), [
    ['config_reference', 'The pipelines are default.'],
  ]);
});

test('1,000 nodes with 5,000 edges are checked', (t) => {
  const nodes = Array.from({ length: 1_000 }, (_, index) => ({ id: `n${index}`, role: 'merge' }));
  const edges = nodes.flatMap(({ id }, index) =>
    [1, 2, 3, 4, 5].flatMap((step) => (index < step ? [] : [{ from: `n${index - step}`, to: id }])),
  );
  nodes[0] = { id: 'n0', role: 'linear' };
  const source = sourceOf({ id: 'large', nodes, edges });
  const started = performance.now();
  const problems = planProblems(source);
  t.diagnostic(`${(performance.now() - started).toFixed(1)} ms`);
  assert.ok(
    problems.every(({ problem }) => problem === 'merge_with_many_outputs' || problem === 'merge_with_one_input'),
  );
});
