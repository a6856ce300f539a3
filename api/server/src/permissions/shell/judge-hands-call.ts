import { VILLAGE_TOOLS, type Policy } from '@hamlet/contract';
import { asksAboutWrites } from '@hamlet/core/egress';
import { gitCommand, refuseGit } from '@hamlet/core/git';
import { installCommand } from '@hamlet/core/install';
import { bringingOf, judge, type Bringing, type Judged, type ShellNeeds } from '@hamlet/core';
import type { Db, RunRow, ScriptText, Tx } from '@hamlet/store';
import { taintOf } from '../view/taint-view.ts';
import type { ReadCommand } from './read-command.ts';
import { needsOfScript, scriptOfCall } from './script-of-call.ts';
import type { Village } from '../../village.ts';

export interface AskedCall {
  readonly tool: string;
  readonly value: unknown;
}

const COMMAND_OF: Readonly<Record<string, (value: unknown) => string | null>> = {
  shell: (value) => VILLAGE_TOOLS.shell.input.safeParse(value).data?.command ?? null,
  git: (value) => {
    const { data } = VILLAGE_TOOLS.git.input.safeParse(value);
    return data === undefined ? null : gitCommand(data);
  },
  install_package: (value) => {
    const { data } = VILLAGE_TOOLS.install_package.input.safeParse(value);
    return data === undefined ? null : installCommand(data);
  },
};

export const hasCommand = (tool: string): boolean => Object.hasOwn(COMMAND_OF, tool);

export function commandOf({ tool, value }: AskedCall): string | null {
  return hasCommand(tool) ? (COMMAND_OF[tool]?.(value) ?? null) : null;
}

function isRefused({ tool, value }: AskedCall, agentId: string): boolean {
  const git = tool === 'git' ? VILLAGE_TOOLS.git.input.safeParse(value).data : undefined;
  return git !== undefined && refuseGit(git, agentId) !== null;
}

export async function needsOf({ tool, value }: AskedCall, readCommand: ReadCommand): Promise<ShellNeeds | null> {
  if (!hasCommand(tool)) return null;
  const command = commandOf({ tool, value });
  return command === null
    ? { classes: ['exec'], unclear: [`the arguments do not match the schema of ${tool}`] }
    : readCommand(command);
}

export interface JudgedRunCall {
  readonly policy: Policy;
  readonly judged: Judged;
  readonly brings: Bringing | null;
  readonly needs: ShellNeeds | null;
  /** True if people are asked when the call's request leaves the pod, and not before the call. */
  readonly waitsAtBroker: boolean;
}

/** A script may contain outside text if a tainted run saved it or another agent wrote it. */
const bringingOfScript = (script: ScriptText | null): Bringing | null =>
  script?.tainted === true ? { source: 'script', detail: script.name } : null;

interface JudgingPorts extends Pick<Village, 'policyOfRun' | 'egressOf' | 'readCommand'> {
  readonly db: Db | Tx;
}

export async function judgeRunCall(
  { policyOfRun, egressOf, readCommand, db }: JudgingPorts,
  run: RunRow,
  call: AskedCall,
): Promise<JudgedRunCall> {
  const policy = policyOfRun(run);
  const script = await scriptOfCall(db, run, call);
  const read = call.tool === 'run_script' ? needsOfScript(script, readCommand) : needsOf(call, readCommand);
  const needs = isRefused(call, run.agentId) ? null : await read;
  const brokerAsks = asksAboutWrites(egressOf(run.agentId));
  const of = { tool: call.tool, when: 'run', input: call.value, taint: taintOf(run), needs, brokerAsks } as const;
  return {
    policy,
    judged: judge(policy, of),
    brings: bringingOfScript(script) ?? bringingOf(call.tool),
    needs,
    waitsAtBroker: brokerAsks && needs?.classes.includes('publish') === true,
  };
}
