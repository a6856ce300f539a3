import type { CapabilityClass } from './classes.ts';
import { given } from './options.ts';
import type { Use } from './use.ts';
import { ANYWHERE, isLiteral, type Word } from './words.ts';

interface Verb {
  readonly classes: readonly CapabilityClass[];
  /** Options that start no program, as `given` reads them. */
  readonly options: string;
}

const [reads, changes, connects] = [['read'], ['write_inside'], ['network']] as const;
const SHOWN =
  '0123456789psn:U:M oneline stat graph all decorate format= pretty= max-count= since= until= author= grep=';
const NAMES =
  'name-only name-status no-color reverse first-parent no-merges cached staged numstat shortstat check quiet';
const verb = (classes: readonly CapabilityClass[], options: string): Verb => ({ classes, options });

const VERBS: Readonly<Record<string, Verb>> = {
  status: verb(reads, 'sbzu porcelain short branch ignored untracked-files'),
  ...Object.fromEntries(['log', 'show', 'diff'].map((name) => [name, verb(reads, `${SHOWN} ${NAMES}`)])),
  blame: verb(reads, 'wL:'),
  'ls-files': verb(reads, 'zmocds others exclude-standard'),
  'rev-parse': verb(reads, 'q short abbrev-ref verify show-toplevel is-inside-work-tree quiet'),
  add: verb(changes, 'AuNf all update'),
  commit: verb(changes, 'aqm:F: all message= amend no-edit quiet allow-empty no-verify'),
  switch: verb(changes, 'c:C:fqd create= detach quiet'),
  checkout: verb(changes, 'b:B:fq detach force quiet'),
  restore: verb(changes, 'SWqs: staged worktree source='),
  reset: verb(changes, 'q hard soft mixed keep quiet'),
  branch: verb(changes, 'avrdDmMfq list show-current delete force all'),
  merge: verb(changes, 'qm: no-edit ff-only no-ff abort squash'),
  rebase: verb(changes, 'q abort continue skip autostash onto='),
  'cherry-pick': verb(changes, 'xn no-commit abort continue'),
  revert: verb(changes, 'n no-edit no-commit abort'),
  tag: verb(changes, 'aldfm: list delete message='),
  rm: verb(changes, 'rfq cached'),
  mv: verb(changes, 'fk'),
  clean: verb(changes, 'fdxnq'),
  fetch: verb(connects, 'pqt prune tags all quiet depth='),
  pull: verb(connects, 'q ff-only rebase no-rebase quiet'),
  'ls-remote': verb(connects, 'qht heads tags'),
  clone: verb(connects, 'qb: quiet branch= depth= single-branch'),
  push: verb(['network', 'publish'], 'uqf set-upstream force force-with-lease tags delete quiet no-verify'),
};
/** Remotes by name or URL. A path could name a repository whose hooks and settings start programs. */
const REMOTE = /^(origin|upstream|https?:\/\/[^:]*(:\d+)?[^:]*|git@[\w.-]+:[^:]*)$/;

const hasKnownRemote = (remote: Word | undefined): boolean =>
  remote === undefined || (isLiteral(remote) && REMOTE.test(remote.text));

/** The folder that git names after a URL. git removes more from an unusual name, such as `https://a.org/.git.git`. */
function folderOf(url: string): Word {
  const [, text] = /[/:](\w[\w.-]*?)(?:\.git)?\/*$/.exec(url) ?? [];
  return text === undefined ? ANYWHERE : { text, becomes: 'exact' };
}

/** A remote without a colon is a folder, also one of the name `origin`. */
const cloned = ([url, folder]: readonly Word[]): Use | null =>
  url?.text.includes(':') === true
    ? { classes: connects, paths: [folder ?? folderOf(url.text)], writes: 'folder' }
    : null;

/** Options before git's verb that take the next word. */
const VALUED = new Set(['-C', '-c', '--git-dir', '--work-tree', '--namespace', '--config-env']);
const verbOf = (name: string): Verb | undefined => (Object.hasOwn(VERBS, name) ? VERBS[name] : undefined);
/** Verbs that VERBS lacks, each with one of the same classes. */
const LIKE: Readonly<Record<string, string>> = {
  init: 'add',
  worktree: 'add',
  apply: 'add',
  am: 'add',
  notes: 'add',
  'send-email': 'push',
};

/** Classes of git in any form, besides `exec`: its verb decides. */
export function gitClasses(words: readonly Word[]): { readonly classes: readonly CapabilityClass[] } {
  const name =
    words.find(({ text }, at) => !text.startsWith('-') && !VALUED.has(words[at - 1]?.text ?? ''))?.text ?? '';
  return { classes: verbOf(LIKE[name] ?? name)?.classes ?? [] };
}

function useOf(known: Verb, operands: readonly Word[]): Use | null {
  if (known.classes.includes('network') && !hasKnownRemote(operands[0])) return null;
  return known === VERBS['clone'] ? cloned(operands) : { classes: known.classes };
}

/**
 * Classes of git in a form that starts no program except those in the settings of the current repository; null for other forms,
 * for example with `-C` or `-c`. The hands switch off `core.fsmonitor` and implicit bare repositories for each call.
 */
export function knownGit(words: readonly Word[]): Use | null {
  const [name, ...rest] = words[0]?.text === '--no-pager' ? words.slice(1) : words;
  const known = name !== undefined && isLiteral(name) ? verbOf(name.text) : undefined;
  if (known === undefined) return null;
  const operands = given(rest, known.options)?.operands;
  return operands === undefined ? null : useOf(known, operands);
}
