import type { AskedRepeat, AskedTask } from '@hamlet/engine/workflow/host';
import type { BookedWorkflow } from '../engine/booked-workflow.ts';

/** A task to begin: a new one, or one that repeats the run `of` from a stage on. */
type TaskToBegin =
  | Readonly<{ kind: 'new'; spec: AskedTask }>
  | Readonly<{ kind: 'repeat'; of: string; from: AskedRepeat }>;

/** The task of a run. The engine checks its overrides, which come from people. Pure. */
export function taskOf(id: string, { request, prompt, safeMode }: BookedWorkflow): TaskToBegin {
  const { rerun, input_json: input, pipeline, mode, tags, overrides = [] } = request;
  if (rerun !== undefined) {
    const given = rerun.input_json === undefined ? {} : { input: valueOf(rerun.input_json) };
    return { kind: 'repeat', of: rerun.run_id, from: { id, stage: rerun.stage, ...given } };
  }
  const spec = {
    id,
    input: input === undefined ? prompt : valueOf(input),
    ...(pipeline !== undefined && { pipeline }),
    ...(mode !== undefined && { mode }),
    ...(tags !== undefined && { tags }),
    overrides: [...overrides, ...(safeMode === null ? [] : [{ kind: safeMode }])],
  };
  return { kind: 'new', spec };
}

/** The API has checked that the text is JSON. */
const valueOf = (text: string): unknown => JSON.parse(text);
