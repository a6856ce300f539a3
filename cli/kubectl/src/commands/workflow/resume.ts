import { dataOf, rerunRun, type CallInput } from '@hamlet/contract';
import type { Invocation } from '../../command.ts';
import { withApi } from '../../village-api.ts';
import { followWorkflow, printEnd } from './follow-workflow.ts';
import { inputOf } from './stage-input.ts';

type Body = NonNullable<CallInput<typeof rerunRun>['body']>;

export function repeatOf({ flags: { from, input, current } }: Pick<Invocation, 'flags'>): Body {
  const given = inputOf(input);
  return {
    ...(typeof from === 'string' ? { stage: from } : {}),
    ...(given === undefined ? {} : { input_json: given }),
    manifests: current === true ? 'current' : 'same',
  };
}

/** `workflow resume`: repeats an ended run from a stage on, and reports the new run to its end. */
export async function resume(invocation: Invocation): Promise<number> {
  const [id = ''] = invocation.names;
  const body = repeatOf(invocation);
  return withApi(invocation, async (api) => {
    const { run } = await dataOf(api.call(rerunRun, { params: { run_id: id }, body }));
    const stage = run.workflow?.rerun?.stage;
    invocation.note(`run ${run.run_id} repeats ${id}${stage === undefined ? '' : ` from ${stage} on`}`);
    return printEnd(invocation, await followWorkflow(api, run.run_id, invocation));
  });
}
