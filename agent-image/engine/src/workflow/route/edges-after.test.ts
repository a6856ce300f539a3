import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anEdge, aPlan, aStage } from '../../testing/a-plan.ts';
import { diceOf, seedOf } from '../../testing/dice.ts';
import { FAILURE_CATEGORIES, type FailureCategory } from '../plan/failure.ts';
import { NODE_ROLES, type Plan } from '../plan/plan.ts';
import { edgesAfter, type Routed } from './edges-after.ts';

const done = (output: unknown = null) =>
  ({ kind: 'done', output, scope: () => ({ task: {}, input: 7, stages: {} }) }) as const;
const failed = (category: FailureCategory, ...closed: readonly string[]) =>
  ({ kind: 'failed', failure: { category, code: 'broken', message: 'It broke.' }, closed: new Set(closed) }) as const;

const edges = (result: Routed): readonly string[] => (result.ok ? result.edges : assert.fail(result.failure.message));
const failure = (result: Routed): string =>
  result.ok
    ? assert.fail(result.edges.join())
    : `${result.failure.category}/${result.failure.code}: ${result.failure.message}`;

const DECISION = aPlan(
  [aStage('judge', { role: 'agent', agent: 'critic', decides: true }), aStage('fix'), aStage('ship'), aStage('ask')],
  ['judge?fix:output.score < 3', 'judge?ask', 'judge?ship:output.score < 5 && input == 7'],
);

test('a stage that is done takes its normal edges', () => {
  const plan = aPlan([aStage('a'), aStage('b'), aStage('c'), aStage('d')], ['a>b', 'a!d', 'a>c']);
  assert.deepEqual(edgesAfter(plan, 'a', done()), { ok: true, edges: ['a->b', 'a->c'], handled: true });
  assert.deepEqual(edges(edgesAfter(plan, 'c', done())), []);
});

test('a decision takes the first true condition in the order of the manifest, else the edge without one', () => {
  assert.deepEqual(edges(edgesAfter(DECISION, 'judge', done({ score: 1 }))), ['judge->fix']);
  assert.deepEqual(edges(edgesAfter(DECISION, 'judge', done({ score: 3 }))), ['judge->ship']);
  assert.deepEqual(edges(edgesAfter(DECISION, 'judge', done({ score: 9 }))), ['judge->ask']);
});

test('a decision without a true condition fails, and a condition without a value too', () => {
  const plan = { ...DECISION, edges: DECISION.edges.filter(({ when }) => when !== null) };
  assert.match(failure(edgesAfter(plan, 'judge', done({ score: 9 }))), /^routing\/no_edge: No condition after judge/);
  assert.match(
    failure(edgesAfter(plan, 'judge', done({}))),
    /^routing\/condition_failed: .*judge->fix.* no field score/,
  );
  const text = { ...DECISION, edges: [anEdge('judge?fix:output')] };
  assert.match(failure(edgesAfter(text, 'judge', done('yes'))), /^routing\/condition_failed: .* not true or false/);
  assert.match(failure(edgesAfter(plan, 'none', done())), /^routing\/no_such_stage/);
});

test('when a stage fails: error edges, then the configured fallback edges, then rules, then the task fails', () => {
  const stages = [aStage('a', { role: 'tool', tool: 'read' }), aStage('b'), aStage('c'), aStage('d'), aStage('alarm')];
  const fallbacks = [
    { category: 'agent', role: null, to: 'c' },
    { category: 'tool', role: 'agent', to: 'b' },
    { category: 'tool', role: 'tool', to: 'alarm' },
    { category: 'tool', role: null, to: 'c' },
  ] as const;
  const after = (category: FailureCategory, ...drawn: readonly string[]): Routed =>
    edgesAfter(aPlan(stages, drawn, { fallbacks }), 'a', failed(category));
  assert.deepEqual(after('tool', 'a>b', 'a~c', 'a!d', 'a!alarm'), {
    ok: true,
    edges: ['a->d', 'a->alarm'],
    handled: true,
  });
  assert.deepEqual(edges(after('tool', 'a>b', 'a~c', 'a~d')), ['a->c', 'a->d']);
  assert.deepEqual(edges(after('tool', 'a>b')), ['fallback:alarm']);
  assert.deepEqual(edges(after('agent', 'a>b')), ['fallback:c']);
  assert.deepEqual(after('json', 'a>b'), { ok: true, edges: [], handled: false });
});

test('a rule leads neither to the stage that failed nor to one that is closed', () => {
  const stages = [aStage('a', { role: 'tool' }), aStage('alarm', { role: 'tool' }), aStage('last')];
  const rules = (...targets: readonly string[]) =>
    aPlan(stages, [], { fallbacks: targets.map((to) => ({ category: 'tool', role: null, to })) });
  assert.deepEqual(edgesAfter(rules('alarm'), 'alarm', failed('tool')), { ok: true, edges: [], handled: false });
  assert.deepEqual(edgesAfter(rules('alarm'), 'a', failed('tool', 'alarm')), { ok: true, edges: [], handled: false });
  assert.deepEqual(edges(edgesAfter(rules('alarm', 'last'), 'alarm', failed('tool'))), ['fallback:last']);
});

test('random plans: the same edges twice, and only those of the plan', (context) => {
  const seed = seedOf();
  context.diagnostic(`SEED=${seed}`);
  const dice = diceOf(seed);
  for (let round = 0; round < 1_000; round += 1) {
    const plan = randomPlan(dice);
    const stage = dice.of(plan.stages).id;
    const end = dice.chance(0.5) ? done(dice.below(4)) : failed(dice.of(FAILURE_CATEGORIES));
    const result = edgesAfter(plan, stage, end);
    assert.deepEqual(edgesAfter(plan, stage, end), result);
    if (!result.ok) continue;
    const own = plan.edges.filter(({ from }) => from === stage).map(({ id }) => id);
    const rules = plan.fallbacks.map(({ to }) => `fallback:${to}`);
    assert.ok(result.edges.every((id) => own.includes(id) || (end.kind === 'failed' && rules.includes(id))));
    assert.equal(new Set(result.edges).size, result.edges.length);
    if (end.kind === 'failed') assert.equal(result.handled, result.edges.length > 0);
  }
});

function randomPlan(dice: ReturnType<typeof diceOf>): Plan {
  const ids = ['a', 'b', 'c', 'd'];
  const stages = ids.map((id) => aStage(id, { role: dice.of(NODE_ROLES), decides: dice.chance(0.3) }));
  const drawn = ids.flatMap((from) =>
    ids.filter((to) => to !== from && dice.chance(0.5)).map((to) => `${from}${dice.of(SIGNS)}${to}`),
  );
  const conditions = drawn.map((edge) => {
    const when = dice.of(['output > 1', 'output == 0', '', 'output.x']);
    return edge.includes('?') && when !== '' ? `${edge}:${when}` : edge;
  });
  const fallbacks = [{ category: dice.of(FAILURE_CATEGORIES), role: null, to: dice.of(ids) }];
  return aPlan(stages, conditions, { fallbacks });
}

const SIGNS = ['>', '?', '!', '~'];
