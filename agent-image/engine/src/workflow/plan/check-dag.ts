import { certainPairs } from './certain-inputs.ts';
import { checkFeedback } from './check-feedback.ts';
import { cyclesOf, graphOf, isOnward, topologicalOrder, type Dag, type DagGraph, type Link } from './dag-graph.ts';
import type { DagProblem } from './dag-problem.ts';
import { MAX_EDGES_FROM } from './plan.ts';

/**
 * All problems of a workflow, in the order of its lists; none if the engine can carry it out. Pure.
 *
 * The task begins with its entries: nodes to which neither an edge nor a fallback rule leads. If there are several, they stand before
 * all nodes to which an edge leads, so that a forgotten edge is found.
 */
export function checkDag(dag: Dag): readonly DagProblem[] {
  const graph = graphOf(dag);
  const cycles = cyclesProblems(graph);
  const problems = [
    ...duplicates(graph),
    ...unknownTargets(graph),
    ...cycles,
    ...(cycles.length > 0 ? [] : entryProblems(graph)),
    ...edgeProblems(graph),
    ...decisionProblems(graph),
    ...mergeProblems(graph),
    ...tooManyEdges(graph),
    ...checkFeedback(graph),
    ...severalInputs(graph),
    ...neverTaken(graph),
  ];
  const lists: readonly (keyof Dag)[] = ['nodes', 'edges', 'fallbacks'];
  return problems.toSorted((a, b) => lists.indexOf(a.list) - lists.indexOf(b.list) || a.index - b.index);
}

function duplicates({ dag, indexOf, repeated }: DagGraph): readonly DagProblem[] {
  return [
    ...dag.nodes.flatMap(({ id }, index): readonly DagProblem[] => {
      if (indexOf.get(id) === index) return [];
      const message = `there is another node '${id}'`;
      return [{ code: 'duplicate', list: 'nodes', index, message, hint: 'Give each node an id of its own.' }];
    }),
    ...[...repeated].map((index): DagProblem => {
      const message = 'there is another edge of this type between these nodes';
      return { code: 'duplicate', list: 'edges', index, message, hint: 'Remove one of them.' };
    }),
  ];
}

function unknownTargets({ dag, indexOf }: DagGraph): readonly DagProblem[] {
  const unknown = (list: keyof Dag, index: number, id: string): readonly DagProblem[] => {
    if (indexOf.has(id)) return [];
    const hint = 'Write the id of a node, or add the node.';
    return [{ code: 'unknown_target', list, index, message: `there is no node '${id}'`, hint }];
  };
  return [
    ...dag.nodes.flatMap(({ reviews }, index) => (reviews === null ? [] : unknown('nodes', index, reviews))),
    ...dag.edges.flatMap(({ from, to }, index) =>
      [...new Set([from, to])].flatMap((id) => unknown('edges', index, id)),
    ),
    ...dag.fallbacks.flatMap(({ to }, index) => unknown('fallbacks', index, to)),
  ];
}

function cyclesProblems(graph: DagGraph): readonly DagProblem[] {
  return cyclesOf(graph).map(({ link, nodes }) => {
    const way = [...nodes, link.to].map((node) => graph.dag.nodes[node]?.id).join(' → ');
    const hint = 'Remove one of these edges; for work in rounds use a feedback node.';
    return { code: 'cycle', list: 'edges', index: link.index, message: `the edges form a cycle: ${way}`, hint };
  });
}

function entryProblems({ dag, into, indexOf }: DagGraph): readonly DagProblem[] {
  const ruled = new Set(dag.fallbacks.map(({ to }) => to));
  const sources = [...indexOf].flatMap(([id, index]) => (into[index]?.length === 0 && !ruled.has(id) ? [index] : []));
  const first = dag.nodes.findIndex((_, index) => (into[index]?.length ?? 0) > 0);
  if (sources[0] === undefined) {
    const message = 'the workflow has no entry: an edge or a fallback rule leads to each node';
    return [{ code: 'no_entry', list: 'nodes', index: 0, message, hint: 'Begin with a node to which nothing leads.' }];
  }
  const late = sources.slice(1).filter((index) => first !== -1 && index > first);
  return late.map((index) => {
    const message = `nothing leads to '${dag.nodes[index]?.id}'`;
    const hint = `Add an edge to it, or move it before '${dag.nodes[first]?.id}' if the task begins with it too.`;
    return { code: 'unreachable', list: 'nodes', index, message, hint };
  });
}

