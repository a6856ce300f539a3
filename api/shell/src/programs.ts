import type { CapabilityClass } from './classes.ts';
import type { Word } from './syntax.ts';

/** Classes of one use of a program. `paths`: files that it writes, whose location decides between inside and outside. */
export interface Use {
  readonly classes: readonly CapabilityClass[];
  readonly paths?: readonly Word[];
}

type Classify = (words: readonly Word[]) => Use;

const READ: Use = { classes: ['read'] };
const EXEC: Use = { classes: ['exec'] };
const NETWORK: Use = { classes: ['network'] };
const PUBLISH: Use = { classes: ['network', 'publish'] };
const INSTALL: Use = { classes: ['network', 'install', 'exec'] };

const isFlag = ({ text }: Word): boolean => text.startsWith('-') && text !== '-';
const operands = (words: readonly Word[]): readonly Word[] => words.filter((word) => !isFlag(word));
const verbOf = (words: readonly Word[]): string | null => {
  const verb = operands(words)[0];
  return verb === undefined ? '' : verb.isLiteral ? verb.text : null;
};

/** True if the words contain one of the flags, even combined with other short ones, or a word that is not literal. */
function hasFlag(words: readonly Word[], short: string, long: readonly string[] = []): boolean {
  return words.some(
    ({ text, isLiteral }) =>
      (!isLiteral && !text.startsWith('/')) ||
      (/^-[A-Za-z0-9]+/.test(text) && text.includes(short) && short !== '') ||
      long.some((name) => text === name || text.startsWith(`${name}=`)),
  );
}

const reads: Classify = () => READ;
const executes: Classify = () => EXEC;
const connects: Classify = () => NETWORK;
/** The program writes, moves or removes all its operands. */
const writesAll: Classify = (words) => ({ classes: [], paths: operands(words) });
const readsUnless =
  (short: string, long: readonly string[], otherwise: Use): Classify =>
  (words) =>
    hasFlag(words, short, long) ? otherwise : READ;

/** The verb of a program decides; an unknown verb, or one that is not literal, runs code. */
const byVerb =
  (verbs: Readonly<Record<string, Use | Classify>>, otherwise: Use = EXEC): Classify =>
  (words) => {
    const verb = verbOf(words);
    const use = verb === null || !Object.hasOwn(verbs, verb) ? otherwise : (verbs[verb] ?? otherwise);
    return typeof use === 'function' ? use(words) : use;
  };

const each = <T>(names: string, value: T): Readonly<Record<string, T>> =>
  Object.fromEntries(names.split(' ').map((name) => [name, value]));

/** Options before git's verb that set configuration, which can name programs that git starts. */
const CONFIGURES_GIT = ['-c', '--config-env', '--exec-path', '-C', '--git-dir', '--work-tree'];
/** Options of git's verbs that start a program, set configuration or write a file; `ext::` starts a program too. */
const STARTED_BY_GIT =
  '--exec -x --upload-pack -u --receive-pack --ext-diff --textconv --open-files-in-pager -O --output -c --config --template --separate-git-dir'.split(
    ' ',
  );
const INSIDE: Use = { classes: ['write_inside'] };

const GIT = byVerb({
  ...each(
    'status log diff show rev-parse ls-files ls-tree cat-file blame describe shortlog reflog rev-list merge-base show-ref grep',
    READ,
  ),
  ...each(
    'add commit checkout switch restore reset merge rebase branch tag init rm mv cherry-pick revert clean worktree apply am notes',
    INSIDE,
  ),
  ...each('clone fetch ls-remote pull', NETWORK),
  ...each('push send-email', PUBLISH),
});

const git: Classify = (words) => {
  const first = words[0];
  if (
    first !== undefined &&
    CONFIGURES_GIT.some((option) => first.text.startsWith(option)) &&
    !first.text.startsWith('-C')
  )
    return EXEC;
  const rest = first?.text === '-C' ? words.slice(2) : words;
  // `git switch -c NAME` creates a branch; with other verbs, and before a verb, `-c` sets configuration.
  const options = rest[0]?.text === 'switch' ? rest.filter(({ text }) => text !== '-c') : rest;
  const isHooked = hasFlag(options, '', STARTED_BY_GIT) || rest.some(({ text }) => text.includes('::'));
  const use = GIT(rest);
  return isHooked ? { classes: [...use.classes, 'exec'] } : use;
};

const packages = (publishing: string, reading = ''): Classify =>
  byVerb({
    ...each('install i add ci update upgrade download get fetch', INSTALL),
    ...each(publishing, PUBLISH),
    ...(reading === '' ? {} : each(reading, READ)),
  });

/** Options of curl and wget that send something, or that name a file with further options. */
const SENDS =
  '-d -F -T -X -K -i --data --data-raw --data-binary --data-ascii --data-urlencode --form --form-string --upload-file --request --json --config --post-data --post-file --body-data --body-file --method --execute -e'.split(
    ' ',
  );
const SAVES = [
  '-o',
  '--output',
  '-O',
  '--output-document',
  '-P',
  '--directory-prefix',
  '--output-dir',
  '-D',
  '--dump-header',
  '-c',
  '--cookie-jar',
];

