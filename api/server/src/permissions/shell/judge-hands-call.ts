import { VILLAGE_TOOLS, type Policy } from '@hamlet/contract';
import { bringingOf, judge, type Bringing, type Judged, type ShellNeeds } from '@hamlet/core';
import type { RunRow } from '@hamlet/store';
import { policyOfRun, type PolicyOf } from '../agent-policy.ts';
import { taintOf } from '../view/taint-view.ts';
import type { ReadCommand } from './read-command.ts';

export interface AskedCall {
  readonly tool: string;
  /** Arguments as the model wrote them. */
  readonly value: unknown;
}

/** The command of a call of `shell`; null if its arguments have none. Pure. */
export function commandOf(value: unknown): string | null {
  return VILLAGE_TOOLS.shell.input.safeParse(value).data?.command ?? null;
}

/** The needs of a call that stands for a shell command, as a parser finds them; null for another call. */
export async function needsOf({ tool, value }: AskedCall, readCommand: ReadCommand): Promise<ShellNeeds | null> {
  if (tool !== 'shell') return null;
  const command = commandOf(value);
  return command === null
    ? { classes: ['exec'], unclear: ['its arguments are not those of a shell command'] }
    : readCommand(command);
}

/** A call of a run as the API judges it, and the mark that it brings to its run when it begins. */
export interface JudgedRunCall {
  readonly policy: Policy;
  readonly judged: Judged;
  readonly brings: Bringing | null;
}

/** Judges a call of a run with the policy and the taint of that run: the same for parent, worker and resumed run. */
export async function judgeRunCall(
  { policyOf, readCommand }: { readonly policyOf: PolicyOf; readonly readCommand: ReadCommand },
  run: RunRow,
  call: AskedCall,
): Promise<JudgedRunCall> {
  const policy = policyOfRun(policyOf, run);
  const needs = await needsOf(call, readCommand);
  const judged = judge(policy, { tool: call.tool, when: 'run', input: call.value, taint: taintOf(run), needs });
  return { policy, judged, brings: bringingOf(call.tool, needs?.classes ?? null) };
}
