import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkDag } from './check-dag.ts';
import type { Dag, DagEdge, DagNode } from './dag-graph.ts';
import type { FallbackRule } from './plan.ts';

const node = (id: string, more: Partial<DagNode> = {}): DagNode => ({
  id,
  role: 'linear',
  decides: false,
  reviews: null,
  ...more,
});

/** `a->b` is a normal edge, `a?b` a conditional one, `a!b` an error edge, `a~b` a fallback edge; `a?b otherwise` has no condition. */
function edge(text: string): DagEdge {
  const [, from = '', kind = '', to = '', otherwise] = /^(\w+)(->|[?!~])(\w+)( otherwise)?$/.exec(text) ?? [];
  const types = { '->': 'normal', '?': 'conditional', '!': 'error', '~': 'fallback' } as const;
  const type = types[kind as keyof typeof types];
  return { from, to, type, when: type === 'conditional' && otherwise === undefined ? `output == '${to}'` : null };
}

const dag = (
  nodes: readonly (string | DagNode)[],
  edges: readonly string[],
  fallbacks: Dag['fallbacks'] = [],
): Dag => ({
  nodes: nodes.map((each) => (typeof each === 'string' ? node(each) : each)),
  edges: edges.map(edge),
  fallbacks,
});

const found = (...given: Parameters<typeof dag>): unknown =>
  checkDag(dag(...given)).map(({ code, list, index }) => `${code} ${list}[${index}]`);

const decision = (id: string): DagNode => node(id, { role: 'decision', decides: true });
const merge = (id: string): DagNode => node(id, { role: 'merge' });
const feedback = (id: string, reviews: string): DagNode => node(id, { role: 'feedback', reviews });
const rule = (to: string, more: Partial<FallbackRule> = {}): FallbackRule => ({
  category: 'tool',
  role: null,
  to,
  ...more,
});

test('cycles are refused at the edge that closes them, and the refusal shows their path', () => {
  const problems = checkDag(dag(['a', 'b', 'c'], ['a->b', 'b->c', 'c->b']));
  assert.deepEqual(
    problems.map(({ code, index, message }) => [code, index, message]),
    [['cycle', 2, 'the edges form a cycle: b → c → b']],
  );
  assert.deepEqual(found(['a'], ['a->a']), ['cycle edges[0]']);
  assert.deepEqual(found(['a', 'b', 'c'], ['a->b', 'b!a', 'b->c', 'c!b']), ['cycle edges[1]', 'cycle edges[3]']);
});

test('an unreachable terminal is refused', () => {
  assert.deepEqual(found(['a', 'b', 'end'], ['a->b']), ['unreachable nodes[2]']);
  assert.deepEqual(found(['a', 'b', 'c', 'end'], ['a->b', 'c->end']), ['unreachable nodes[2]']);
});

test('entries come first; a node for failures is not an entry', () => {
  assert.deepEqual(found(['a', 'b', merge('all')], ['a->all', 'b->all']), []);
  assert.deepEqual(found(['end', 'a'], ['a->end']), []);
  assert.deepEqual(found(['a', 'b', 'alarm'], ['a->b'], [rule('alarm')]), []);
  assert.deepEqual(found(['a', 'b'], ['a->b'], [rule('a')]), ['no_entry nodes[0]']);
});

test('a decision node with non-conditional edges is refused', () => {
  assert.deepEqual(found([decision('a'), 'b', 'c'], ['a?b', 'a->c']), ['decision_with_normal_edge edges[1]']);
  assert.deepEqual(found([decision('a'), 'b'], ['a->b']), [
    'decision_without_conditions nodes[0]',
    'decision_with_normal_edge edges[0]',
  ]);
  assert.deepEqual(found([decision('a'), 'b'], ['a?b otherwise']), ['decision_without_conditions nodes[0]']);
  assert.deepEqual(found([decision('a'), 'b', 'c', 'd'], ['a?b', 'a?c otherwise', 'a?d otherwise']), [
    'several_otherwise nodes[0]',
  ]);
  assert.deepEqual(found([decision('a'), 'b', 'c', 'd'], ['a?b', 'a?c otherwise', 'a!d']), []);
});

