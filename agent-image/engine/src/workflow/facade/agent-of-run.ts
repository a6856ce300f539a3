import type { BudgetSpec } from '../manifest/schemas.ts';
import type { Place } from './host-tools.ts';
import type { TaskParts } from './task-parts.ts';

type RunOf = Readonly<{ run: string; task: string; place: Place | undefined }>;

/** The agent that works in a run of a task; null for the run of the task itself. */
export const agentOfRun = (parts: TaskParts, { run, task, place }: RunOf): string | null =>
  task === run ? null : agentOf(parts, place?.stage ?? stageOf(run.slice(task.length + 1)));

/** The agent of a stage; null if it asks none. */
const agentOf = ({ plan }: TaskParts, stage: string): string | null =>
  plan.stages.find(({ id }) => id === stage)?.agent ?? null;

/** The stage in `STAGE.ROUND.ATTEMPT`, with which the ids of this engine's agent runs end. */
export const stageOf = (end: string): string => end.replace(/\.\d+\.\d+$/, '');

const MS_PER_MINUTE = 60_000;

/** The limits of a run that works for a stage: those of its agent, and the time of an attempt of the stage. */
export function budgetOfStage({ plan, agents }: TaskParts, stage: string): BudgetSpec {
  const planned = plan.stages.find(({ id }) => id === stage);
  const budget = agents.find(({ id }) => id === planned?.agent)?.budget ?? {};
  const timeoutMs = planned?.timeoutMs ?? null;
  if (timeoutMs === null) return budget;
  return { ...budget, minutes: Math.min(budget.minutes ?? Infinity, timeoutMs / MS_PER_MINUTE) };
}
