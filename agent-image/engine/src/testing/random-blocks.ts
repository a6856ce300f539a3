/** Random workflows that are valid because they are composed of parts with one entry and one exit each. */
import type { Dice } from './dice.ts';

const MAX_DEPTH = 3;
const MAX_BRANCHES = 4;
const MAX_BLOCKS = 3;
/** The numbers of the tool `number` are below this. */
export const RANGE = 1_000;

export type Sequence = readonly [Block, ...Block[]];

/**
 * `tool` numbers its input; `linear` passes it on, or wraps it. `fan` gives it to all branches and merges their values.
 * `choice` numbers it and takes the first branch whose limit is greater, else the last branch. `guarded` calls a tool
 * that fails for some inputs; the alternative then gets a constant (`error`) or the input (`fallback`).
 */
export type Block =
  | Readonly<{ kind: 'tool'; id: string }>
  | Readonly<{ kind: 'linear'; id: string; wraps: boolean }>
  | Readonly<{ kind: 'fan'; id: string; policy: 'list' | 'by_source' | 'reduce'; branches: readonly Sequence[] }>
  | Readonly<{
      kind: 'choice';
      id: string;
      decidesItself: boolean;
      limits: readonly number[];
      join: 'linear' | 'merge';
      branches: readonly Sequence[];
    }>
  | Readonly<{ kind: 'guarded'; id: string; edge: 'error' | 'fallback'; alternative: Sequence }>;

const LEAVES = ['tool', 'linear'] as const;
const KINDS = [...LEAVES, 'fan', 'choice', 'guarded'] as const;

/** A random sequence of blocks, whose ids are unique. */
export function drawSequence(dice: Dice): Sequence {
  let ids = 0;
  const next = (): string => `b${(ids += 1)}`;
  const several = (depth: number): readonly Sequence[] =>
    Array.from({ length: 2 + dice.below(MAX_BRANCHES - 1) }, () => sequence(depth));
  const block = (depth: number): Block => {
    const id = next();
    const kind = dice.of(depth === 0 ? LEAVES : KINDS);
    switch (kind) {
      case 'tool':
        return { kind, id };
      case 'linear':
        return { kind, id, wraps: dice.chance(0.5) };
      case 'fan':
        return { kind, id, policy: dice.of(['list', 'by_source', 'reduce'] as const), branches: several(depth - 1) };
      case 'choice': {
        const branches = several(depth - 1);
        const limits = branches.slice(1).map(() => dice.below(RANGE));
        const join = dice.of(['linear', 'merge'] as const);
        return { kind, id, decidesItself: dice.chance(0.5), limits, join, branches };
      }
      default:
        return { kind, id, edge: dice.of(['error', 'fallback'] as const), alternative: sequence(depth - 1) };
    }
  };
  const sequence = (depth: number): Sequence => [
    block(depth),
    ...Array.from({ length: dice.below(MAX_BLOCKS) }, () => block(depth)),
  ];
  return sequence(MAX_DEPTH);
}

type Edge = Readonly<{ from: string; to: string; type?: string; when?: string; otherwise?: true }>;
type Graph = Readonly<{ nodes: object[]; edges: Edge[] }>;

const TOOLS = {
  tools: ['number', 'brittle'].map((id) => ({
    id,
    uses: 'handler',
    description: 'Numbers a value.',
    effect: 'read',
    input: { type: 'object', properties: { given: {} }, required: ['given'] },
  })),
};

const numbering = (id: string, tool = 'number'): object => ({ id, role: 'tool', tool, input: { given: '=input' } });

/** The manifests of a sequence, as texts by the names of their files. JSON is YAML. */
export function manifestsOf(sequence: Sequence, maxParallel: number): ReadonlyMap<string, string> {
  const graph: Graph = { nodes: [], edges: [] };
  addSequence(graph, sequence);
  const workflow = { id: 'random', description: 'Random.', max_parallel: maxParallel, ...graph };
  return new Map([
    ['tools.yaml', JSON.stringify(TOOLS)],
    ['workflow.yaml', JSON.stringify({ workflow })],
  ]);
}

type Ends = Readonly<{ entry: string; exit: string }>;

function addSequence(graph: Graph, [first, ...rest]: Sequence): Ends {
  const { entry, exit } = addBlock(graph, first);
  let last = exit;
  for (const block of rest) {
    const ends = addBlock(graph, block);
    graph.edges.push({ from: last, to: ends.entry });
    last = ends.exit;
  }
  return { entry, exit: last };
}

function addBlock(graph: Graph, block: Block): Ends {
  const { id } = block;
  switch (block.kind) {
    case 'tool':
      graph.nodes.push(numbering(id));
      return { entry: id, exit: id };
    case 'linear':
      graph.nodes.push({ id, role: 'linear', ...(block.wraps && { output: "={'kept': input}" }) });
      return { entry: id, exit: id };
    case 'fan':
      return addFan(graph, block);
    case 'choice':
      return addChoice(graph, block);
    default:
      return addGuarded(graph, block);
  }
}

function addFan(graph: Graph, { id, policy, branches }: Extract<Block, { kind: 'fan' }>): Ends {
  const exit = `${id}-all`;
  graph.nodes.push({ id, role: 'linear' });
  for (const branch of branches) {
    const ends = addSequence(graph, branch);
    graph.edges.push({ from: id, to: ends.entry }, { from: ends.exit, to: exit });
  }
  graph.nodes.push({
    id: exit,
    role: 'merge',
    merge: policy,
    ...(policy === 'reduce' && { output: "={'count': size(inputs), 'first': inputs[0]}" }),
  });
  return { entry: id, exit };
}

function addChoice(graph: Graph, block: Extract<Block, { kind: 'choice' }>): Ends {
  const { id, decidesItself, limits, join, branches } = block;
  const [exit, from] = [`${id}-joined`, decidesItself ? id : `${id}-decided`];
  graph.nodes.push({ ...numbering(id), ...(decidesItself && { decides: true }) });
  if (!decidesItself) {
    graph.nodes.push({ id: from, role: 'decision' });
    graph.edges.push({ from: id, to: from });
  }
  for (const [index, branch] of branches.entries()) {
    const { entry, exit: end } = addSequence(graph, branch);
    const limit = limits[index];
    const condition = limit === undefined ? { otherwise: true as const } : { when: `output.n < ${limit}` };
    graph.edges.push({ from, to: entry, type: 'conditional', ...condition }, { from: end, to: exit });
  }
  graph.nodes.push({ id: exit, role: join, ...(join === 'merge' && { merge: 'list' }) });
  return { entry: id, exit };
}

function addGuarded(graph: Graph, { id, edge, alternative }: Extract<Block, { kind: 'guarded' }>): Ends {
  const [exit, other] = [`${id}-joined`, `${id}-other`];
  const input = edge === 'error' ? { input: { given: 'failed' } } : {};
  graph.nodes.push(numbering(id, 'brittle'), { ...numbering(other), ...input });
  const { entry, exit: end } = addSequence(graph, alternative);
  graph.nodes.push({ id: exit, role: 'linear' });
  graph.edges.push({ from: id, to: exit }, { from: id, to: other, type: edge });
  graph.edges.push({ from: other, to: entry }, { from: end, to: exit });
  return { entry: id, exit };
}
