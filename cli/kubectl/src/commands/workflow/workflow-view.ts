import { dataOf, getRun, getRunWorkflow, type CallData, type Client } from '@hamlet/contract';
import { readPlan, type Plan } from '@hamlet/engine/manifests';

export type WorkflowView = CallData<typeof getRunWorkflow> & Pick<CallData<typeof getRun>, 'run' | 'output_json'>;

/** The present state of a run and its workflow. */
export async function readWorkflow(api: Client, id: string): Promise<WorkflowView> {
  const params = { run_id: id };
  // Reads the run first: if it has ended, the stages read after it are final.
  const { run, output_json: output } = await dataOf(api.call(getRun, { params }));
  const workflow = await dataOf(api.call(getRunWorkflow, { params }));
  return { ...workflow, run, ...(output === undefined ? {} : { output_json: output }) };
}

/** Null before the run has begun, and for a plan that a newer engine wrote. */
export const planIn = ({ plan }: Pick<WorkflowView, 'plan'>): Plan | null => (plan === null ? null : readPlan(plan));

/**
 * The output of a workflow as JSON: that of its completed exit, or of several by their ids. Null if the reader may not read it, or if it is
 * too long for a list of stages. Pure.
 */
export function outputOf(view: Pick<WorkflowView, 'plan' | 'stages' | 'output_json'>): string | null {
  if (view.output_json !== undefined) return view.output_json;
  const plan = planIn(view);
  if (plan === null) return null;
  const leading = plan.edges.filter(({ type }) => type === 'normal' || type === 'conditional');
  const sources = new Set(leading.map(({ from }) => from));
  const done = view.stages.filter(({ stage, status }) => status === 'completed' && !sources.has(stage));
  const texts = done.flatMap(({ stage, output }) => (output === null ? [] : [[stage, output] as const]));
  const [only] = texts;
  if (only === undefined || texts.length < done.length) return null;
  return texts.length === 1 ? only[1] : `{${texts.map(([id, text]) => `${JSON.stringify(id)}:${text}`).join(',')}}`;
}
