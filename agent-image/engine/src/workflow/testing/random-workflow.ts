import type { Dice } from '../../testing/dice.ts';
import type { z } from 'zod';
import type { DagCode } from '../plan/dag-problem.ts';
import { MAX_EDGES_FROM } from '../plan/plan.ts';
import type { EdgeSpec, FallbackSpec, NodeSpec } from '../plan/workflow-spec.ts';

type Node = z.input<typeof NodeSpec>;
type Edge = z.input<typeof EdgeSpec>;

/** A workflow as a manifest has it: fields with a default are left out. Mutable, so that a test can break it. */
export type RandomWorkflow = {
  id: string;
  nodes: Node[];
  edges: Edge[];
  fallbacks: z.input<typeof FallbackSpec>[];
};

/** A part of a workflow with one node at its beginning and one at its end. */
type Part = Readonly<{ first: string; last: string }>;

/** A valid workflow of parts in parts: sequences, branches with a merge, decisions, reviews; with error edges and fallbacks. */
export function randomWorkflow(dice: Dice, depth = 1 + dice.below(3)): RandomWorkflow {
  const flow: RandomWorkflow = { id: 'random', nodes: [], edges: [], fallbacks: [] };
  const part = partOf(flow, dice, depth);
  const last = leafOf(flow, dice);
  flow.edges.push({ from: part.last, to: last });
  const handled = flow.nodes.filter(({ role }) => role === 'agent' || role === 'tool').filter(() => dice.chance(0.2));
  if (handled.length > 0) {
    const handler = addNode(flow, { role: 'linear' });
    const type = dice.of(['error', 'fallback'] as const);
    for (const { id } of handled) flow.edges.push({ from: id, to: handler, type });
  }
  if (dice.chance(0.3)) {
    const category = dice.of(['agent', 'tool', 'json'] as const);
    flow.fallbacks.push({ category, to: addNode(flow, { role: 'linear' }) });
  }
  return flow;
}

type New<T> = T extends { id: string } ? Omit<T, 'id'> : never;

function addNode(flow: RandomWorkflow, node: New<Node>): string {
  const id = `n${flow.nodes.length}`;
  flow.nodes.push({ id, ...node } as Node);
  return id;
}

function leafOf(flow: RandomWorkflow, dice: Dice): string {
  return addNode(
    flow,
    dice.of<New<Node>>([{ role: 'agent', agent: 'worker' }, { role: 'tool', tool: 'read' }, { role: 'linear' }]),
  );
}

function partOf(flow: RandomWorkflow, dice: Dice, depth: number): Part {
  const build = depth === 0 ? single : dice.of([single, sequence, branches, decision, review]);
  return build(flow, dice, depth - 1);
}

type Build = (flow: RandomWorkflow, dice: Dice, depth: number) => Part;

const single: Build = (flow, dice) => {
  const id = leafOf(flow, dice);
  return { first: id, last: id };
};

const sequence: Build = (flow, dice, depth) => {
  const parts = Array.from({ length: 2 + dice.below(3) }, () => partOf(flow, dice, depth));
  for (const [index, { first }] of parts.entries()) {
    const before = parts[index - 1];
    if (before !== undefined) flow.edges.push({ from: before.last, to: first });
  }
  return { first: parts[0]?.first ?? '', last: parts.at(-1)?.last ?? '' };
};

const branches: Build = (flow, dice, depth) => {
  const first = leafOf(flow, dice);
  const parts = Array.from({ length: 2 + dice.below(3) }, () => partOf(flow, dice, depth));
  const last = addNode(flow, { role: 'merge', merge: dice.of(['list', 'by_source', 'first', 'vote'] as const) });
  for (const part of parts) flow.edges.push({ from: first, to: part.first }, { from: part.last, to: last });
  return { first, last };
};

/** The branches of a decision exclude each other, so they may meet in a node without a merge. */
const decision: Build = (flow, dice, depth) => {
  const first = addNode(
    flow,
    dice.of<New<Node>>([{ role: 'decision' }, { role: 'agent', agent: 'worker', decides: true }]),
  );
  const parts = Array.from({ length: 2 + dice.below(2) }, () => partOf(flow, dice, depth));
  const last = addNode(flow, { role: dice.of(['linear', 'merge'] as const) });
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    const way = isLast ? { otherwise: true as const } : { when: `output == ${index}` };
    flow.edges.push({ from: first, to: part.first, type: 'conditional', ...way }, { from: part.last, to: last });
  }
  return { first, last };
};

const review: Build = (flow, dice) => {
  const first = leafOf(flow, dice);
  const last = addNode(flow, { role: 'feedback', agent: 'critic', reviews: first, until: 'output == 1' });
  flow.edges.push({ from: first, to: last });
  return { first, last };
};

