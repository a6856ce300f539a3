import type { StageFailure } from '../plan/failure.ts';
import type { PlanStage } from '../plan/plan.ts';
import type { TelemetrySink } from '../telemetry/bus.ts';
import type { HookContext } from './hooks.ts';
import type { PluginManager } from './plugin-manager.ts';

/** A stage at work, as the engine's loop reports it. `run`: of the task. */
type StageAt = Readonly<{
  run: string;
  stage: Pick<PlanStage, 'id' | 'role' | 'agent'>;
  attempt: number;
  round: number;
  input: unknown;
}>;
type StageEnd = Readonly<{ output: unknown; failure: StageFailure | null }>;

type TaskHookParts = Readonly<{
  plugins: Pick<PluginManager, 'emit'>;
  taskOf: (run: string) => string;
  agentOf: (at: StageAt) => Readonly<{ run: string; model: string }>;
  /** The tokens that a run has used so far. */
  tokensOf: (run: string) => number;
}>;

/** Calls the hooks of tasks, stages and agents. Hooks before something wait for those after earlier ends, and return a veto or null. */
export type TaskHooks = Readonly<{
  beforeTask: (task: HookContext<'before_task'>) => Promise<string | null>;
  /** Also calls `before_agent` for a stage that asks an agent. */
  beforeStage: (at: StageAt) => Promise<string | null>;
  /** Queues `after_agent` and `after_stage`, and returns at once. */
  afterStage: (at: StageAt, end: StageEnd) => void;
  /** Calls `after_task`, and `on_completion` for a completed task, after the hooks of its stages. */
  afterTask: (task: HookContext<'after_task'>) => Promise<void>;
}>;

export function createTaskHooks({ plugins, taskOf, agentOf, tokensOf }: TaskHookParts): TaskHooks {
  /** Agents whose `before_agent` has passed: the others have no end. */
  const begun = new Set<string>();
  let queue: Promise<unknown> = Promise.resolve();
  const placeOf = ({ run, stage, attempt, round }: StageAt) => ({
    task: taskOf(run),
    run,
    stage: stage.id,
    role: stage.role,
    attempt,
    round,
  });
  const agentPlace = (at: StageAt) => ({
    ...agentOf(at),
    task: taskOf(at.run),
    stage: at.stage.id,
    agent: at.stage.agent,
  });
  const afterStage = async (at: StageAt, { output, failure }: StageEnd): Promise<void> => {
    if (begun.delete(keyOf(at))) {
      const agent = agentPlace(at);
      const outcome = failure === null ? 'done' : 'failed';
      await plugins.emit('after_agent', { ...agent, outcome, output, tokens: tokensOf(agent.run) });
    }
    await plugins.emit('after_stage', { ...placeOf(at), output, failure });
  };
  return {
    beforeTask: async (task) => (await plugins.emit('before_task', task)).vetoed,
    beforeStage: async (at) => {
      await queue;
      const { vetoed } = await plugins.emit('before_stage', { ...placeOf(at), input: at.input });
      if (vetoed !== null || at.stage.agent === null) return vetoed;
      const asked = await plugins.emit('before_agent', { ...agentPlace(at), input: at.input });
      if (asked.vetoed === null) begun.add(keyOf(at));
      return asked.vetoed;
    },
    afterStage: (at, end) => {
      queue = queue.then(() => afterStage(at, end));
    },
    afterTask: async (task) => {
      await queue;
      await plugins.emit('after_task', task);
      if (task.status !== 'completed') return;
      const { task: id, run, workflow, pipeline, output } = task;
      await plugins.emit('on_completion', { task: id, run, workflow, pipeline, output });
    },
  };
}

const keyOf = ({ run, stage, attempt, round }: StageAt): string => JSON.stringify([run, stage.id, attempt, round]);

/** Calls `on_error` for the errors of telemetry. */
export const errorHookSink = (plugins: Pick<PluginManager, 'emit'>): TelemetrySink => ({
  name: 'plugins',
  write: async (events) => {
    for (const event of events)
      if (event.type === 'error') {
        const { task, run, where, failure, message } = event;
        await plugins.emit('on_error', { task, run, where, failure, message });
      }
  },
});
