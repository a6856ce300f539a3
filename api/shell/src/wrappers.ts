import type { SimpleCommand, Word } from './syntax.ts';

/** The command that a wrapper starts, the text that it passes to a shell, or neither. */
export type Unwrapped =
  | { readonly kind: 'command'; readonly command: SimpleCommand }
  | { readonly kind: 'script'; readonly text: string }
  | { readonly kind: 'unclear'; readonly why: string }
  | null;

/** Options of a wrapper whose value is the next word. */
const WRAPPERS: Readonly<Record<string, readonly string[]>> = {
  command: [],
  builtin: [],
  exec: ['-a'],
  nohup: [],
  setsid: [],
  time: [],
  nice: ['-n'],
  ionice: ['-c', '-n'],
  chrt: ['-T', '-P', '-D'],
  stdbuf: ['-i', '-o', '-e'],
  timeout: ['-s', '-k'],
  sudo: ['-u', '-g', '-C', '-h', '-p', '-U', '-r', '-t'],
  doas: ['-u', '-C'],
  env: ['-u', '-C', '-S'],
  xargs: ['-I', '-n', '-P', '-L', '-d', '-a', '-E', '-s'],
};
/** Wrappers whose first operand is not the command but a time or a priority. */
const OWN_OPERANDS: Readonly<Record<string, number>> = { timeout: 1, chrt: 1 };
const SHELLS = new Set(['bash', 'sh', 'dash', 'zsh', 'ksh', 'ash']);

function behindOptions(name: string, words: readonly Word[]): readonly Word[] {
  const valued = WRAPPERS[name] ?? [];
  let at = 0;
  for (;;) {
    const text = words[at]?.text ?? '';
    if (text === '--') return words.slice(at + 1);
    if (!text.startsWith('-')) return words.slice(at + (OWN_OPERANDS[name] ?? 0));
    at += valued.includes(text) ? 2 : 1;
  }
}

function behindEnvironment(words: readonly Word[]): {
  readonly variables: readonly string[];
  readonly words: readonly Word[];
} {
  const first = words.findIndex(({ text }) => !/^[A-Za-z_][A-Za-z0-9_]*=/.test(text));
  const at = first === -1 ? words.length : first;
  return { variables: words.slice(0, at).map(({ text }) => text.split('=', 1)[0] ?? ''), words: words.slice(at) };
}

function ofShell(command: SimpleCommand): Unwrapped {
  const { name, words, isFed } = command;
  const at = words.findIndex(({ text }) => /^-[a-z]*c[a-z]*$/.test(text));
  if (at === -1) return isFed || words.length === 0 ? { kind: 'unclear', why: `${name.text} runs its input` } : null;
  const script = words[at + 1];
  if (script?.isLiteral !== true)
    return { kind: 'unclear', why: `${name.text} -c runs a text that is computed at run time` };
  return { kind: 'script', text: script.text };
}

function ofEval({ words }: SimpleCommand): Unwrapped {
  if (!words.every(({ isLiteral }) => isLiteral))
    return { kind: 'unclear', why: 'eval runs a text that is computed at run time' };
  return { kind: 'script', text: words.map(({ text }) => text).join(' ') };
}

function ofWrapper(program: string, command: SimpleCommand): Unwrapped {
  if (program === 'env' && command.words.some(({ text }) => /^-[a-zA-Z]*S|^--split/.test(text)))
    return { kind: 'unclear', why: 'env -S splits a text into a command' };
  const { variables, words } = behindEnvironment(behindOptions(program, command.words));
  const [name = { text: 'true', isLiteral: true }, ...rest] = words;
  const added = program === 'xargs' ? [...rest, { text: '$input', isLiteral: false }] : rest;
  return {
    kind: 'command',
    command: { ...command, name, words: added, variables: [...command.variables, ...variables] },
  };
}

const READ_FILES: Readonly<Record<string, string>> = { source: 'source runs a file', '.': 'source runs a file' };

/** Removes one wrapper from a command. Null if the command has none. */
export function unwrap(command: SimpleCommand): Unwrapped {
  const program = command.name.text.split('/').at(-1) ?? '';
  if (SHELLS.has(program)) return ofShell(command);
  if (program === 'eval') return ofEval(command);
  const why = Object.hasOwn(READ_FILES, program) ? READ_FILES[program] : undefined;
  if (why !== undefined) return { kind: 'unclear', why };
  return Object.hasOwn(WRAPPERS, program) ? ofWrapper(program, command) : null;
}
