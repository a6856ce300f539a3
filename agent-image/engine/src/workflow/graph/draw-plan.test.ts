import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aStage } from '../../testing/a-plan.ts';
import { diceOf, seedOf } from '../../testing/dice.ts';
import { EDGE_TYPES, NODE_ROLES, type Plan, type PlanEdge } from '../plan/plan.ts';
import { drawPlan } from './draw-plan.ts';
import { layoutPlan, type DrawnNode } from './layout-plan.ts';

const edge = (from: string, to: string, fields: Partial<PlanEdge> = {}): PlanEdge => ({
  id: `${from}->${to}`,
  from,
  to,
  type: 'normal',
  when: null,
  ...fields,
});

const plan = (fields: Partial<Plan>): Plan => ({
  version: 1,
  workflow: 'review',
  pipeline: 'default',
  stages: [],
  edges: [],
  fallbacks: [],
  maxParallel: 4,
  ...fields,
});

const REVIEW = plan({
  stages: [
    aStage('fetch', { role: 'tool', tool: 'read' }),
    aStage('draft', { role: 'agent', agent: 'writer' }),
    aStage('polish', {
      role: 'feedback',
      agent: 'critic',
      feedback: { reviews: 'draft', until: 'output.good', maxRounds: 3 },
    }),
    aStage('judge', { role: 'agent', agent: 'critic', decides: true }),
    aStage('gate', { role: 'decision', decides: true }),
    aStage('all', { role: 'merge', merge: 'by_source' }),
    aStage('alarm'),
  ],
  edges: [
    edge('fetch', 'draft'),
    edge('draft', 'polish'),
    edge('polish', 'judge'),
    edge('judge', 'gate', { type: 'conditional', when: 'output.score < 3' }),
    edge('judge', 'all', { type: 'conditional' }),
    edge('gate', 'all', { type: 'conditional', when: '"<&>" == input' }),
    edge('fetch', 'alarm', { type: 'error' }),
    edge('draft', 'all', { type: 'fallback' }),
  ],
  fallbacks: [{ category: 'tool', role: null, to: 'alarm' }],
});

test('a picture has each stage in the shape of its role, and each edge in the line of its type', () => {
  const svg = drawPlan(REVIEW);
  for (const { id, role } of REVIEW.stages)
    assert.match(svg, new RegExp(`<g class="node ${role}-node" [^>]*>.*?<text[^>]*>${id}</text>`));
  for (const role of NODE_ROLES) assert.ok(svg.includes(`>${role}</text>`), `the legend lacks ${role}`);
  const drawn = (style: string): number => svg.split(`<path class="edge ${style}"`).length - 1;
  const counts = [...EDGE_TYPES, 'again'].map((style) => [style, drawn(style)]);
  // The legend shows each one once more.
  assert.deepEqual(Object.fromEntries(counts), { normal: 4, conditional: 4, error: 2, fallback: 3, again: 2 });
  for (const words of ['output.score &lt; 3', 'otherwise', 'at most 3 rounds', 'until output.good', 'tool failure'])
    assert.ok(svg.includes(words), words);
  assert.equal(svg, drawPlan(REVIEW));
});

test('texts of a manifest stay texts, on one short line', () => {
  const hostile = plan({
    workflow: 'a<b',
    stages: [aStage('a', { output: '</text><script>alert(1)</script>\u0000\n"&' }), aStage('b')],
    edges: [edge('a', 'b', { type: 'conditional', when: `"${'é'.repeat(4_000)}" == input` })],
  });
  const svg = drawPlan(hostile);
  assert.ok(!svg.includes('<script') && !svg.includes('\u0000') && svg.includes('a&lt;b'));
  assert.ok(svg.length < 8_000, `${svg.length} characters`);
  assert.ok(!svg.includes('NaN'));
});

test('a stage may have the name of a property that every object has', () => {
  const names = ['constructor', 'toString', 'valueOf'];
  const edges = [edge('constructor', 'toString'), edge('toString', 'valueOf')];
  const { nodes } = layoutPlan(plan({ stages: names.map((name) => aStage(name)), edges }));
  assert.deepEqual(
    nodes.map(({ id }) => id),
    names,
  );
  assert.equal(new Set(nodes.map(({ y }) => y)).size, names.length);
});

test('the legend explains only what the picture has', () => {
  const svg = drawPlan(plan({ stages: [aStage('only', { role: 'agent', agent: 'writer' })] }));
  assert.ok(svg.includes('>agent</text>') && !svg.includes('>merge</text>') && !svg.includes('>done</text>'));
});

test('edges are known by their ids, and a viewer gets space for words of its own', () => {
  const [own, wide] = [layoutPlan(REVIEW), layoutPlan(REVIEW, { below: 20, minWidth: 120 })];
  assert.deepEqual(
    own.edges.map(({ id }) => id),
    [...REVIEW.edges.map(({ id }) => id), null, 'fallback:alarm'],
  );
  const rows = (drawn: typeof own): number => new Set(drawn.nodes.map(({ y }) => y)).size;
  assert.ok(wide.nodes.every(({ width }) => width >= 120) && own.nodes.some(({ width }) => width < 120));
  assert.ok(wide.height >= own.height + 20 * (rows(own) - 1));
  assert.ok(own.nodes.every(({ outline }) => /^M[^N]*Z/.test(outline)));
});

const overlap = (a: DrawnNode, b: DrawnNode): boolean =>
  Math.abs(a.x - b.x) * 2 < a.width + b.width && Math.abs(a.y - b.y) * 2 < a.height + b.height;

test('nodes of random plans do not overlap, and lie within the picture', () => {
  const seed = seedOf();
  const { below, of } = diceOf(seed);
  for (let round = 0; round < 20; round += 1) {
    const size = 2 + below(30);
    const stages = Array.from({ length: size }, (_, at) =>
      aStage(`s${at}`, { role: of(NODE_ROLES), output: 'x'.repeat(below(60)) }),
    );
    const edges = stages.slice(1).map(({ id }, at) => edge(`s${below(at + 1)}`, id));
    const { nodes, width, height } = layoutPlan(plan({ stages, edges }));
    const within = nodes.every(
      (node) => node.x >= node.width / 2 && node.x + node.width / 2 <= width && node.y + node.height / 2 <= height,
    );
    const clear = nodes.every((node, at) => nodes.slice(at + 1).every((other) => !overlap(node, other)));
    assert.ok(within && clear, `seed ${seed}, round ${round}`);
  }
});
