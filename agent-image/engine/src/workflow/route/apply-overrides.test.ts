import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aPlan, aStage } from '../../testing/a-plan.ts';
import { fillTemplate } from '../expression/fill-template.ts';
import { MAX_STAGES, type Plan } from '../plan/plan.ts';
import { applyOverrides, type AgentPart, type ToolPart } from './apply-overrides.ts';
import { edgesAfter } from './edges-after.ts';
import { Override } from './override.ts';

const AGENTS: readonly AgentPart[] = [
  { id: 'writer', model: 'fast', tools: ['read', 'publish'] },
  { id: 'critic', model: 'fast', tools: ['read'] },
];
const TOOLS: readonly ToolPart[] = [
  { id: 'read', effect: 'read' },
  { id: 'publish', effect: 'once' },
];
/** Read, write, then publish and note: two exits, one of them a tool. */
const PLAN = aPlan(
  [
    aStage('fetch', { role: 'tool', tool: 'read' }),
    aStage('write', { role: 'agent', agent: 'writer' }),
    aStage('publish', { role: 'tool', tool: 'publish', input: { text: '=input.text', day: '=task.input.day' } }),
    aStage('note'),
  ],
  ['fetch>write', 'write>publish', 'write>note', 'publish!note'],
  { fallbacks: [{ category: 'agent', role: null, to: 'publish' }] },
);

const apply = (plan: Plan, ...overrides: readonly Override[]) =>
  applyOverrides(
    { plan, agents: AGENTS, tools: TOOLS },
    overrides.map((override) => Override.parse(override)),
  );

function applied(plan: Plan, ...overrides: readonly Override[]) {
  const result = apply(plan, ...overrides);
  return result.ok ? result.value : assert.fail(result.failure.message);
}

const stageOf = (plan: Plan, id: string) => plan.stages.find((stage) => stage.id === id) ?? assert.fail(id);
const edgesOf = ({ edges }: Plan): readonly string[] => edges.map(({ id, type }) => `${id} ${type}`);

test('without overrides nothing changes', () => {
  assert.deepEqual(applied(PLAN), { plan: PLAN, agents: AGENTS, tools: TOOLS, mode: null, budget: {}, changes: [] });
});

test('analysis_only: stages that would change something pass their input on, and the mode holds for other calls', () => {
  const { plan, mode, changes, tools } = applied(PLAN, { kind: 'analysis_only' }, { kind: 'dry_run' });
  assert.equal(mode, 'analysis_only');
  assert.deepEqual(stageOf(plan, 'publish'), aStage('publish'));
  assert.deepEqual(stageOf(plan, 'fetch'), stageOf(PLAN, 'fetch'));
  assert.deepEqual([plan.edges, tools], [PLAN.edges, TOOLS]);
  assert.deepEqual(changes.slice(0, 2), [
    { override: 'analysis_only', target: 'task', change: 'calls that change something are denied' },
    { override: 'analysis_only', target: 'publish', change: 'it passes its input on instead of calling publish' },
  ]);
});

test('dry_run: the plan stays, the mode holds for all calls', () => {
  const { plan, mode } = applied(PLAN, { kind: 'dry_run' });
  assert.deepEqual([plan, mode], [PLAN, 'dry_run']);
});

test('skip_tools: stages pass their input on, and agents and plans of tools lose the tools', () => {
  const { plan, agents, tools, changes } = applied(PLAN, { kind: 'skip_tools', tools: ['publish'] });
  assert.equal(stageOf(plan, 'publish').role, 'linear');
  assert.deepEqual(
    agents.map((agent) => agent.tools),
    [['read'], ['read']],
  );
  assert.deepEqual(
    tools.map(({ id }) => id),
    ['read'],
  );
  assert.deepEqual(
    changes.map(({ target }) => target),
    ['publish', 'writer'],
  );
});

test('the last override of a model holds, and for each limit the last override of the budget', () => {
  const value = applied(
    PLAN,
    { kind: 'model', agent: 'critic', model: 'large' },
    { kind: 'budget', budget: { steps: 5, money: '0.5' } },
    { kind: 'budget', budget: { steps: 3 } },
  );
  assert.deepEqual(
    value.agents.map(({ model }) => model),
    ['fast', 'large'],
  );
  assert.deepEqual(value.budget, { steps: 3, money: '0.5' });
  assert.deepEqual(
    value.changes.map(({ change }) => change),
    ['its model is large', 'its limits are steps: 5, money: 0.5', 'its limits are steps: 3'],
  );
});

test('require_review: a tool is reviewed before its call, another exit after its output', () => {
  const { plan, changes } = applied(PLAN, { kind: 'require_review', agent: 'critic' });
  assert.deepEqual(
    plan.stages.map(({ id, role }) => `${id} ${role}`),
    [
      'fetch tool',
      'write agent',
      'publish.held linear',
      'publish.review.critic agent',
      'publish tool',
      'note linear',
      'note.review.critic agent',
      'note.reviewed linear',
    ],
  );
  assert.deepEqual(edgesOf(plan), [
    'fetch->write normal',
    'write->publish.held normal',
    'write->note normal',
    'publish->note error',
    'publish.held->publish.review.critic normal',
    'publish.review.critic->publish conditional',
    'note->note.review.critic normal',
    'note.review.critic->note.reviewed conditional',
  ]);
  assert.deepEqual(plan.fallbacks, [{ category: 'agent', role: null, to: 'publish.held' }]);
  assert.deepEqual(
    changes.map(({ override, target }) => [override, target]),
    [
      ['require_review', 'publish'],
      ['require_review', 'note'],
    ],
  );
});

