import type { Dag } from './dag-graph.ts';

/** The rules of a workflow, by the code of the problem that breaks them. */
export type DagCode =
  | 'duplicate'
  | 'unknown_target'
  | 'cycle'
  | 'no_entry'
  | 'unreachable'
  | 'conditional_from_no_decision'
  | 'decision_without_conditions'
  | 'decision_with_normal_edge'
  | 'several_otherwise'
  | 'merge_with_one_input'
  | 'merge_with_many_outputs'
  | 'several_certain_inputs'
  | 'too_many_edges'
  | 'bad_feedback'
  | 'never_taken';

/** `list` and `index`: the node, edge or fallback rule where the mistake is. */
export type DagProblem = Readonly<{
  code: DagCode;
  list: keyof Dag;
  index: number;
  message: string;
  hint: string;
}>;
