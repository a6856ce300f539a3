import type { SimpleCommand } from './syntax.ts';
import { isLiteral, type Word } from './words.ts';

/**
 * The command that a wrapper starts, the text that it passes to a shell, or neither. `isPlain`: the wrapper itself runs
 * nothing else.
 */
export type Unwrapped =
  | { readonly kind: 'command'; readonly command: SimpleCommand; readonly isPlain: boolean }
  | { readonly kind: 'script'; readonly text: string; readonly isPlain: boolean }
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
/** Options of a wrapper, before the inner command, with which it runs only that command. */
const PLAIN: Readonly<Record<string, RegExp>> = {
  command: /^$/,
  nohup: /^$/,
  time: /^$/,
  env: /^$/,
  nice: /^(-n -?\d+ )?$/,
  timeout: /^(-k [\d.]+[smh]? |-s [A-Z0-9]+ )*[\d.]+[smh]? $/,
  xargs: /^(-[0rt]+ |-[nPL] \d+ )*$/,
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

function ofShell(command: SimpleCommand): Unwrapped {
  const { name, words, isFed } = command;
  const at = words.findIndex(({ text }) => /^-[a-z]*c[a-z]*$/.test(text));
  if (at === -1) return isFed || words.length === 0 ? { kind: 'unclear', why: `${name.text} runs its input` } : null;
  const script = words[at + 1];
  if (script === undefined || !isLiteral(script))
    return { kind: 'unclear', why: `${name.text} -c runs a text that is computed at run time` };
  // Other shells read some quotes differently, and other options run files.
  return { kind: 'script', text: script.text, isPlain: name.text === 'bash' && words[0]?.text === '-c' };
}

function ofEval({ words }: SimpleCommand): Unwrapped {
  if (!words.every(isLiteral)) return { kind: 'unclear', why: 'eval runs a text that is computed at run time' };
  return { kind: 'script', text: words.map(({ text }) => text).join(' '), isPlain: true };
}

function ofWrapper(program: string, command: SimpleCommand): Unwrapped {
  if (program === 'env' && command.words.some(({ text }) => /^-[a-zA-Z]*S|^--split/.test(text)))
    return { kind: 'unclear', why: 'env -S splits a text into a command' };
  const behind = behindOptions(program, command.words);
  const first = behind.findIndex(({ text }) => !/^[A-Za-z_][A-Za-z0-9_]*=/.test(text));
  const words = behind.slice(first === -1 ? behind.length : first);
  const set = behind.slice(0, behind.length - words.length).map(({ text }) => text.split('=', 1)[0] ?? '');
  const own = command.words.slice(0, command.words.length - behind.length);
  const isPlain =
    own.every(isLiteral) &&
    command.name.text === program &&
    PLAIN[program]?.test(own.map(({ text }) => `${text} `).join('')) === true;
  const [name = { text: 'true', becomes: 'exact' }, ...rest] = words;
  const added: readonly Word[] = program === 'xargs' ? [...rest, { text: '$input', becomes: 'many' }] : rest;
  const variables = [...command.variables, ...set];
  return { kind: 'command', command: { ...command, name, words: added, variables }, isPlain };
}

const READ_FILES: Readonly<Record<string, string>> = { source: 'source runs a file', '.': 'source runs a file' };

/** Removes one wrapper from a command. Null if the command has none. */
export function unwrap(command: SimpleCommand): Unwrapped {
  const program = command.name.text.split('/').at(-1) ?? '';
  if (SHELLS.has(program)) return ofShell(command);
  if (program === 'eval') return ofEval(command);
  const why = Object.hasOwn(READ_FILES, program) ? READ_FILES[program] : undefined;
  if (why !== undefined) return { kind: 'unclear', why };
  const isQuestion = program === 'command' && command.words[0]?.text === '-v';
  return Object.hasOwn(WRAPPERS, program) && !isQuestion ? ofWrapper(program, command) : null;
}
