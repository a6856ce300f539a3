/** Programs that run a text as commands. The list knows them by name: a copy under another name is not among them. */
const SHELLS: ReadonlySet<string> = new Set([
  'sh',
  'ash',
  'bash',
  'busybox',
  'cmd',
  'csh',
  'dash',
  'fish',
  'ksh',
  'mksh',
  'powershell',
  'pwsh',
  'rbash',
  'tcsh',
  'zsh',
]);

const baseOf = (program: string): string => (program.split('/').at(-1) ?? program).toLowerCase();
const wordsOf = (entry: string): readonly string[] => entry.trim().split(/\s+/);

const beginsWith = (args: readonly string[], words: readonly string[]): boolean =>
  words.every((word, at) => args[at] === word);

/** True if the command starts a shell. Pure. */
export const isShell = ([program = '']: readonly string[]): boolean => SHELLS.has(baseOf(program));

/**
 * True if an entry of an allow list fits a command: `*` fits every one, `git` the program, `git status` the program with these first
 * arguments. A program must be written as the entry names it, because `./git` is another file than `git`. Pure.
 */
export function allowsProgram(entry: string, [program = '', ...args]: readonly string[]): boolean {
  const [name = '', ...words] = wordsOf(entry);
  return (name === '*' && words.length === 0) || (name === program && beginsWith(args, words));
}

/** The same for an entry of a deny list, which fits the program in every folder, in upper and lower case. Pure. */
export function deniesProgram(entry: string, [program = '', ...args]: readonly string[]): boolean {
  const [name = '', ...words] = wordsOf(entry);
  return (name === '*' && words.length === 0) || (baseOf(name) === baseOf(program) && beginsWith(args, words));
}
