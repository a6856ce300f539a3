import { RUN_SCRIPT_TOOL } from '@hamlet/contract';
import type { ShellNeeds } from '@hamlet/core';
import { findScriptText, type Db, type RunRow, type ScriptText, type Tx } from '@hamlet/store';
import type { ReadCommand } from './read-command.ts';

const { input } = RUN_SCRIPT_TOOL.run_script;

export async function scriptOfCall(
  db: Db | Tx,
  { agentUid }: Pick<RunRow, 'agentUid'>,
  { tool, value }: { readonly tool: string; readonly value: unknown },
): Promise<ScriptText | null> {
  const given = tool === 'run_script' ? input.safeParse(value).data : undefined;
  return given === undefined ? null : findScriptText(db, { agentUid, name: given.name, version: given.version });
}

/** Parses a script to find out what it needs; only shell scripts are parsed. */
export async function needsOfScript(script: ScriptText | null, readCommand: ReadCommand): Promise<ShellNeeds> {
  if (script === null) return { classes: ['exec'], unclear: ['the agent does not have this script'] };
  return script.language === 'bash' ? readCommand(script.source) : { classes: ['exec'], unclear: [] };
}

/** The key under which a person allows later calls: one version, with any arguments. Null if the arguments name none. Pure. */
export function keyOfScript(value: unknown): string | null {
  const { data } = input.safeParse(value);
  return data === undefined ? null : `= ${data.name} ${data.version}`;
}
