import type { Place } from './host-tools.ts';
import type { TaskParts } from './task-parts.ts';

type RunOf = Readonly<{ run: string; task: string; place: Place | undefined }>;

/** The agent that works in a run of a task; null for the run of the task itself. */
export const agentOfRun = (parts: TaskParts, { run, task, place }: RunOf): string | null =>
  task === run ? null : agentOf(parts, place?.stage ?? stageOf(run.slice(task.length + 1)));

/** The agent of a stage; null if it asks none. */
export const agentOf = ({ plan }: TaskParts, stage: string): string | null =>
  plan.stages.find(({ id }) => id === stage)?.agent ?? null;

/** The stage in the end of the id of a run of this engine: `STAGE.ROUND.ATTEMPT`. */
export const stageOf = (end: string): string => end.replace(/\.\d+\.\d+$/, '');
