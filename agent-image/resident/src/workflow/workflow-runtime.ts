import {
  RunFailure,
  workOnRun,
  type AgentRuntime,
  type Begun,
  type RunInput,
  type RuntimeContext,
  type RuntimeOutcome,
} from '@hamlet/engine';
import { EngineError, leastOf } from '@hamlet/engine/workflow/host';
import type { BookedStage, BookedWorkflow } from '../engine/booked-workflow.ts';
import { openTask, type OpenTask, type TaskPorts } from './open-task.ts';
import { stagePrompt } from './stage-prompt.ts';
import { taskOf } from './task-of.ts';

export interface WorkflowPorts extends TaskPorts {
  /** Names of the models that the agent may use; null if the village does not answer. */
  readonly models: (signal: AbortSignal) => Promise<readonly string[] | null>;
}

/** The tasks at work, by their runs. Mutable. */
type OpenTasks = Map<string, OpenTask>;

/**
 * The runtime of runs with a workflow, and of the workers of their stages: one engine carries out a task and its workers, so that a cancel
 * and the budgets of the task reach them.
 */
export function createWorkflowRuntime(ports: WorkflowPorts): AgentRuntime {
  const tasks: OpenTasks = new Map();
  return {
    initialize: async () => {},
    execute: async (input, context) => {
      if (input.kind === 'speech') throw new RunFailure('no_speech', 'A workflow does not speak. Send it a task.');
      const { workflow, stage } = ports.book.find(input.run) ?? {};
      if (stage !== undefined) return executeStage(ports, tasks.get(stage.task), { stage, input, context });
      if (workflow !== undefined) return executeTask(ports, tasks, { workflow, input, context });
      throw new RunFailure('no_workflow', 'This run has no workflow. Give it one, or give the agent another runtime.');
    },
    terminate: async () => {},
  };
}

type Working = Readonly<{ workflow: BookedWorkflow; input: RunInput; context: RuntimeContext }>;

async function executeTask(ports: WorkflowPorts, tasks: OpenTasks, working: Working): Promise<RuntimeOutcome> {
  const { run } = working.input;
  try {
    const task = await openTask(ports, working.workflow);
    try {
      tasks.set(run, task);
      return await workOnTask(task, working);
    } finally {
      tasks.delete(run);
      await task.host.close();
    }
  } catch (error) {
    if (error instanceof EngineError) return failureOf(error);
    throw error;
  }
}

async function workOnTask(task: OpenTask, { workflow, input, context }: Working): Promise<RuntimeOutcome> {
  const { host, engine } = task;
  const { run } = input;
  const begin = async () => resumed(task, input) ?? beginTask(task, workflow, input);
  host.begin(run);
  try {
    const outcome = await workOnRun(engine, { run, begin }, context.signal);
    await endWorkers(task, outcome.kind);
    if (outcome.kind === 'done') return { kind: 'done', text: outcome.text };
    return outcome.kind === 'failed' ? { ...outcome, message: reasonOf(task, run) ?? outcome.message } : outcome;
  } finally {
    await host.end(run);
  }
}

/** Continues a run of the journal; null if the journal lacks it. */
function resumed({ host, engine }: OpenTask, { run, answers, budgets }: RunInput): Begun | null {
  const begun = engine.resume(run, { answers, budgets: host.limitsOf(run, budgets) });
  return begun.ok || begun.code !== 'no_such_run' ? begun : null;
}

async function beginTask({ host, engine }: OpenTask, workflow: BookedWorkflow, input: RunInput): Promise<Begun> {
  const { run, budgets } = input;
  const task = taskOf(run, workflow);
  return engine.start(
    task.kind === 'new' ? host.newTask(task.spec, budgets) : host.repeatedTask(task.of, task.from, budgets),
  );
}

const ENDED: ReadonlySet<RuntimeOutcome['kind']> = new Set<RuntimeOutcome['kind']>(['done', 'failed', 'cancelled']);

