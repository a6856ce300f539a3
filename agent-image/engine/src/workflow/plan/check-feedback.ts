import { isOnward, type DagGraph, type DagNode } from './dag-graph.ts';
import type { DagProblem } from './dag-problem.ts';

/** Roles whose stages can run again with the words of a review. */
const REVIEWED: ReadonlySet<string> = new Set(['agent', 'tool', 'linear']);

/**
 * The problems of feedback nodes. A feedback node comes directly after the one stage that it judges, and that stage leads nowhere else:
 * its earlier outputs reach no other stage.
 */
export function checkFeedback(graph: DagGraph): readonly DagProblem[] {
  return graph.dag.nodes.flatMap(({ id, reviews }, index) => {
    const reviewed = reviews === null ? undefined : graph.indexOf.get(reviews);
    if (reviewed === undefined) return [];
    const fault = faultOf(graph, { feedback: index, reviewed });
    return fault === null
      ? []
      : [
          {
            code: 'bad_feedback',
            list: 'nodes',
            index,
            message: `'${id}' reviews '${reviews}', ${fault[0]}`,
            hint: fault[1],
          },
        ];
  });
}

const runsAgain = ({ role, decides }: DagNode): boolean => REVIEWED.has(role) && !decides;

type Review = Readonly<{ feedback: number; reviewed: number }>;

/** The fault of a review and the way to mend it; null if it is right. */
function faultOf({ dag, into, outOf }: DagGraph, { feedback, reviewed }: Review): readonly [string, string] | null {
  const node = dag.nodes[reviewed];
  if (node === undefined || !runsAgain(node))
    return ['which it cannot have run again', 'Review an agent, tool or linear node without decides.'];
  const [first, second] = into[feedback] ?? [];
  const isDirect = first?.from === reviewed && first.edge.type === 'normal' && second === undefined;
  if (!isDirect) return [`but its one input is not a normal edge from '${node.id}'`, 'Let that edge alone lead to it.'];
  if (outOf[reviewed]?.filter(isOnward)[1] !== undefined)
    return ['which leads to other nodes too', 'Let the edges to those nodes begin at the feedback node.'];
  return null;
}
