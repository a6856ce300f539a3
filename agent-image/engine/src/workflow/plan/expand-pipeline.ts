import type { ConfigPath } from './config-error.ts';
import type { PipelineSpec } from './pipeline-spec.ts';
import { MAX_EDGES, MAX_EDGES_FROM, MAX_STAGES } from './plan.ts';
import type { EdgeSpec, NodeSpec, WorkflowSpec } from './workflow-spec.ts';

/** Longest id of a stage: the id of an edge between two of them must fit into an event of the journal. */
const MAX_STAGE_ID = 96;

/** The nodes and edges of a workflow with the stages of a pipeline. */
export type Expanded = Readonly<{ nodes: readonly NodeSpec[]; edges: readonly EdgeSpec[] }>;

/** `path`: below the pipeline. `isLimit`: the plan would be too large. */
type SequenceProblem = Readonly<{ path: ConfigPath; message: string; hint: string; isLimit: boolean }>;

/**
 * Puts the stages of a pipeline before and after the nodes of each role. The stage `check` of the node `judge` gets the id
 * `judge.check`.
 *
 * Edges to the node lead to its first stage. Normal and conditional edges leave from its last stage, which decides if the node did, so the
 * output of the last stage is that of the node. Error and fallback edges leave from each of its stages. Pure.
 */
export function expandPipeline(workflow: WorkflowSpec, pipeline: PipelineSpec): Expanded {
  const sequences = new Map(workflow.nodes.map((node) => [node.id, sequenceOf(node, pipeline)] as const));
  const stagesOf = (id: string): readonly NodeSpec[] => sequences.get(id) ?? [];
  const between = workflow.edges.flatMap((edge) => {
    const sources = isOnward(edge) ? stagesOf(edge.from).slice(-1) : stagesOf(edge.from);
    const to = stagesOf(edge.to)[0]?.id ?? edge.to;
    return sources.map(({ id }) => ({ ...edge, from: id, to }));
  });
  const within = workflow.nodes.flatMap(({ id }) =>
    stagesOf(id)
      .slice(1)
      .map((stage, index): EdgeSpec => ({ from: stagesOf(id)[index]?.id ?? id, to: stage.id, type: 'normal' })),
  );
  return { nodes: workflow.nodes.flatMap(({ id }) => stagesOf(id)), edges: [...between, ...within] };
}

const isOnward = ({ type }: EdgeSpec): boolean => type === 'normal' || type === 'conditional';

function sequenceOf(node: NodeSpec, { stages }: PipelineSpec): readonly NodeSpec[] {
  const sequence = stages[node.role] ?? ['node' as const];
  const last = sequence.at(-1);
  return sequence.map((stage): NodeSpec => {
    if (stage !== 'node') return { ...stage, id: `${node.id}.${stage.id}`, decides: decides(node) && stage === last };
    return last === 'node' || !decides(node) ? node : withoutDecision(node);
  });
}

const decides = (node: NodeSpec): boolean => node.role !== 'merge' && node.decides;

/** A decision whose last stage decides in its place computes its output as a linear stage does. */
function withoutDecision(node: NodeSpec): NodeSpec {
  if (node.role === 'merge') return node;
  return node.role === 'decision' ? { ...node, role: 'linear', decides: false } : { ...node, decides: false };
}

/** The reasons for which a workflow cannot have the stages of a pipeline; none if it can. Pure. */
export function sequenceProblems(workflow: WorkflowSpec, pipeline: PipelineSpec): readonly SequenceProblem[] {
  const expanded = expandPipeline(workflow, pipeline);
  const limit = limitProblem(expanded);
  if (limit !== null) return [{ path: ['stages'], message: limit, hint: 'Shorten the sequences.', isLimit: true }];
  return [...duplicateStages(expanded.nodes), ...placeProblems(workflow, pipeline)];
}

function limitProblem({ nodes, edges }: Expanded): string | null {
  if (nodes.length > MAX_STAGES) return `the plan would have more than ${MAX_STAGES} stages`;
  if (edges.length > MAX_EDGES) return `the plan would have more than ${MAX_EDGES} edges`;
  const long = nodes.find(({ id }) => id.length > MAX_STAGE_ID);
  if (long !== undefined) return `the id '${long.id}' would have more than ${MAX_STAGE_ID} characters`;
  const counts = new Map<string, number>();
  for (const { from } of edges) counts.set(from, (counts.get(from) ?? 0) + 1);
  const many = [...counts].find(([, count]) => count > MAX_EDGES_FROM);
  return many === undefined ? null : `more than ${MAX_EDGES_FROM} edges would lead away from '${many[0]}'`;
}

function duplicateStages(nodes: readonly NodeSpec[]): readonly SequenceProblem[] {
  const ids = new Set(nodes.map(({ id }) => id));
  if (ids.size === nodes.length) return [];
  const second = nodes.find(({ id }) => !ids.delete(id))?.id;
  const hint = 'Give the stages of a sequence, and the nodes, different ids.';
  return [{ path: ['stages'], message: `two stages would have the id '${second}'`, hint, isLimit: false }];
}

/** Merges and feedback nodes read their edges themselves, so no stage may stand between. */
function placeProblems({ nodes }: WorkflowSpec, { stages }: PipelineSpec): readonly SequenceProblem[] {
  const problem = (role: NodeSpec['role'], message: string): SequenceProblem => ({
    path: ['stages', role],
    message,
    hint: "Move 'node' within the sequence, or leave this role out.",
    isLimit: false,
  });
  const present = new Set(nodes.map(({ role }) => role));
  const early = (['merge', 'feedback'] as const).filter((role) => present.has(role) && startsEarly(stages[role]));
  const reviewed = new Set(nodes.flatMap((node) => (node.role === 'feedback' ? [node.reviews] : [])));
  const late = nodes.filter(({ id, role }) => reviewed.has(id) && (stages[role]?.at(-1) ?? 'node') !== 'node');
  return [
    ...early.map((role) => problem(role, `a stage would stand between a ${role} node and its inputs`)),
    ...late.map(({ id, role }) =>
      problem(role, `a stage would stand between '${id}' and the feedback node that reviews it`),
    ),
  ];
}

const startsEarly = (sequence: readonly unknown[] | undefined): boolean => (sequence?.[0] ?? 'node') !== 'node';
