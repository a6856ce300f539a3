import type { CapabilityClass } from './classes.ts';
import { knownGit } from './git.ts';
import { given } from './options.ts';
import type { Use } from './use.ts';
import { ANYWHERE, isLiteral, isOperand, type Word } from './words.ts';

/** Classes of a use that is known to start no program and to evaluate no arithmetic; null for any other use. */
type Known = (words: readonly Word[]) => Use | null;

const READ: Use = { classes: ['read'] };
/** Files there name programs that git starts. */
export const GIT_FOLDER = /(^|\/)\.git(\/|$)/i;

const readsWith =
  (table: string): Known =>
  (words) =>
    given(words, table) === null ? null : READ;

/** For programs that only read, with every option. */
const reads: Known = () => READ;
const operandsOf = (words: readonly Word[]): readonly Word[] => {
  const end = words.findIndex(({ text }) => text === '--');
  return words.filter((word, at) => isOperand(word) || !isLiteral(word) || (end !== -1 && at > end));
};
const writes: Known = (words) => ({ classes: [], paths: operandsOf(words) });
/** For programs that write no content, so that no later git starts it. */
const empties: Known = (words) => ({ classes: [], paths: operandsOf(words), writes: 'nothing' });

/** An option that is not in the table may name the folder that it writes to. */
const copies =
  (changes: (operands: readonly Word[]) => readonly Word[], classes: readonly CapabilityClass[]): Known =>
  (words) => {
    if (words.some(({ text }) => GIT_FOLDER.test(text))) return null;
    const found = given(words, 'aRrfinpuvdHLPT force interactive no-clobber update verbose recursive archive');
    return { classes, paths: found === null ? [ANYWHERE] : changes(found.operands) };
  };

const uniq: Known = (words) => {
  const { operands } = given(words, 'cdDiuzf:s:w: count repeated unique ignore-case skip-fields= skip-chars=') ?? {};
  const isCounted = operands?.every(({ becomes }) => becomes !== 'many') === true;
  return isCounted ? { classes: ['read'], paths: operands.slice(1, 2) } : null;
};

const UNARY = new Set('-a -b -c -d -e -f -g -h -k -L -n -p -r -s -S -u -w -x -z -G -O'.split(' '));
const BINARY = new Set('= == != < > -nt -ot -ef -eq -ne -lt -le -gt -ge'.split(' '));

function isPlainForm([first, second, third, ...more]: readonly Word[]): boolean {
  if (second === undefined) return true;
  if (third === undefined) return first !== undefined && UNARY.has(first.text);
  return more.length === 0 && isLiteral(second) && BINARY.has(second.text);
}

/** True if `test` evaluates none of these words as arithmetic or as the name of a variable. */
export function isPlainTest(words: readonly Word[]): boolean {
  const all = words.at(-1)?.text === ']' ? words.slice(0, -1) : words;
  const isNegated = all[0]?.text === '!' && all.length > 1;
  return all.every(({ becomes }) => becomes !== 'many') && isPlainForm(isNegated ? all.slice(1) : all);
}

/** Text and conversions that only print. `%n` sets a variable, also with flags, a width or a length: `%5ln`. */
const PRINTS = /^(?!-)([^%]|%%|%[-+ #0]*([1-9]\d*|\*)?(\.(\d+|\*)?)?([hjlLtz]*[sbqcdiouxXeEfFgGaA]|\([^()]*\)T))*$/;

/** `printf -v` sets a variable. */
const printf: Known = ([format]) =>
  format !== undefined && isLiteral(format) && PRINTS.test(format.text) ? READ : null;

/** `sed -n 10,20p FILE` prints; every other script may write files and start programs. */
const sed: Known = ([option, script, ...files]) =>
  option?.text === '-n' &&
  script !== undefined &&
  isLiteral(script) &&
  /^[0-9]+(,([0-9]+|\$))?p$/.test(script.text) &&
  files.every(isOperand)
    ? READ
    : null;

const FIND =
  /^-(H|L|P|name|iname|path|ipath|type|maxdepth|mindepth|size|empty|newer|mtime|mmin|not|o|a|or|and|prune|print|print0)$/;
const find: Known = (words) =>
  words.every((word) => isOperand(word) || FIND.test(word.text) || (isLiteral(word) && /^-\d+$/.test(word.text)))
    ? READ
    : null;

const SAVES = new Set(['-o', '-D', '-c', '--output']);
const curl: Known = (words) => {
  const table =
    'sSfLIkvgN46#o:D:c:H:A:m:b:u:r: silent show-error fail location head compressed header= max-time= retry= output=';
  const { operands, values } = given(words, table) ?? {};
  if (operands?.every(isLiteral) !== true || values === undefined) return null;
  if (words.some(({ text }) => /^-[a-zA-Z#46]*[oDc].|^--output=/.test(text))) return null;
  // `#1` in a name stands for a part of the address.
  const saved = values.filter(({ option }) => SAVES.has(option.startsWith('--') ? option : `-${option.at(-1) ?? ''}`));
  return {
    classes: ['network'],
    paths: saved.map(({ value }) => (value.text.includes('#') ? ANYWHERE : value)),
  };
};

/** Names of variables that only the command's own shell uses. Those of `__hamlet` belong to the script that runs the command. */
export const OWN_VARIABLE = /^(?!__hamlet)[a-z_][a-z0-9_]*$/;

const readsLine: Known = (words) =>
  words.every((word) => isLiteral(word) && (word.text === '-r' || OWN_VARIABLE.test(word.text))) ? READ : null;
const wordsLike =
  (form: RegExp): Known =>
  (words) =>
    words.every((word) => isLiteral(word) && form.test(word.text)) ? READ : null;

/** One value for each name of a list. */
export const each = <T>(names: string, value: T): Readonly<Record<string, T>> =>
  Object.fromEntries(names.split(' ').map((name) => [name, value]));

/** Programs by name. A use is `exec` unless its function knows that it starts no hidden program. */
export const PROGRAMS: Readonly<Record<string, Known>> = {
  ...each(
    'ls cat head tail wc grep cut tr echo pwd true false : type basename dirname realpath readlink stat du df comm cmp nl od seq sleep date id whoami uname nproc jq md5sum sha256sum',
    reads,
  ),
  ...each('mkdir rmdir rm touch', empties),
  tee: writes,
  cd: (words) => (words.some(({ text }) => GIT_FOLDER.test(text)) ? null : READ),
  cp: copies((operands) => operands.slice(-1), ['read']),
  mv: copies((operands) => operands, []),
  sort: readsWith('bdfgiMhnRrVcCmsuzk:t: reverse unique numeric-sort version-sort ignore-case key= field-separator='),
  diff: readsWith('urNqabBwEitdpU:C:x: brief unified recursive color ignore-all-space'),
  rg: readsWith(
    'nilcwvFosSuUNHhxPapA:B:C:g:t:T:m:e:f: files hidden no-ignore ignore-case line-number files-with-matches count fixed-strings glob= type= max-count= context= json no-heading',
  ),
  uniq,
  find,
  sed,
  curl,
  git: knownGit,
  printf,
  ...each('test [', (words) => (isPlainTest(words) ? READ : null)),
  read: readsLine,
  set: wordsLike(/^(-[eu]*o?|pipefail)$/),
  ...each('exit return break continue shift wait', wordsLike(/^[0-9]*$/)),
  command: ([option]) => (option?.text === '-v' ? READ : null),
};
