import { checkDag } from './check-dag.ts';
import { pathText, type ConfigError, type ConfigProblem, type Result } from './config-error.ts';
import { graphOf, topologicalOrder, type Dag } from './dag-graph.ts';
import { expandPipeline, sequenceProblems, type Expanded } from './expand-pipeline.ts';
import type { PipelineSpec } from './pipeline-spec.ts';
import type { Plan, PlanEdge, PlanStage } from './plan.ts';
import type { EdgeSpec, NodeSpec, WorkflowSpec } from './workflow-spec.ts';

/** The parts of manifests that a plan is made of. */
export type PlanSource = Readonly<{ workflow: WorkflowSpec; pipelines: readonly PipelineSpec[] }>;

const MS_PER_S = 1_000;
const ONE_ATTEMPT = { attempts: 1, backoffMs: 0, on: null } as const;

/**
 * The plan of a workflow in one pipeline: its stages in topological order, its edges in the order of the manifest. Equal manifests give
 * equal plans. Refuses an unknown pipeline (`config_reference`) and everything that `planProblems` finds. Pure.
 */
export function compilePlan(source: PlanSource, pipelineId: string): Result<Plan> {
  const { workflow, pipelines } = source;
  const pipeline = pipelines.find(({ id }) => id === pipelineId);
  if (pipeline === undefined) return { ok: false, errors: [unknownPipeline(source, pipelineId)] };
  const problems = planProblems({ workflow, pipelines: [pipeline] });
  if (problems.length > 0) return { ok: false, errors: problems.map(withoutPlace) };
  const expanded = expandPipeline(workflow, pipeline);
  const value: Plan = {
    version: 1,
    workflow: workflow.id,
    pipeline: pipeline.id,
    stages: stagesInOrder(expanded),
    edges: edgesWithIds(expanded.edges),
    fallbacks: workflow.fallbacks.map(({ category, role = null, to }) => ({ category, role, to })),
    maxParallel: workflow.max_parallel,
  };
  return { ok: true, value };
}

/** Workflows without a problem of their own: each is checked once. */
const sound = new WeakSet<WorkflowSpec>();

/** The reasons for which a workflow with these pipelines cannot be carried out, at their places in the manifests; none if it can. Pure. */
export function planProblems({ workflow, pipelines }: PlanSource): readonly ConfigProblem[] {
  if (sound.has(workflow)) return pipelines.flatMap((pipeline, index) => pipelineProblems(workflow, pipeline, index));
  const dag = checkDag(dagOf(workflow)).map(({ code, list, index, message, hint }): ConfigProblem => ({
    code: 'config_dag',
    problem: code,
    file: 'workflow.yaml',
    path: ['workflow', list, index],
    at: 'value',
    message,
    hint,
  }));
  if (dag.length > 0) return dag;
  sound.add(workflow);
  return planProblems({ workflow, pipelines });
}

const pipelineProblems = (workflow: WorkflowSpec, pipeline: PipelineSpec, index: number): readonly ConfigProblem[] =>
  sequenceProblems(workflow, pipeline).map(({ isLimit, path, message, hint }) => ({
    code: isLimit ? 'config_limit' : 'config_dag',
    file: 'pipelines.yaml',
    path: ['pipelines', index, ...path],
    at: 'value',
    message,
    hint,
  }));

const dagOf = ({ nodes, edges, fallbacks }: Pick<WorkflowSpec, 'nodes' | 'edges' | 'fallbacks'>): Dag => ({
  nodes: nodes.map((node) => ({
    id: node.id,
    role: node.role,
    decides: node.role !== 'merge' && node.decides,
    reviews: node.role === 'feedback' ? node.reviews : null,
  })),
  edges: edges.map(({ from, to, type, when = null }) => ({ from, to, type, when })),
  fallbacks: fallbacks.map(({ category, role = null, to }) => ({ category, role, to })),
});

const withoutPlace = ({ code, file, path, message, hint, problem }: ConfigProblem): ConfigError => ({
  code,
  file,
  line: 1,
  column: 1,
  path: pathText(path),
  message,
  hint,
  ...(problem !== undefined && { problem }),
});

const unknownPipeline = ({ pipelines }: PlanSource, id: string): ConfigError => ({
  code: 'config_reference',
  file: 'pipelines.yaml',
  line: 1,
  column: 1,
  path: 'pipelines',
  message: `there is no pipeline '${id}'`,
  hint: `The pipelines are ${pipelines.map((each) => each.id).join(', ')}.`,
});

function stagesInOrder({ nodes, edges }: Expanded): readonly PlanStage[] {
  const order = topologicalOrder(graphOf(dagOf({ nodes: [...nodes], edges: [...edges], fallbacks: [] })));
  return order.flatMap((index) => {
    const node = nodes[index];
    return node === undefined ? [] : [stageOf(node)];
  });
}

/** A stage with the fields that all roles have, and those of its own. */
function stageOf(node: NodeSpec): PlanStage {
  const blank = { agent: null, tool: null, toolPlan: null, input: null, output: null, merge: null, feedback: null };
  const untried = { retry: ONE_ATTEMPT, timeoutMs: null };
  const plain = { id: node.id, role: node.role, ...blank, ...untried };
  switch (node.role) {
    case 'agent':
      return { ...plain, ...givenOf(node), ...triesOf(node), agent: node.agent };
    case 'tool':
      return {
        ...plain,
        ...givenOf(node),
        ...triesOf(node),
        tool: node.tool ?? null,
        toolPlan: node.tool_plan ?? null,
      };
    case 'linear':
    case 'decision':
      return { ...plain, ...givenOf(node), output: expressionOf(node.output) };
    case 'merge':
      return { ...plain, decides: false, merge: node.merge, output: expressionOf(node.output) };
    case 'feedback': {
      const feedback = { reviews: node.reviews, until: node.until, maxRounds: node.max_rounds };
      return { ...plain, ...givenOf(node), ...triesOf(node), agent: node.agent, feedback };
    }
  }
}

const givenOf = ({ input, decides }: Exclude<NodeSpec, { role: 'merge' }>): Pick<PlanStage, 'input' | 'decides'> => ({
  input: input ?? null,
  decides,
});

type Tried = Extract<NodeSpec, { role: 'agent' | 'tool' | 'feedback' }>;

function triesOf({ retry, timeout_s: timeout }: Tried): Pick<PlanStage, 'retry' | 'timeoutMs'> {
  const timeoutMs = timeout === undefined ? null : milliseconds(timeout);
  if (retry === undefined) return { retry: ONE_ATTEMPT, timeoutMs };
  const { attempts, backoff_s: backoff, on = null } = retry;
  return { retry: { attempts, backoffMs: milliseconds(backoff), on }, timeoutMs };
}

const milliseconds = (seconds: number): number => Math.round(seconds * MS_PER_S);

/** The expression after the `=` of the manifest. */
const expressionOf = (output: string | undefined): string | null => output?.slice(1) ?? null;

function edgesWithIds(edges: readonly EdgeSpec[]): readonly PlanEdge[] {
  const counts = new Map<string, number>();
  return edges.map(({ from, to, type, when = null }) => {
    const pair = `${from}->${to}`;
    const count = (counts.get(pair) ?? 0) + 1;
    counts.set(pair, count);
    return { id: count === 1 ? pair : `${pair}#${count}`, from, to, type, when };
  });
}