test('only decisions have outgoing conditional edges', () => {
  assert.deepEqual(found(['a', 'b'], ['a?b']), ['conditional_from_no_decision edges[0]']);
});

test('a merge with a single inbound edge, or with several outbound ones, is refused', () => {
  assert.deepEqual(found(['a', merge('b'), 'c'], ['a->b', 'b->c']), ['merge_with_one_input nodes[1]']);
  assert.deepEqual(found(['a', 'b', merge('m'), 'c', 'd'], ['a->m', 'b->m', 'm->c', 'm->d']), [
    'merge_with_many_outputs nodes[2]',
  ]);
  assert.deepEqual(found(['a', 'b', merge('m'), 'c', 'd'], ['a->m', 'b->m', 'm->c', 'm!d']), []);
});

test('two inputs that always come together need a merge; those that exclude each other do not', () => {
  const fork = ['a->b', 'a->c', 'b->d', 'c->d'];
  assert.deepEqual(found(['a', 'b', 'c', 'd'], fork), ['several_certain_inputs edges[3]']);
  assert.deepEqual(found(['a', 'b', 'c', merge('d')], fork), []);
  assert.deepEqual(found(['a', 'b', 'c'], ['a->c', 'b->c']), ['several_certain_inputs edges[1]']);
  assert.deepEqual(found(['a', 'b', 'c'], ['a->b', 'b->c', 'a->c']), ['several_certain_inputs edges[2]']);
  assert.deepEqual(found([decision('a'), 'b', 'c', 'd'], ['a?b', 'a?c otherwise', 'b->d', 'c->d']), []);
  const inBranch = ['a?b', 'a?e otherwise', 'b->c', 'b->d', 'c->f', 'd->f', 'e->f'];
  assert.deepEqual(found([decision('a'), 'b', 'c', 'd', 'e', 'f'], inBranch), ['several_certain_inputs edges[5]']);
  assert.deepEqual(found(['a', 'b', 'c'], ['a->b', 'a!c', 'b!c']), []);
});

test('a feedback node follows directly after the one stage that it reviews', () => {
  const good = ['draft', feedback('polish', 'draft'), 'ship'] as const;
  assert.deepEqual(found(good, ['draft->polish', 'polish->ship']), []);
  assert.deepEqual(found(good, ['draft!polish', 'draft->ship']), ['bad_feedback nodes[1]']);
  assert.deepEqual(found(good, ['draft->polish', 'draft->ship']), ['bad_feedback nodes[1]']);
  assert.deepEqual(found(['a', 'draft', feedback('f', 'draft')], ['a->f', 'draft->f']), [
    'bad_feedback nodes[2]',
    'several_certain_inputs edges[1]',
  ]);
  assert.deepEqual(found(['a', 'b', merge('m'), feedback('f', 'm')], ['a->m', 'b->m', 'm->f']), [
    'bad_feedback nodes[3]',
  ]);
  assert.deepEqual(found(['a', feedback('f', 'nowhere')], ['a->f']), ['unknown_target nodes[1]']);
});

test('unknown targets, and entries that stand twice, are refused', () => {
  assert.deepEqual(found(['a', 'b'], ['a->b', 'b->c', 'd->e'], [rule('f')]), [
    'unknown_target edges[1]',
    'unknown_target edges[2]',
    'unknown_target edges[2]',
    'unknown_target fallbacks[0]',
  ]);
  assert.deepEqual(found(['a', 'b', 'b'], ['a->b', 'a->b']), ['duplicate nodes[2]', 'duplicate edges[1]']);
});

test('an edge or rule that is never taken, because another always comes first, is refused', () => {
  assert.deepEqual(found(['a', 'b', 'c'], ['a!b', 'a~c']), ['never_taken edges[1]']);
  const rules = [rule('b'), rule('b', { role: 'tool' }), rule('b', { category: 'agent', role: 'agent' })];
  assert.deepEqual(found(['a', 'b'], [], rules), ['never_taken fallbacks[1]']);
  assert.deepEqual(found(['a', 'b'], [], [rule('b', { role: 'tool' }), rule('b')]), []);
});
