import type { Budgets } from '../../journal/event.ts';
import type { Journal } from '../../journal/journal.ts';
import type { Rerun } from '../../flow/rerun.ts';
import type { RunOutcome } from '../../loop/advance.ts';
import { loadRun } from '../../loop/transcript.ts';
import { agentRunOf } from '../../flow/agent-stage.ts';
import type { FlowStage } from '../../state/flow-state.ts';
import type { RunState } from '../../state/run-state.ts';
import type { FailureCategory, FailureSignature } from '../plan/failure.ts';
import type { Plan } from '../plan/plan.ts';
import type { Override } from '../route/override.ts';
import type { RoutingDecision } from '../route/choose-pipeline.ts';

/** The task as it was created, in the journal. `manifests`: the hash of the manifests that its plan was made of. */
export type TaskRecord = Readonly<{
  id: string;
  input: unknown;
  mode: string | null;
  tags: readonly string[];
  overrides: readonly Override[];
  routing: readonly RoutingDecision[];
  changes: readonly unknown[];
  manifests: string;
  rerun?: Rerun;
}>;

/** `PENDING`: created, no stage has begun. `WAITING`: for a person, a model, or an engine that resumes it. */
export type TaskStatus = 'PENDING' | 'RUNNING' | 'WAITING' | 'COMPLETED' | 'FAILED' | 'CANCELLED';

export type StageStatus = 'RUNNING' | 'COMPLETED' | 'FAILED' | 'SKIPPED' | 'STOPPED';

/** A stage that has begun or was skipped. `run`: the run of its agent; null for other roles. */
export type StageView = Readonly<{
  id: string;
  role: string;
  status: StageStatus;
  attempt: number;
  round: number;
  input: unknown;
  output: unknown;
  failure: Readonly<{ category: FailureCategory; code: string; message: string }> | null;
  /** The ids of the edges that the task followed from here. */
  edges: readonly string[];
  run: string | null;
}>;

/** A question that people must answer: may the tool be called with these arguments, which are JSON text? */
export type TaskQuestion = Readonly<{
  request: string;
  run: string;
  tool: string;
  arguments: string;
  why: 'policy' | 'unknown';
}>;

/** `requests`: ids of the questions that people must answer; `waitMs`: the wait for the model, in milliseconds. */
export type TaskWait =
  | Readonly<{ for: 'permission'; requests: readonly string[]; questions: readonly TaskQuestion[] }>
  | Readonly<{ for: 'model'; code: string; waitMs: number }>
  | Readonly<{ for: 'engine' }>;

/** A task: a view of its run in the journal. */
export type Task = Readonly<{
  id: string;
  workflow: string;
  pipeline: string;
  status: TaskStatus;
  mode: string | null;
  tags: readonly string[];
  overrides: readonly Override[];
  /** Why it has its pipeline, and what the overrides changed. */
  routing: readonly RoutingDecision[];
  changes: readonly unknown[];
  input: unknown;
  /** The task and the stage that this one repeats from, if it does. */
  rerun: Readonly<{ of: string; stage: string }> | null;
  /** Null until the task is completed. */
  output: unknown;
  /** In the order in which they began. */
  stages: readonly StageView[];
  failure: (FailureSignature & Readonly<{ message: string }>) | null;
  waiting: TaskWait | null;
  /** The use of the task and its agents: answers, tokens, millionths of the price's unit, milliseconds. */
  spent: Readonly<{ steps: number; tokens: number; moneyMicros: number; timeMs: number }>;
}>;

export const hasEnded = ({ status }: Task): boolean =>
  status === 'COMPLETED' || status === 'FAILED' || status === 'CANCELLED';

type Now = Readonly<{
  isActive: boolean;
  outcome: RunOutcome | null;
  questionOf: (request: string) => TaskQuestion | null;
}>;

