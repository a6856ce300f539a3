import type { DagGraph, Link } from './dag-graph.ts';

const BITS = 32;

/**
 * Pairs of edges into a node other than a merge that are always taken together: normal edges whose sources follow, over
 * normal edges alone, from one node or from the entries. For each node the first such pair. `order`: topological.
 */
export function certainPairs(graph: DagGraph, order: readonly number[]): readonly (readonly [Link, Link])[] {
  const behind = causesOf(graph, order);
  return graph.dag.nodes.flatMap(({ role }, node) => {
    const normal = (graph.into[node] ?? []).filter(({ edge }) => edge.type === 'normal');
    const pair = role === 'merge' ? null : firstPair(normal, behind);
    return pair === null ? [] : [pair];
  });
}

type Bits = Uint32Array;

/** By node, the nodes whose end makes it certain that it runs, itself included; one more bit stands for the start of the task. */
function causesOf({ dag, into }: DagGraph, order: readonly number[]): readonly Bits[] {
  const start = dag.nodes.length;
  const causes = dag.nodes.map(() => new Uint32Array(Math.ceil((start + 1) / BITS)));
  for (const node of order) {
    const own = causes[node];
    if (own === undefined) continue;
    const links = into[node] ?? [];
    add(own, node);
    if (links.length === 0) add(own, start);
    for (const { from, edge } of links) if (edge.type === 'normal') addAll(own, causes[from]);
  }
  return causes;
}

function firstPair(links: readonly Link[], causes: readonly Bits[]): readonly [Link, Link] | null {
  for (const [index, second] of links.entries()) {
    const first = links.slice(0, index).find((link) => meet(causes[link.from], causes[second.from]));
    if (first !== undefined) return [first, second];
  }
  return null;
}

function add(bits: Bits, index: number): void {
  const word = Math.floor(index / BITS);
  bits[word] = (bits[word] ?? 0) | (1 << (index % BITS));
}

const NONE: Bits = new Uint32Array();

/** Loops over indexes, because iterators of typed arrays take several times as long. */
function addAll(bits: Bits, others: Bits = NONE): void {
  for (let word = 0; word < others.length; word += 1) bits[word] = (bits[word] ?? 0) | (others[word] ?? 0);
}

function meet(left: Bits = NONE, right: Bits = NONE): boolean {
  for (let word = 0; word < left.length; word += 1) if (((left[word] ?? 0) & (right[word] ?? 0)) !== 0) return true;
  return false;
}
