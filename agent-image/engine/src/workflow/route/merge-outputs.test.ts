import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aStage } from '../../testing/a-plan.ts';
import { diceOf, seedOf } from '../../testing/dice.ts';
import { MERGE_POLICIES, type MergePolicy } from '../plan/plan.ts';
import { mergeOutputs, type Arrival } from './merge-outputs.ts';

/** Inputs in the order of the plan. The numbers say in which order they arrived; without them, in the order of the plan. */
const arrivalsOf = (values: Readonly<Record<string, unknown>>, ...arrived: readonly number[]): readonly Arrival[] =>
  Object.entries(values).map(([source, value], index) => ({ source, value, arrived: arrived[index] ?? index }));

const merge = (policy: MergePolicy | null, arrivals: readonly Arrival[], output: string | null = null) =>
  mergeOutputs(aStage('all', { role: 'merge', merge: policy, output }), arrivals, { task: { id: 't' }, stages: {} });

function mergedOf(policy: MergePolicy, arrivals: readonly Arrival[], output: string | null = null): unknown {
  const result = merge(policy, arrivals, output);
  return result.ok ? result.value : assert.fail(result.failure.message);
}

function failureOf(result: ReturnType<typeof merge>): string {
  if (result.ok) return assert.fail(JSON.stringify(result.value));
  assert.deepEqual([result.failure.category, result.failure.code], ['routing', 'merge_failed']);
  return result.failure.message;
}

test('list keeps the order of the plan, by_source the ids of the sources', () => {
  const arrivals = arrivalsOf({ b: 2, a: { x: 1 }, c: null }, 7, 9, 3);
  assert.deepEqual(mergedOf('list', arrivals), [2, { x: 1 }, null]);
  assert.deepEqual(mergedOf('by_source', arrivals), { b: 2, a: { x: 1 }, c: null });
});

test('first is the first one of the journal, not of the plan', () => {
  assert.equal(mergedOf('first', arrivalsOf({ a: 'late', b: 'early', c: 'last' }, 40, 12, 41)), 'early');
});

test('the most frequent vote wins, by the field vote if there is one', () => {
  assert.equal(mergedOf('vote', arrivalsOf({ a: 'no', b: 'yes', c: 'yes' })), 'yes');
  const critics = {
    a: { vote: 'no', why: 'slow' },
    b: { vote: 'yes', why: 'short' },
    c: { vote: 'yes', why: 'clear' },
  };
  assert.equal(mergedOf('vote', arrivalsOf(critics)), 'yes');
  assert.deepEqual(mergedOf('vote', arrivalsOf({ a: 1, b: { x: 1, y: 2 }, c: { y: 2, x: 1 } })), { x: 1, y: 2 });
});

test('equally frequent votes: the order of the plan decides, at any speed', () => {
  const votes = { a: 'no', b: 'yes', c: 'yes', d: 'no' };
  assert.equal(mergedOf('vote', arrivalsOf(votes, 1, 2, 3, 4)), 'no');
  assert.equal(mergedOf('vote', arrivalsOf(votes, 4, 2, 1, 3)), 'no');
});

test('reduce computes from inputs, sources and the scope', () => {
  const arrivals = arrivalsOf({ a: { score: 3 }, b: { score: 6 } });
  const output = "={'mean': inputs.map(i, i.score).sum() / size(inputs), 'of': sources, 'task': task.id}";
  assert.deepEqual(mergedOf('reduce', arrivals, output), { mean: 4.5, of: ['a', 'b'], task: 't' });
});

test('a merge that cannot be built fails with its own code, and says why', () => {
  const two = arrivalsOf({ a: { score: 1 }, b: {} });
  assert.match(failureOf(merge('reduce', two, 'inputs.map(i, i.score)')), /of all cannot be merged: .* no field score/);
  assert.match(failureOf(merge('reduce', two)), /reduce needs the expression output/);
  assert.match(failureOf(merge('list', [])), /there are none/);
  assert.match(failureOf(merge(null, two)), /it has no policy/);
  const [one] = arrivalsOf({ a: 1 });
  assert.ok(one !== undefined);
  assert.match(failureOf(merge('by_source', [one, one])), /two come from a/);
  assert.deepEqual(mergedOf('list', [one, one]), [1, 1]);
  const deep: unknown = JSON.parse('['.repeat(5_000) + ']'.repeat(5_000));
  assert.match(failureOf(merge('vote', arrivalsOf({ a: deep, b: 1 }))), /lists and objects more than 64 levels deep/);
});

test('random merges: the same result twice, at any speed but for first, and no input dropped', (context) => {
  const seed = seedOf();
  context.diagnostic(`SEED=${seed}`);
  const dice = diceOf(seed);
  for (let round = 0; round < 500; round += 1) {
    const count = 1 + dice.below(8);
    const values = Object.fromEntries(
      Array.from({ length: count }, (_, at) => [`s${at}`, { vote: dice.below(3), at }]),
    );
    const order = Array.from({ length: count }, (_, at) => at).toSorted(() => (dice.chance(0.5) ? 1 : -1));
    const [planned, raced] = [arrivalsOf(values), arrivalsOf(values, ...order)];
    for (const policy of MERGE_POLICIES) {
      const output = policy === 'reduce' ? 'inputs.map(i, i.at)' : null;
      const result = merge(policy, raced, output);
      assert.deepEqual(merge(policy, raced, output), result);
      if (policy !== 'first') assert.deepEqual(result, merge(policy, planned, output));
    }
    assert.deepEqual(mergedOf('list', raced), Object.values(values));
    assert.deepEqual(mergedOf('by_source', raced), values);
    assert.deepEqual(mergedOf('reduce', raced, 'inputs.map(i, i.at)'), [...Array(count).keys()]);
    assert.deepEqual(mergedOf('first', raced), values[`s${order.indexOf(0)}`]);
    const votes = Object.values(values).map(({ vote }) => vote);
    const most = Math.max(...[0, 1, 2].map((vote) => votes.filter((other) => other === vote).length));
    const winner = votes.find((vote) => votes.filter((other) => other === vote).length === most);
    assert.equal(mergedOf('vote', raced), winner);
  }
});