function edgeProblems({ dag, links }: DagGraph): readonly DagProblem[] {
  return links.flatMap(({ index, from, edge }): readonly DagProblem[] => {
    const decides = dag.nodes[from]?.decides === true;
    if (edge.type === 'conditional' && !decides) {
      const message = `'${edge.from}' decides nothing, so it has no conditional edge`;
      const hint = `Add decides: true to '${edge.from}', or make the edge a normal one.`;
      return [{ code: 'conditional_from_no_decision', list: 'edges', index, message, hint }];
    }
    if (edge.type !== 'normal' || !decides) return [];
    const message = `'${edge.from}' decides, so it has no normal edge`;
    const hint = 'Make the edge type: conditional with when, or with otherwise: true.';
    return [{ code: 'decision_with_normal_edge', list: 'edges', index, message, hint }];
  });
}

function decisionProblems({ dag, outOf }: DagGraph): readonly DagProblem[] {
  return dag.nodes.flatMap(({ id, decides }, index) => {
    if (!decides) return [];
    const conditional = (outOf[index] ?? []).filter(({ edge }) => edge.type === 'conditional');
    const otherwise = conditional.filter(({ edge }) => edge.when === null);
    const problems: DagProblem[] = [];
    if (conditional.length === otherwise.length) {
      const message = `'${id}' decides, but has no edge with a condition`;
      const hint = 'Add an edge with type: conditional and when.';
      problems.push({ code: 'decision_without_conditions', list: 'nodes', index, message, hint });
    }
    if (otherwise.length > 1) {
      const message = `'${id}' has several otherwise edges`;
      problems.push({ code: 'several_otherwise', list: 'nodes', index, message, hint: 'Keep one of them.' });
    }
    return problems;
  });
}

function mergeProblems({ dag, into, outOf }: DagGraph): readonly DagProblem[] {
  return dag.nodes.flatMap(({ id, role }, index) => {
    if (role !== 'merge') return [];
    const problems: DagProblem[] = [];
    if ((into[index]?.length ?? 0) < 2) {
      const message = `'${id}' merges fewer than two edges`;
      const hint = 'Add edges to it, or make it a linear node.';
      problems.push({ code: 'merge_with_one_input', list: 'nodes', index, message, hint });
    }
    if ((outOf[index] ?? []).filter(isOnward).length > 1) {
      const message = `'${id}' has several edges away`;
      const hint = 'Lead its one edge to a linear node, and let these edges begin there.';
      problems.push({ code: 'merge_with_many_outputs', list: 'nodes', index, message, hint });
    }
    return problems;
  });
}

/** The journal names the taken edges of a stage in one event. */
function tooManyEdges({ dag, outOf }: DagGraph): readonly DagProblem[] {
  return dag.nodes.flatMap(({ id }, index): readonly DagProblem[] => {
    if ((outOf[index]?.length ?? 0) <= MAX_EDGES_FROM) return [];
    const message = `more than ${MAX_EDGES_FROM} edges lead away from '${id}'`;
    const hint = 'Let some of them begin at a linear node after it.';
    return [{ code: 'too_many_edges', list: 'nodes', index, message, hint }];
  });
}

function severalInputs(graph: DagGraph): readonly DagProblem[] {
  return certainPairs(graph, topologicalOrder(graph)).map(([first, second]) => ({
    code: 'several_certain_inputs',
    list: 'edges',
    index: second.index,
    message: `'${second.edge.to}' gets the outputs of both '${first.edge.from}' and '${second.edge.from}'`,
    hint: `Put a merge node before '${second.edge.to}'.`,
  }));
}

/** Edges and rules behind others that are always taken instead. */
function neverTaken({ dag, links, outOf }: DagGraph): readonly DagProblem[] {
  const hasError = ({ from }: Link): boolean => outOf[from]?.some(({ edge }) => edge.type === 'error') === true;
  const edges = links.filter((link) => link.edge.type === 'fallback' && hasError(link));
  const rules = dag.fallbacks.flatMap(({ category, role }, index) => {
    const before = dag.fallbacks.slice(0, index);
    return before.some((rule) => rule.category === category && (rule.role ?? role) === role) ? [index] : [];
  });
  return [
    ...edges.map(({ index, edge }): DagProblem => {
      const message = `the error edges of '${edge.from}' are taken before this fallback edge`;
      return { code: 'never_taken', list: 'edges', index, message, hint: 'Remove it, or the error edges.' };
    }),
    ...rules.map((index): DagProblem => {
      const message = 'an earlier rule fits the same failures';
      return { code: 'never_taken', list: 'fallbacks', index, message, hint: 'Remove it, or put it first.' };
    }),
  ];
}
