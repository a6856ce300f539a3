import { CAPABILITY_CLASSES, type CapabilityClass } from './classes.ts';
import type { ParseShell } from './open-shell.ts';
import { EXECUTING } from './executing.ts';
import { GIT_FOLDER, OWN_VARIABLE, PROGRAMS } from './programs.ts';
import type { SimpleCommand } from './syntax.ts';
import type { Use } from './use.ts';
import { isLiteral, type Word } from './words.ts';
import { unwrap } from './wrappers.ts';

/** Maximum depth of shells within shells. */
const MAX_DEPTH = 5;
const MAX_COMMANDS = 500;
/** Variables that make a program start or find another program. */
const POWERFUL =
  /^(PATH|IFS|ENV|BASH_ENV|BASH_FUNC.*|PROMPT_COMMAND|PS4|SHELLOPTS|BASHOPTS|LD_.*|DYLD_.*|GIT_.*|PAGER|MANPAGER|EDITOR|VISUAL|BROWSER|NODE_OPTIONS|PYTHON.*|PERL5?.*|RUBY.*|JAVA_TOOL_OPTIONS|LESSOPEN|LESSCLOSE|RSYNC_RSH|TAR_OPTIONS|http_proxy|https_proxy|HTTPS?_PROXY|ALL_PROXY|HOME|npm_config_.*|PIP_.*)$/i;
/** Variables that cannot make a program start another or find its settings. Any other variable of a command is `exec`. */
const HARMLESS = /^(LANG|LC_[A-Z]+|TZ|COLUMNS|NO_COLOR)$/;

/** Reserved words: if the parser reports one as a program, it has misread the text. */
const RESERVED = new Set(
  '! { } [[ ]] if then else elif fi do done case esac while until for in function select coproc'.split(' '),
);

