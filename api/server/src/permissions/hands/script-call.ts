import { RUN_SCRIPT_TOOL, type CallOutcome } from '@hamlet/contract';
import { issuesOfArguments } from '@hamlet/core/script';
import { noteScriptRun, type RunRow, type Tx } from '@hamlet/store';
import { deniedOutcome } from '../call-outcomes.ts';
import type { AskedCall } from '../shell/judge-hands-call.ts';
import { scriptOfCall } from '../shell/script-of-call.ts';

const { input } = RUN_SCRIPT_TOOL.run_script;

export async function deniedByScript(tx: Tx, run: RunRow, call: AskedCall): Promise<CallOutcome | null> {
  if (call.tool !== 'run_script') return null;
  const given = input.safeParse(call.value).data;
  const script = await scriptOfCall(tx, run, call);
  if (given === undefined || script === null)
    return deniedOutcome('no_such_script', 'You have no script of that name and version: list_scripts shows yours.');
  const issues = issuesOfArguments(script.parameters, given.arguments);
  return issues.length === 0 ? null : deniedOutcome('invalid_arguments', `Nothing ran. ${issues.join('. ')}.`);
}

export async function noteRunOfScript(
  tx: Tx,
  { agentUid, runId }: RunRow,
  { callId, tool, value }: AskedCall & { readonly callId: string },
): Promise<void> {
  const name = tool === 'run_script' ? input.safeParse(value).data?.name : undefined;
  if (name !== undefined) await noteScriptRun(tx, { agentUid, name }, { runId, callId });
}