/** Files that curl and wget write: the words after these options. A value joined to its option counts as outside. */
function saved(words: readonly Word[]): readonly Word[] {
  return words.flatMap((word, at) => {
    if (SAVES.includes(word.text)) return words.slice(at + 1, at + 2);
    const isJoined = SAVES.some((option) => word.text.startsWith(option) && !/^--[a-z-]+$/.test(word.text));
    return isJoined ? [{ text: '/', isLiteral: false }] : [];
  });
}

const curl: Classify = (words) => {
  const sends = hasFlag(words, '', SENDS) || words.some(({ text }) => /^-[a-zA-Z]*[dFTXK]/.test(text));
  return { classes: (sends ? PUBLISH : NETWORK).classes, paths: saved(words) };
};

/** `sed -n 10,20p FILE` prints; every other script may write files and start programs. */
const sed: Classify = (words) =>
  operands(words)[0]?.isLiteral === true &&
  /^[0-9]*(,[0-9$]+)?p$/.test(operands(words)[0]?.text ?? '') &&
  !hasFlag(words, 'i', ['--in-place', '--file', '-f'])
    ? READ
    : EXEC;

const FIND_RUNS = ['-exec', '-execdir', '-ok', '-okdir', '-fprint', '-fprint0', '-fprintf', '-fls', '-files0-from'];

const find: Classify = (words) => {
  if (hasFlag(words, '', FIND_RUNS)) return EXEC;
  if (!words.some(({ text }) => text === '-delete')) return READ;
  const first = words.findIndex(isFlag);
  return { classes: ['write_inside'], paths: words.slice(0, first) };
};

/** The program writes its last operand, unless an option names a folder. */
const copies: Classify = (words) =>
  hasFlag(words, 't', ['--target-directory'])
    ? { classes: ['read', 'write_outside'] }
    : { classes: ['read'], paths: operands(words).slice(-1) };

/** Writes into the folder where it runs, and to its operands. */
const writesHere: Classify = (words) => ({ classes: ['write_inside'], paths: operands(words) });

/** Known programs. Any other program runs unknown code. */
export const PROGRAMS: Readonly<Record<string, Classify>> = {
  ...each(
    'ls cat head tail wc grep egrep fgrep stat file du df pwd echo true false test [ which type basename dirname realpath readlink sleep seq cut tr jq diff cmp comm paste nl od hexdump strings md5sum sha1sum sha256sum sha512sum cksum ps id whoami uname hostname uptime free nproc date cal expr factor column fold fmt expand rev tac less more exit return break continue shift wait cd pushd popd set : ulimit umask jobs fg bg local read',
    reads,
  ),
  ...each(
    'touch mkdir rm rmdir truncate chmod chown chgrp shred mkfifo mktemp gzip gunzip bzip2 xz mv ln tee',
    writesAll,
  ),
  ...each('patch unzip', writesHere),
  ...each('cp install', copies),
  ...each('ping dig host nslookup traceroute whois nc ncat netcat telnet ftp sftp scp ssh', connects),
  ...each(
    'awk gawk mawk perl python python3 node ruby php lua bash sh dash zsh fish ksh make cmake ninja gcc cc g++ clang rustc tsc vim vi nano ed emacs crontab at batch systemctl service docker podman kubectl helm terraform ansible',
    executes,
  ),
  printf: readsUnless('v', [], EXEC),
  rg: readsUnless('', ['--pre', '--hostname-bin'], EXEC),
  tree: readsUnless('o', ['--output'], EXEC),
  sort: readsUnless('o', ['--output', '--compress-program'], EXEC),
  uniq: (words) => ({ classes: ['read'], paths: operands(words).slice(1, 2) }),
  fd: readsUnless('xX', ['--exec', '--exec-batch', '-x', '-X'], EXEC),
  find,
  wget: curl,
  sed,
  git,
  curl,
  gh: byVerb({ ...each('status browse search', NETWORK) }, PUBLISH),
  ...each('npm pnpm yarn', packages('publish unpublish deprecate dist-tag', 'ls list view')),
  ...each('pip pip3 uv', packages('publish upload', 'list show freeze')),
  ...each('apt apt-get', packages('', 'list show search')),
  cargo: packages('publish yank', 'tree'),
  gem: packages('push yank', 'list'),
  go: byVerb({ ...each('get install mod', INSTALL), ...each('list version env doc', READ) }),
  twine: () => PUBLISH,
  ...each('docker podman', byVerb({ push: PUBLISH, ...each('pull login search', NETWORK) })),
  kubectl: byVerb({ ...each('get describe logs explain version diff top api-resources', NETWORK) }, PUBLISH),
  helm: byVerb({ ...each('list status search get show', NETWORK), ...each('template lint', EXEC) }, PUBLISH),
  ...each('terraform tofu pulumi', byVerb({ ...each('apply destroy import up publish push', PUBLISH) })),
  ...each(
    'vercel netlify fly flyctl heroku wrangler firebase serverless aws gcloud az ansible-playbook',
    () => PUBLISH,
  ),
};
