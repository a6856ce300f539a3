import type { Invocation } from '../../command.ts';
import { printable } from '../../talk/printable.ts';
import { stateLines } from '../../talk/run-end.ts';
import { age, printed } from '../../table.ts';
import { withApi } from '../../village-api.ts';
import { stagesTable } from './stage-text.ts';
import { outputOf, planIn, readWorkflow, type WorkflowView } from './workflow-view.ts';

function taskLine({ run, pipeline, manifests }: WorkflowView): string {
  const rerun = run.workflow?.rerun;
  const parts = [
    pipeline === null ? 'the pipeline is not chosen yet' : `pipeline ${pipeline}`,
    `manifests ${manifests.sha256.slice(0, 12)}`,
    ...(rerun === undefined ? [] : [`repeats ${rerun.run_id} from ${rerun.stage} on`]),
  ];
  return parts.join(', ');
}

export function workflowLines(view: WorkflowView, nowMs: number): readonly string[] {
  const { run, stages } = view;
  return [
    `run of ${run.agent_id}, ${age(run.created_at, nowMs)} old: ${printable(run.prompt)}`,
    taskLine(view),
    '',
    stagesTable(stages, planIn(view)?.stages ?? []),
    '',
    ...stateLines(run),
  ];
}

/** `workflow show`: shows the stages of a run as they are now. */
export async function show(invocation: Invocation): Promise<number> {
  const [id = ''] = invocation.names;
  const view = await withApi(invocation, (api) => readWorkflow(api, id));
  const value = { ...view, output_json: outputOf(view) };
  printed(invocation, value, () => workflowLines(view, invocation.nowMs));
  return 0;
}
