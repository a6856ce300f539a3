import { VILLAGE_TOOLS, type Policy } from '@hamlet/contract';
import { judgeCall, judgeShellCall, type Judged } from '@hamlet/core';
import type { ReadCommand } from './read-command.ts';

interface AskedCall {
  readonly tool: string;
  /** Arguments as the model wrote them. */
  readonly value: unknown;
}

/** The command of a call of `shell`; null if its arguments have none. Pure. */
export function commandOf(value: unknown): string | null {
  return VILLAGE_TOOLS.shell.input.safeParse(value).data?.command ?? null;
}

/** Judges a call of a run: a shell command by the classes that a parser finds in it, another call by its tool and arguments. */
export async function judgeHandsCall(
  policy: Policy,
  { tool, value }: AskedCall,
  readCommand: ReadCommand,
): Promise<Judged> {
  if (tool !== 'shell') return judgeCall(policy, { tool, when: 'run', input: value });
  const command = commandOf(value);
  const needs =
    command === null
      ? { classes: ['exec'], unclear: ['its arguments are not those of a shell command'] }
      : await readCommand(command);
  return judgeShellCall(policy, 'run', needs);
}