/** Cancels the workers of an ended task, and waits until the work on them has stopped. A task that is left has left its workers too. */
async function endWorkers({ engine, workers, ended }: OpenTask, how: RuntimeOutcome['kind']): Promise<void> {
  // The workers of a cancelled task end as cancelled, others with `parent_ended`.
  if (how !== 'cancelled') ended.abort();
  if (ENDED.has(how)) for (const run of workers.keys()) engine.cancel(run);
  await Promise.allSettled(workers.values());
}

/** The failure of the stage that ended the task; null if no stage did. */
function reasonOf({ host }: OpenTask, run: string): string | null {
  const { failure } = host.task(run);
  return failure === null || failure.stageId === '' ? null : `${failure.stageId}: ${failure.message}`;
}

/** The error of the run has the first fault of the manifests, its answer all of them. */
function failureOf({ code, message, errors }: EngineError): RuntimeOutcome {
  const [first, ...more] = errors.map(
    ({ file, line, column, message: what, hint }) => `${file}:${line}:${column}: ${what}. ${hint}`,
  );
  if (first === undefined) return { kind: 'failed', code, message, unsettled: [] };
  const others = more.length === 0 ? '' : ` (and ${more.length} more)`;
  return { kind: 'failed', code, message: `${first}${others}`, text: [first, ...more].join('\n'), unsettled: [] };
}

type Staging = Readonly<{ stage: BookedStage; input: RunInput; context: RuntimeContext }>;

/** Works on the worker of a stage. Interrupts it if its task is not at work, as any worker without its parent. */
async function executeStage(
  ports: WorkflowPorts,
  task: OpenTask | undefined,
  { stage, input, context }: Staging,
): Promise<RuntimeOutcome> {
  if (task === undefined) return { kind: 'interrupted' };
  const { run } = input;
  task.host.place(run, stage);
  const begin = async () => resumed(task, input) ?? beginStage(ports, task, { stage, input, context });
  const work = workOnRun(task.engine, { run, begin }, context.signal);
  task.workers.set(run, work);
  try {
    const outcome = await work;
    if (outcome.kind === 'cancelled' && task.ended.signal.aborted) return ENDED_WITH_TASK;
    // The API checks the form of an answer only against the schema that it knows.
    return outcome.kind === 'done' && input.output === undefined ? { kind: 'done', text: outcome.text } : outcome;
  } finally {
    task.workers.delete(run);
  }
}

const ENDED_WITH_TASK: RuntimeOutcome = {
  kind: 'failed',
  code: 'parent_ended',
  message: 'The task ended before this stage did.',
  unsettled: [],
};

async function beginStage(ports: WorkflowPorts, task: OpenTask, { stage, input, context }: Staging): Promise<Begun> {
  const { host, engine } = task;
  const { run, budgets } = input;
  const request = await host.requestOf(stage);
  if (!request.ok) throw new RunFailure(request.failure.code, request.failure.message);
  const tools = host.ports.toolsOf(run);
  const { stable: instructions } = request.run.prompt;
  const asking = task.askingOf(run, tools);
  const { round, attempt } = stage;
  return engine.start({
    ...request.run,
    run,
    conversation: run,
    model: await modelFor(ports, { wanted: host.modelOf(request.run.model), own: input.model }, context.signal),
    prompt: stagePrompt({ instructions, tools, asking, situation: input.prompt.situation }),
    budgets: leastOf(request.run.budgets, budgets),
    parent: { run: stage.task, call: stage.call },
    stage: { id: stage.stage, plan: JSON.stringify({ stage: stage.stage, round, attempt }) },
  });
}

type Wanted = Readonly<{ wanted: string; own: string }>;

/** The agent's own model if it may not use the wanted one, or the village lacks that. */
async function modelFor({ models }: WorkflowPorts, { wanted, own }: Wanted, signal: AbortSignal): Promise<string> {
  const known = wanted === own ? null : await models(signal);
  return known === null || known.includes(wanted) || own === '' ? wanted : own;
}
