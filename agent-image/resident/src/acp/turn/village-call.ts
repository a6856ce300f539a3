import { posix } from 'node:path';
import { COMMAND_MAX_CHARS, type HandsToolName, storableText } from '@hamlet/contract/resident';
import { withoutMiddle } from '@hamlet/engine';
import type { ProgramCall } from './claim.ts';
import type { PermissionRequest } from './updates.ts';

/** A call of the village's own tools that stands for what a program asks to do, so that the village's rules decide about it. */
export interface VillageCall {
  readonly tool: HandsToolName;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Maximum characters of one text of a call that people read; the API takes 65,536 of all arguments. */
const TEXT_MAX_CHARS = 12_000;
const TITLE_MAX_CHARS = 500;
const PATHS_MAX = 20;
const PATH_MAX_CHARS = 1_000;

export interface AskedOf {
  readonly call: ProgramCall;
  /** The folder of the agent's work. */
  readonly workspace: string;
  /** The folder of the session, where relative paths begin. */
  readonly cwd: string;
}

/**
 * The village's call for a program's request: a command is `shell`, a change inside the workspace `edit_file`, a read
 * of it `read_file`, an address `web_fetch`. Everything else, and what is not clear, is `program_act`, about which a
 * person decides each time. Pure.
 */
export const villageCallOf = (asked: AskedOf): VillageCall => knownCallOf(asked) ?? unknownCallOf(asked);

function knownCallOf({ call, ...place }: AskedOf): VillageCall | null {
  switch (call.kind) {
    case 'execute': {
      const command = commandIn(call.raw);
      return command === null ? null : { tool: 'shell', input: { command } };
    }
    case 'edit': {
      const paths = pathsOf(call);
      return areInside(place, paths) ? { tool: 'edit_file', input: editOf(call, paths) } : null;
    }
    case 'read':
    case 'search': {
      const paths = pathsOf(call);
      return areInside(place, paths) ? { tool: 'read_file', input: { path: paths.join(', ') } } : null;
    }
    case 'fetch': {
      const url = addressIn(call.raw);
      return url === null ? null : { tool: 'web_fetch', input: { url } };
    }
    default:
      return null;
  }
}

const unknownCallOf = ({ call: { kind, title, input, diffs, locations } }: AskedOf): VillageCall => ({
  tool: 'program_act',
  input: {
    kind,
    title: cut(title || 'Something that it does not name', TITLE_MAX_CHARS),
    input: cut(input, TEXT_MAX_CHARS),
    paths: [...new Set([...diffs, ...locations].map(({ path }) => cut(path, PATH_MAX_CHARS)))].slice(0, PATHS_MAX),
  },
});

const cut = (text: string, limit: number): string => storableText(withoutMiddle(text, limit));

const SHELL = /^(?:\/(?:usr\/)?bin\/)?(?:bash|sh|zsh)$/;
/** A word that every shell reads as it is written. */
const PLAIN = /^[\w@%+=:,./-]+$/;

/** The command of a request in the forms that programs use: text, or words that may begin with a shell; null if there is none. */
function commandIn(rawInput: unknown): string | null {
  const value = fieldOf(rawInput, ['command', 'cmd']);
  const command = Array.isArray(value) ? lineOf(value) : value;
  if (typeof command !== 'string' || command.trim() === '' || command.includes('\0')) return null;
  return command.length > COMMAND_MAX_CHARS ? null : command.toWellFormed();
}

function lineOf(words: readonly unknown[]): string | null {
  if (!words.every((word) => typeof word === 'string')) return null;
  const [shell = '', option = '', text = '', ...more] = words;
  if (SHELL.test(shell) && /^-l?c$/.test(option) && more.length === 0) return text;
  return words.map((word) => (PLAIN.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ');
}

function fieldOf(value: unknown, names: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  const name = names.find((each) => Object.hasOwn(value, each));
  return name === undefined ? undefined : (value as Readonly<Record<string, unknown>>)[name];
}

function addressIn(rawInput: unknown): string | null {
  const value = fieldOf(rawInput, ['url', 'uri']);
  return typeof value === 'string' && /^https?:\/\//.test(value) && value.length <= 4_096 && URL.canParse(value)
    ? value
    : null;
}

/** All paths that the request names. Some programs name them in their own arguments alone. */
function pathsOf({ diffs, locations, raw }: ProgramCall): readonly string[] {
  const named = fieldOf(raw, ['file_path', 'filePath', 'path', 'abs_path']);
  const own = typeof named === 'string' ? [named] : [];
  return [...new Set([...diffs.map(({ path }) => path), ...locations.map(({ path }) => path), ...own])];
}

/** True if there are paths, and all of them lie inside: a change of git's own files could run programs. */
function areInside(place: Omit<AskedOf, 'call'>, paths: readonly string[]): boolean {
  return paths.length > 0 && paths.length <= PATHS_MAX && paths.every((path) => isInside(place, path));
}

function isInside({ workspace, cwd }: Omit<AskedOf, 'call'>, path: string): boolean {
  if (path.length > PATH_MAX_CHARS || path.includes('\0')) return false;
  const inside = posix.relative(workspace, posix.resolve(cwd, path));
  return !inside.startsWith('..') && !inside.split('/').includes('.git');
}

function editOf({ diffs, input }: ProgramCall, paths: readonly string[]): VillageCall['input'] {
  const path = paths.join(', ');
  const [only] = diffs;
  if (diffs.length !== 1 || only === undefined) return { path, new_text: cut(input, TEXT_MAX_CHARS) };
  const text = cut(only.after, TEXT_MAX_CHARS);
  return { path, ...(only.before === null ? {} : { old_text: cut(only.before, TEXT_MAX_CHARS) }), new_text: text };
}

/** The program's option for a decision: once, never always. Null if it offers none of that kind. Pure. */
export function optionFor(isAllowed: boolean, options: PermissionRequest['options']): string | null {
  const option = (kind: string): string | undefined => options.find((each) => each.kind === kind)?.optionId;
  return (isAllowed ? option('allow_once') : undefined) ?? option('reject_once') ?? null;
}
