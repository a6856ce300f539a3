import type { Run, SafeMode } from '@hamlet/contract';
import type { StartedRun } from '../village/village.ts';

/** The runtime of runs that carry out a workflow, and of the workers of their stages. */
export const WORKFLOW_RUNTIME = 'workflow';

/** A workflow that a run carries out. `files`: texts of the manifests by the names of their files. */
export interface BookedWorkflow {
  readonly request: NonNullable<Run['workflow']>;
  readonly files: ReadonlyMap<string, string>;
  readonly prompt: string;
  readonly safeMode: SafeMode | null;
}

/** A stage for which a worker works. `task`: the run that carries out the workflow, `call`: the call of it that asked. */
export interface BookedStage {
  readonly task: string;
  readonly call: string;
  readonly stage: string;
  readonly round: number;
  readonly attempt: number;
}

interface Booked {
  readonly workflow?: BookedWorkflow;
  readonly stage?: BookedStage;
}

/** The part of a run in a workflow; empty for other runs. Pure. */
export function bookedWorkflowOf({ run, manifests = [] }: Pick<StartedRun, 'run' | 'manifests'>): Booked {
  const { workflow, worker, prompt, safe_mode: safeMode = null } = run;
  if (worker?.stage !== undefined) {
    const { stage, round, attempt } = worker.stage;
    return { stage: { task: worker.parent_run_id, call: worker.call_id, stage, round, attempt } };
  }
  if (workflow === undefined) return {};
  const files = new Map(manifests.map(({ path, text }) => [path, text] as const));
  return { workflow: { request: workflow, files, prompt, safeMode } };
}
