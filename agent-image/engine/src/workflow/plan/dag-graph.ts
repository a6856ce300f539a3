import type { FallbackRule, NodeRole, PlanEdge } from './plan.ts';

/** A node as far as the rules of the DAG concern it. `reviews`: the stage that a feedback node judges. */
export type DagNode = Readonly<{ id: string; role: NodeRole; decides: boolean; reviews: string | null }>;
export type DagEdge = Readonly<Omit<PlanEdge, 'id'>>;
export type Dag = Readonly<{
  nodes: readonly DagNode[];
  edges: readonly DagEdge[];
  fallbacks: readonly FallbackRule[];
}>;

/** An edge between two known nodes. Numbers are indexes in the lists of the DAG. */
export type Link = Readonly<{ index: number; from: number; to: number; edge: DagEdge }>;

export type DagGraph = Readonly<{
  dag: Dag;
  /** The index of the first node with this id. */
  indexOf: ReadonlyMap<string, number>;
  /** By node, the edges that lead to it, and those that lead away, each in the order of the manifest. */
  into: readonly (readonly Link[])[];
  outOf: readonly (readonly Link[])[];
  links: readonly Link[];
  /** Indexes of edges that are the same as an earlier one. */
  repeated: ReadonlySet<number>;
}>;

/** The nodes with their edges. Repeated edges, and those from or to unknown nodes, are left out. */
export function graphOf(dag: Dag): DagGraph {
  const indexOf = new Map<string, number>();
  for (const [index, { id }] of dag.nodes.entries()) if (!indexOf.has(id)) indexOf.set(id, index);
  const into: Link[][] = dag.nodes.map(() => []);
  const outOf: Link[][] = dag.nodes.map(() => []);
  const repeated = repeatedEdges(dag);
  const links = dag.edges.flatMap((edge, index) => {
    const [from, to] = [indexOf.get(edge.from), indexOf.get(edge.to)];
    return from === undefined || to === undefined || repeated.has(index) ? [] : [{ index, from, to, edge }];
  });
  for (const link of links) {
    outOf[link.from]?.push(link);
    into[link.to]?.push(link);
  }
  return { dag, indexOf, into, outOf, links, repeated };
}

function repeatedEdges({ edges }: Dag): ReadonlySet<number> {
  const seen = new Set<string>();
  const repeated = new Set<number>();
  for (const [index, { from, to, type, when }] of edges.entries()) {
    const key = `${from} ${to} ${type} ${when}`;
    if (seen.has(key)) repeated.add(index);
    seen.add(key);
  }
  return repeated;
}

/** True for edges that a stage takes when it is done. */
export const isOnward = ({ edge }: Link): boolean => edge.type === 'normal' || edge.type === 'conditional';

/**
 * The nodes in topological order: of those whose sources all come before, the first in the manifest is next. Nodes on a cycle, and
 * those after one, are left out.
 */
export function topologicalOrder({ dag, into, outOf }: DagGraph): readonly number[] {
  const open = into.map((links) => links.length);
  const ready = dag.nodes.flatMap((_, index) => (open[index] === 0 ? [index] : []));
  const order: number[] = [];
  for (let next = ready.shift(); next !== undefined; next = ready.shift()) {
    order.push(next);
    for (const { to } of outOf[next] ?? []) {
      const left = (open[to] ?? 0) - 1;
      open[to] = left;
      if (left === 0) insertSorted(ready, to);
    }
  }
  return order;
}

function insertSorted(sorted: number[], value: number): void {
  const at = sorted.findIndex((other) => other > value);
  sorted.splice(at === -1 ? sorted.length : at, 0, value);
}

/** The edges that close a cycle, each with the nodes of its cycle in their order. */
export function cyclesOf({ dag, outOf }: DagGraph): readonly Readonly<{ link: Link; nodes: readonly number[] }>[] {
  const state: ('on_path' | 'done' | undefined)[] = [];
  const cycles: { link: Link; nodes: readonly number[] }[] = [];
  for (const start of dag.nodes.keys()) {
    if (state[start] !== undefined) continue;
    const path = [{ node: start, next: 0 }];
    state[start] = 'on_path';
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const link = outOf[top.node]?.[top.next];
      top.next += 1;
      if (link === undefined) {
        state[top.node] = 'done';
        path.pop();
      } else if (state[link.to] === undefined) {
        state[link.to] = 'on_path';
        path.push({ node: link.to, next: 0 });
      } else if (state[link.to] === 'on_path') {
        const nodes = path.map(({ node }) => node);
        cycles.push({ link, nodes: nodes.slice(nodes.indexOf(link.to)) });
      }
    }
  }
  return cycles;
}
