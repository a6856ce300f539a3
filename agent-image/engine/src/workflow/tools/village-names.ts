import type { BuiltInName } from './built-ins/built-in.ts';

/**
 * How an argument of a built-in tool becomes one of a tool of the hands. `same`: as it is. `words`: program and arguments as a line of
 * the shell, in which each word is quoted. `seconds`: rounded up to whole ones. `folder`: the line runs there, in a subshell.
 */
type ArgumentForm = 'same' | 'words' | 'seconds' | 'folder';

type VillageName = Readonly<{
  tool: string;
  /** By the argument of the built-in tool. */
  arguments: Readonly<Record<string, Readonly<{ name: string; form: ArgumentForm }>>>;
}>;

const path = { name: 'path', form: 'same' } as const;

/** The tools of the hands that stand for the built-in tools in the village. The hands hold paths within their workspace. */
export const VILLAGE_NAMES: Readonly<Record<BuiltInName, VillageName>> = {
  'filesystem.read_file': { tool: 'read_file', arguments: { path } },
  'filesystem.write_file': { tool: 'write_file', arguments: { path, content: { name: 'content', form: 'same' } } },
  'filesystem.list': { tool: 'list_files', arguments: { path } },
  'command.run': {
    tool: 'shell',
    arguments: {
      argv: { name: 'command', form: 'words' },
      command: { name: 'command', form: 'same' },
      folder: { name: 'command', form: 'folder' },
      timeout_s: { name: 'timeout_s', form: 'seconds' },
    },
  },
};

type VillageCall = Readonly<{ tool: string; arguments: Readonly<Record<string, unknown>> }>;
type Input = Readonly<Record<string, unknown>>;

/**
 * A call of a built-in tool as a call of the hands. `input`: arguments that fit the built-in tool. `workspace`: the absolute path of the
 * hands' workspace, because their shell keeps its folder from command to command. Pure.
 */
export function villageCall(name: BuiltInName, input: Input, workspace: string): VillageCall {
  const { tool, arguments: rules } = VILLAGE_NAMES[name];
  const given: Record<string, unknown> = {};
  const entries = Object.entries(rules).filter(([from]) => input[from] !== undefined);
  // The folder is put around the line, which must be there before.
  for (const [from, { name: to, form }] of entries.toSorted(([, a], [, b]) => rankOf(a.form) - rankOf(b.form)))
    given[to] =
      form === 'folder' ? inFolder(`${workspace}/${input[from]}`, String(given[to])) : FORMS[form](input[from]);
  return { tool, arguments: given };
}

const rankOf = (form: ArgumentForm): number => Number(form === 'folder');

const FORMS: Readonly<Record<Exclude<ArgumentForm, 'folder'>, (value: unknown) => unknown>> = {
  same: (value) => value,
  words: (value) => (Array.isArray(value) ? value.map((word) => quoted(String(word))).join(' ') : value),
  seconds: (value) => Math.max(1, Math.ceil(Number(value))),
};

const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;

/** The line is on lines of its own, so that a comment at its end hides no bracket. */
const inFolder = (folder: string, line: string): string => `(cd -- ${quoted(folder)} || exit\n${line}\n)`;