test('a reviewed tool gets the input that it would have got, and a reviewed output stays as it is', () => {
  const { plan } = applied(PLAN, { kind: 'require_review', agent: 'critic' });
  const stages = { 'publish.held': { output: { text: 'Hello' } }, note: { output: 'Done.' } };
  const scope = { task: { input: { day: 'Monday' } }, input: { approved: true }, stages };
  const { input } = stageOf(plan, 'publish');
  assert.deepEqual(fillTemplate(input, scope), { ok: true, value: { text: 'Hello', day: 'Monday' } });
  assert.deepEqual(fillTemplate(`=${stageOf(plan, 'note.reviewed').output}`, scope), { ok: true, value: 'Done.' });
  const bare = aPlan([aStage('send', { role: 'tool', tool: 'publish' })]);
  const held = applied(bare, { kind: 'require_review', agent: 'critic' }).plan;
  assert.deepEqual(fillTemplate(stageOf(held, 'send').input, { stages: { 'send.held': { output: 7 } } }), {
    ok: true,
    value: 7,
  });
  const texts = aPlan([aStage('send', { role: 'tool', tool: 'publish', input: ['==input', '=input', null, 'input'] })]);
  const { input: filled } = stageOf(applied(texts, { kind: 'require_review', agent: 'critic' }).plan, 'send');
  assert.deepEqual(fillTemplate(filled, { input: 0, stages: { 'send.held': { output: 7 } } }), {
    ok: true,
    value: ['=input', 7, null, 'input'],
  });
});

test('only an approval opens the way after a review', () => {
  const { plan } = applied(PLAN, { kind: 'require_review', agent: 'critic' });
  const after = (output: unknown) =>
    edgesAfter(plan, 'publish.review.critic', {
      kind: 'done',
      output,
      scope: () => ({ task: {}, input: null, stages: {} }),
    });
  assert.deepEqual(after({ approved: true, why: 'clear' }), {
    ok: true,
    edges: ['publish.review.critic->publish'],
    handled: true,
  });
  for (const refusal of [{ approved: false }, { approved: 'true' }, {}, 'I approve.'])
    assert.equal(after(refusal).ok, false);
});

test('several reviews follow each other, and each one judges the same', () => {
  const review = (agent: string) => ({ kind: 'require_review', agent }) as const;
  const { plan } = applied(PLAN, review('critic'), review('writer'), review('critic'));
  assert.deepEqual(
    edgesOf(plan).filter((edge) => edge.includes('.')),
    [
      'write->publish.held normal',
      'publish.held->publish.review.critic normal',
      'publish.review.critic->publish.review.writer conditional',
      'publish.review.writer->publish conditional',
      'note->note.review.critic normal',
      'note.review.critic->note.review.writer conditional',
      'note.review.writer->note.reviewed conditional',
    ],
  );
  const stages = { 'publish.held': { output: 'Hello' }, note: { output: 'Done.' } };
  for (const { id, agent, input } of plan.stages.filter(({ decides }) => decides)) {
    const value = id.startsWith('publish') ? 'Hello' : 'Done.';
    assert.deepEqual([fillTemplate(input, { stages }), id.endsWith(agent ?? '')], [{ ok: true, value }, true]);
  }
});

test('stages of a review take free ids', () => {
  const plan = aPlan([aStage('a'), aStage('a.reviewed')], []);
  const ids = applied(plan, { kind: 'require_review', agent: 'critic' }).plan.stages.map(({ id }) => id);
  assert.deepEqual(ids.slice(2), ['a.review.critic', 'a.reviewed_', 'a.reviewed.review.critic', 'a.reviewed.reviewed']);
});

test('an override that cannot be applied is refused with a code', () => {
  const codeOf = (...overrides: readonly Override[]) => {
    const result = apply(PLAN, ...overrides);
    return result.ok ? null : `${result.failure.category}/${result.failure.code}: ${result.failure.message}`;
  };
  assert.match(
    codeOf({ kind: 'model', agent: 'ghost', model: 'x' }) ?? '',
    /^config\/override_unknown: .* agent ghost/,
  );
  assert.match(codeOf({ kind: 'require_review', agent: 'ghost' }) ?? '', /^config\/override_unknown/);
  assert.match(
    codeOf({ kind: 'skip_tools', tools: ['read', 'none'] }) ?? '',
    /^config\/override_unknown: .* tool none/,
  );
  const long = `=input == '${'x'.repeat(3_980)}'`;
  const tight = aPlan([aStage('send', { role: 'tool', tool: 'publish', input: long })]);
  const unfit = apply(tight, { kind: 'require_review', agent: 'critic' });
  assert.equal(!unfit.ok && unfit.failure.code, 'override_unfit');
  const wide = aPlan(Array.from({ length: MAX_STAGES - 1 }, (_, at) => aStage(`s${at}`)));
  const large = apply(wide, { kind: 'require_review', agent: 'critic' });
  assert.match(large.ok ? '' : large.failure.message, /^The reviews make more than 1000 stages/);
});

test('the schema of overrides refuses what is not one', () => {
  const wrong = [
    { kind: 'run_faster' },
    { kind: 'analysis_only', deeply: true },
    { kind: 'skip_tools', tools: [] },
    { kind: 'skip_tools', tools: ['Not an id'] },
    { kind: 'budget', budget: {} },
    { kind: 'budget', budget: { steps: 0 } },
    { kind: 'budget', budget: { money: '1e3' } },
    { kind: 'model', agent: 'a' },
  ];
  for (const override of wrong) assert.equal(Override.safeParse(override).success, false, JSON.stringify(override));
});