/** The task of a run; null if the journal has no such task. Throws if the journal cannot be read. */
export function taskOf(journal: Journal, id: string, now: Now): Task | null {
  const loaded = loadRun(journal, id);
  if (!loaded.ok && loaded.code === 'no_such_run') return null;
  if (!loaded.ok) throw new Error(loaded.message);
  const { state } = loaded;
  const { opened, flow } = state;
  if (opened.flow === undefined || flow === null) return null;
  const record = valueIn(journal, opened.flow.task) as TaskRecord;
  const { workflow, pipeline } = opened.flow;
  // The event of a skipped stage has no role.
  const { stages: planned } = valueIn(journal, opened.plan) as Plan;
  const roles = new Map(planned.map((stage) => [stage.id, stage.role]));
  const failed = failureOfTask(journal, state, { id, pipeline });
  return {
    id,
    workflow,
    pipeline,
    status: statusOf(state, now),
    mode: record.mode,
    tags: record.tags,
    overrides: record.overrides,
    routing: record.routing,
    changes: record.changes,
    input: record.input,
    rerun: record.rerun === undefined ? null : { of: record.rerun.of, stage: record.rerun.stage },
    output: state.outcome?.kind === 'done' ? valueIn(journal, state.outcome.answer) : null,
    stages: [...flow.stages.values()].map((stage) =>
      stageView(journal, id, { ...stage, role: roles.get(stage.id) ?? stage.role }),
    ),
    failure: failed,
    waiting: waitOf(state, now),
    spent: spentBy(state.spent),
  };
}

const valueIn = (journal: Journal, ref: string): unknown => JSON.parse(journal.textOf(ref) ?? 'null');

const spentBy = ({ steps, tokens, moneyMicros, timeMs }: Budgets): Task['spent'] => ({
  steps,
  tokens,
  moneyMicros,
  timeMs,
});

const CLOSED = { done: 'COMPLETED', failed: 'FAILED', cancelled: 'CANCELLED' } as const;

function statusOf(state: RunState, { isActive }: Now): TaskStatus {
  if (state.outcome !== null) return CLOSED[state.outcome.kind];
  if (isActive) return 'RUNNING';
  return state.flow === null || state.flow.stages.size === 0 ? 'PENDING' : 'WAITING';
}

function waitOf(state: RunState, { isActive, outcome, questionOf }: Now): TaskWait | null {
  if (state.outcome !== null || isActive) return null;
  if (outcome?.kind !== 'waiting') return { for: 'engine' };
  switch (outcome.for) {
    case 'permission':
      return {
        for: 'permission',
        requests: outcome.requests,
        questions: outcome.requests.flatMap((request) => shown(questionOf(request))),
      };
    case 'model':
      return { for: 'model', code: outcome.code, waitMs: outcome.waitMs };
    case 'engine':
      return { for: 'engine' };
    default:
      return outcome satisfies never;
  }
}

function shown(question: TaskQuestion | null): readonly TaskQuestion[] {
  if (question === null) return [];
  const { request, run, tool, arguments: text, why } = question;
  return [{ request, run, tool, arguments: text, why }];
}

const ENDED = {
  done: 'COMPLETED',
  again: 'RUNNING',
  failed: 'FAILED',
  skipped: 'SKIPPED',
  stopped: 'STOPPED',
} as const;

function stageView(journal: Journal, task: string, stage: FlowStage): StageView {
  const { id, role, attempt, round, input, closed } = stage;
  const isAgent = role === 'agent' || role === 'feedback';
  return {
    id,
    role,
    status: closed === null ? 'RUNNING' : ENDED[closed.end],
    attempt,
    round,
    input: valueIn(journal, input),
    output: closed === null ? null : valueIn(journal, closed.output ?? ''),
    failure: closed === null ? null : failureIn(journal, closed.failure),
    edges: closed?.edges ?? [],
    run: isAgent ? agentRunOf(task, stage) : null,
  };
}

type Failure = NonNullable<FlowStage['closed']>['failure'];

const failureIn = (journal: Journal, failure: Failure): StageView['failure'] =>
  failure && { ...failure, message: String(valueIn(journal, failure.message)) };

/** The failure that ended the task: of the last stage that failed, or of the run itself. */
function failureOfTask(
  journal: Journal,
  { outcome, flow }: RunState,
  { id, pipeline }: Readonly<{ id: string; pipeline: string }>,
): Task['failure'] {
  if (outcome?.kind !== 'failed') return null;
  const [last] = [...(flow?.stages.values() ?? [])]
    .filter(({ closed }) => closed?.failure?.code === outcome.code)
    .toSorted((one, other) => other.place - one.place);
  const failure = last?.closed?.failure ?? null;
  if (last === undefined || failure === null)
    return {
      taskId: id,
      pipelineId: pipeline,
      stageId: '',
      nodeType: '',
      category: 'engine',
      code: outcome.code,
      message: `The task ended: ${outcome.code}.`,
    };
  const { category, code, message } = failure;
  return {
    taskId: id,
    pipelineId: pipeline,
    stageId: last.id,
    nodeType: last.role,
    category,
    code,
    message: String(valueIn(journal, message)),
  };
}