/** `test -v 'a[$(id)]'` runs id, even in single quotes. */
const INDEXED = /\[[^\]]*(\$\(|`)/;

/** The folders of a command: all absolute, without `..`. */
export interface ShellPlace {
  readonly cwd: string;
  /** Folders in which a write is `write_inside`. */
  readonly inside: readonly string[];
}

export interface ShellReading {
  readonly classes: readonly CapabilityClass[];
  /** Every program with its words, without wrappers, as rules match it: `git push origin main`. */
  readonly commands: readonly string[];
  /** Reasons why the effect of the text is unknown; empty if it is known. */
  readonly unclear: readonly string[];
}

interface Found {
  readonly classes: Set<CapabilityClass>;
  readonly commands: string[];
  readonly unclear: Set<string>;
}

/** The absolute path, with its dots resolved. */
function absolute(path: string, cwd: string): string {
  const parts: string[] = [];
  for (const part of (path.startsWith('/') ? path : `${cwd}/${path}`).split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

/** Files to which a write has no effect. */
const NO_PLACE = new Set(['/dev/null', '/dev/stdout', '/dev/stderr', '/dev/tty']);

function placeOf(text: string, { cwd, inside }: ShellPlace): CapabilityClass | null {
  const path = absolute(text, cwd);
  if (NO_PLACE.has(path)) return null;
  const isInside = inside.some((folder) => path === folder || path.startsWith(`${folder}/`));
  return isInside ? 'write_inside' : 'write_outside';
}

/** Files to which a redirection of bash opens a connection. */
const CONNECTIONS = ['/dev/tcp/', '/dev/udp/'];

/** A file that only a variable names counts as a file: scripts often name one so, and the class `network` taints their run. */
function mayConnect(target: Word): boolean {
  if (isLiteral(target)) return CONNECTIONS.some((each) => target.text.startsWith(each));
  if (target.text.startsWith("$'")) return true;
  const [start = ''] = target.text.split(/[$`*?[{]/, 1);
  return start !== '' && CONNECTIONS.some((each) => start.startsWith(each) || each.startsWith(start));
}

const find = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

function useOf({ name, words }: SimpleCommand): Use {
  const program = name.text.split('/').at(-1) ?? '';
  // A path may lead to any program, even one that has the name of a known program.
  const isPlain = isLiteral(name) && program === name.text;
  const known = isPlain ? find(PROGRAMS, program)?.(words) : undefined;
  if (known !== undefined && known !== null) return known;
  const use = find(EXECUTING, program)?.(words) ?? { classes: known === null ? ['read'] : [] };
  return { ...use, classes: [...use.classes, 'exec'] };
}

class Reader {
  readonly found: Found = { classes: new Set(), commands: [], unclear: new Set() };
  readonly #parse: ParseShell;
  readonly #place: ShellPlace;
  #moved = false;
  /** True after a `cd` to a folder that the text does not name: it may be `.git`. */
  #lost = false;

  constructor(parse: ParseShell, place: ShellPlace) {
    this.#parse = parse;
    this.#place = place;
  }

  script(text: string, depth: number): void {
    if (depth > MAX_DEPTH) return void this.found.unclear.add('it has too many nested shells');
    const { commands, redirects, variables, computes, unclear } = this.#parse(text);
    if (computes) this.found.classes.add('exec');
    for (const why of unclear) this.found.unclear.add(why);
    const moves = commands.filter(({ name }) => ['cd', 'pushd', 'popd'].includes(name.text));
    this.#moved ||= moves.length > 0;
    this.#lost ||= moves.some(({ words }) => !words.every(isLiteral));
    for (const { target, writes } of redirects) this.#redirect(target, writes);
    this.#set(variables, OWN_VARIABLE);
    for (const command of commands) this.#command(command, depth);
  }

  #redirect(target: Word, writes: boolean): void {
    if (mayConnect(target)) this.found.classes.add('network');
    if (writes) this.#write(target);
    else this.found.classes.add('read');
  }

  #set(variables: readonly string[], harmless = HARMLESS): void {
    for (const name of variables) {
      if (POWERFUL.test(name)) this.found.unclear.add(`it sets ${name}, which makes programs start others`);
      if (!harmless.test(name)) this.found.classes.add('exec');
    }
  }

  /**
   * After a `cd` the location of a relative path is unknown. Content below `.git` is exec: a later git may start it. So is a
   * folder outside: it may hold the settings of any program, for example `~/.config/git`.
   */
  #write(target: Word, content?: Use['writes']): void {
    const isKnown = isLiteral(target) && (!this.#moved || target.text.startsWith('/'));
    const place = isKnown ? placeOf(target.text, this.#place) : 'write_outside';
    if (place !== null) this.found.classes.add(place);
    const isPlanted = content === 'folder' && place !== 'write_inside';
    if (isPlanted || GIT_FOLDER.test(target.text) || (content !== 'nothing' && this.#mayBeGit(target)))
      this.found.classes.add('exec');
  }

  #mayBeGit(target: Word): boolean {
    return !isLiteral(target) || (this.#lost && !target.text.startsWith('/'));
  }

  #command(command: SimpleCommand, depth: number): void {
    this.#set(command.variables);
    const inner = unwrap(command);
    if (inner !== null && inner.kind !== 'unclear' && !inner.isPlain) this.found.classes.add('exec');
    if (inner?.kind === 'command') return this.#command(inner.command, depth);
    this.#note(command);
    if (inner?.kind === 'script') return this.script(inner.text, depth + 1);
    if (inner?.kind === 'unclear') this.found.unclear.add(inner.why);
    this.#use(useOf(command));
  }

  #use({ classes, paths = [], writes }: Use): void {
    for (const each of classes) this.found.classes.add(each);
    for (const path of paths) this.#write(path, writes);
  }

  #note({ name, words }: SimpleCommand): void {
    if (name.text === 'read') this.#set(words.map(({ text }) => text).filter((text) => POWERFUL.test(text)));
    if (!isLiteral(name)) this.found.unclear.add('the name of the program is computed at run time');
    if (words.some(({ text }) => INDEXED.test(text)))
      this.found.unclear.add('it has a command in an array index, which some programs run');
    if (RESERVED.has(name.text)) this.found.unclear.add(`it has ${name.text} in place of a program`);
    if (this.found.commands.length >= MAX_COMMANDS) this.found.unclear.add('it has too many commands');
    else this.found.commands.push([name, ...words].map(({ text }) => text).join(' '));
  }
}

/**
 * Reads a shell command: the programs that it may start, in every branch, substitution, wrapper and inner shell, and
 * the capabilities that they need. In doubt it reports more classes, and the reasons why the effect is unclear.
 */
export function readShell(parse: ParseShell, text: string, place: ShellPlace): ShellReading {
  const reader = new Reader(parse, place);
  reader.script(text, 0);
  const { classes, commands, unclear } = reader.found;
  return {
    classes: CAPABILITY_CLASSES.filter((each) => classes.has(each)),
    commands,
    unclear: [...unclear],
  };
}