/** One way to break a workflow for each code: a problem with this code, and with no other, must be found. */
export const BREAKS: Readonly<Record<DagCode, (flow: RandomWorkflow, dice: Dice) => void>> = {
  duplicate: (flow, dice) => {
    const edges = flow.edges.filter(({ otherwise }) => otherwise === undefined);
    if (dice.chance(0.5)) flow.edges.push({ ...dice.of(edges) });
    else flow.nodes.push({ id: dice.of(flow.nodes).id, role: 'linear' });
  },
  unknown_target: (flow, dice) => {
    const break1 = (): void => void flow.edges.push({ from: loose(flow, dice), to: 'nowhere' });
    const break2 = (): void => void flow.fallbacks.push({ category: 'context', to: 'nowhere' });
    dice.of([break1, break2])();
  },
  cycle: (flow, dice) => {
    const from = loose(flow, dice);
    const to = behind(flow, from);
    flow.edges.push({ from: to, to: from, type: 'error' });
  },
  no_entry: (flow) => void flow.fallbacks.push({ category: 'config', to: flow.nodes[0]?.id ?? '' }),
  unreachable: (flow) => void addNode(flow, { role: 'linear' }),
  conditional_from_no_decision: (flow, dice) => {
    const from = loose(flow, dice);
    flow.edges.push({ from, to: addNode(flow, { role: 'linear' }), type: 'conditional', when: 'true' });
  },
  decision_without_conditions: (flow, dice) => {
    const from = behind(flow, loose(flow, dice), { role: 'agent', agent: 'worker', decides: true });
    if (dice.chance(0.5))
      flow.edges.push({ from, to: addNode(flow, { role: 'linear' }), type: 'conditional', otherwise: true });
  },
  decision_with_normal_edge: (flow, dice) => {
    const from = decides(flow, dice);
    flow.edges.push({ from, to: addNode(flow, { role: 'linear' }) });
  },
  several_otherwise: (flow, dice) => {
    const from = decides(flow, dice);
    for (let count = 0; count < 2; count += 1)
      flow.edges.push({ from, to: addNode(flow, { role: 'linear' }), type: 'conditional', otherwise: true });
  },
  merge_with_one_input: (flow, dice) => void behind(flow, loose(flow, dice), { role: 'merge' }),
  merge_with_many_outputs: (flow, dice) => {
    const { last } = forked(flow, dice, { role: 'merge' });
    for (let count = 0; count < 2; count += 1) behind(flow, last);
  },
  several_certain_inputs: (flow, dice) => void forked(flow, dice, { role: 'linear' }),
  too_many_edges: (flow, dice) => {
    const from = behind(flow, loose(flow, dice));
    for (let count = 0; count <= MAX_EDGES_FROM; count += 1) behind(flow, from);
  },
  bad_feedback: (flow, dice) => {
    const reviewed = behind(flow, loose(flow, dice));
    behind(flow, reviewed, { role: 'feedback', agent: 'critic', reviews: reviewed, until: 'true' });
    behind(flow, reviewed);
  },
  never_taken: (flow, dice) => {
    const from = behind(flow, loose(flow, dice));
    for (const type of ['error', 'fallback'] as const)
      flow.edges.push({ from, to: addNode(flow, { role: 'linear' }), type });
  },
};

/** A node that may get one more normal edge. */
function loose({ nodes }: RandomWorkflow, dice: Dice): string {
  const reviewed = new Set(nodes.flatMap((node) => (node.role === 'feedback' ? [node.reviews] : [])));
  const isLoose = (node: Node): boolean =>
    ['agent', 'tool', 'linear'].includes(node.role) && !('decides' in node && node.decides) && !reviewed.has(node.id);
  return dice.of(nodes.filter(isLoose)).id;
}

function behind(flow: RandomWorkflow, from: string, node: New<Node> = { role: 'linear' }): string {
  const to = addNode(flow, node);
  flow.edges.push({ from, to });
  return to;
}

/** A node of the given kind after two branches of one node. */
function forked(flow: RandomWorkflow, dice: Dice, node: New<Node>): Part {
  const first = loose(flow, dice);
  const last = addNode(flow, node);
  for (let count = 0; count < 2; count += 1) flow.edges.push({ from: behind(flow, first), to: last });
  return { first, last };
}

/** A new decision with one condition. */
function decides(flow: RandomWorkflow, dice: Dice): string {
  const from = behind(flow, loose(flow, dice), { role: 'decision' });
  flow.edges.push({ from, to: addNode(flow, { role: 'linear' }), type: 'conditional', when: 'output == 1' });
  return from;
}
