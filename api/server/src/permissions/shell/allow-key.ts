import { REACH_HOST } from '@hamlet/contract';
import type { ShellReading } from '@hamlet/shell';
import { z } from 'zod';
import { readArguments } from '../call-arguments.ts';
import { redactSecrets } from '../redact-secrets.ts';
import { netKeyOf } from './net-key.ts';
import { commandOf, hasCommand } from './judge-hands-call.ts';
import type { ReadCommand } from './read-command.ts';
import { keyOfScript } from './script-of-call.ts';

const KEY_MAX_CHARS = 300;

/**
 * `none`: no rule can cover the call. A null key covers all calls of a tool; a shell command always has its own key.
 */
type AllowKey = { readonly kind: 'none' } | { readonly kind: 'key'; readonly key: string | null };

export async function allowKeyOf(
  { tool, arguments: text }: { readonly tool: string; readonly arguments: string },
  readCommand: ReadCommand,
): Promise<AllowKey> {
  const value = readArguments(text)?.value;
  if (tool === 'run_script') {
    const key = keyOfScript(value);
    return key === null ? { kind: 'none' } : { kind: 'key', key };
  }
  if (tool === REACH_HOST) return keyOfHost(value);
  if (!hasCommand(tool)) return netKeyOf(tool, value) ?? { kind: 'key', key: null };
  const command = commandOf({ tool, value });
  const key = command === null ? null : keyOfCommand(command, await readCommand(command));
  return key === null ? { kind: 'none' } : { kind: 'key', key };
}

const HostArguments = z.object({ host: z.string(), ports: z.array(z.int()) });

/** A rule for a host covers exactly its name and the ports that the request names. */
function keyOfHost(value: unknown): AllowKey {
  const { data } = HostArguments.safeParse(value);
  return data === undefined ? { kind: 'none' } : { kind: 'key', key: `${data.host}:${data.ports.join(',')}` };
}

/** Classes of commands that a rule allows only word by word, because their effect depends on more than program and class. */
const WORD_BY_WORD: ReadonlySet<string> = new Set(['exec', 'publish', 'spend', 'speak', 'delegate']);

/**
 * The programs and classes of a command, for example `curl: network`. A command that sends data or runs unread code
 * uses its own text as key, so that a rule for one script or push covers no other. Null if the command is unclear, too
 * long, or has a secret. Pure.
 */
export function keyOfCommand(command: string, { classes, commands, unclear }: ShellReading): string | null {
  if (unclear.length > 0 || commands.length === 0) return null;
  const programs = [...new Set(commands.map((words) => words.split(' ', 1)[0] ?? ''))].toSorted();
  const isOneCommand = classes.some((each) => WORD_BY_WORD.has(each));
  const key = isOneCommand ? `= ${command}` : `${programs.join(' ')}: ${classes.join(' ')}`;
  return key.length > KEY_MAX_CHARS || redactSecrets(key) !== key ? null : key;
}
