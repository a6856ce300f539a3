import type { CapabilityClass } from './classes.ts';
import { gitClasses } from './git.ts';
import { each } from './programs.ts';
import type { Use } from './use.ts';
import { ANYWHERE, isLiteral, type Word } from './words.ts';

type Advise = (words: readonly Word[]) => Use;

const isFlag = ({ text }: Word): boolean => text.startsWith('-') && text !== '-';
const operands = (words: readonly Word[]): readonly Word[] => words.filter((word) => !isFlag(word));
const classes =
  (...of: readonly CapabilityClass[]): Advise =>
  () => ({ classes: of });

const NOTHING: Use = { classes: [] };
const network = classes('network');
const publishes = classes('network', 'publish');
const installs = classes('network', 'install');

/** The first operand decides. */
const byVerb =
  (verbs: Readonly<Record<string, Advise>>, otherwise: Advise = () => NOTHING): Advise =>
  (words) => {
    const [verb] = operands(words);
    const isKnown = verb !== undefined && isLiteral(verb) && Object.hasOwn(verbs, verb.text);
    return (isKnown ? (verbs[verb.text] ?? otherwise) : otherwise)(words);
  };

const writesAll: Advise = (words) => ({ classes: [], paths: operands(words) });
const writesHere: Advise = (words) => ({ classes: ['write_inside'], paths: operands(words) });

const packages = (publishing: string): Advise =>
  byVerb({
    ...each('install i add ci update upgrade download get fetch', installs),
    ...each(publishing, publishes),
    ...each('ls list view show freeze tree search', classes('read')),
  });

/** Options of curl and wget that send something, or name a file of options, abbreviated ones included. */
const SENDS = /^-[A-Za-z0-9#]*[dFTXKie]|^--(da|fo|up|req|js|conf|po|bo|me|ex|url-q)/;
const SAVES = /^-[A-Za-z0-9#]*[oOPDcJ]|^--(out|dir|dump|coo|rem)/;
const transfers: Advise = (words) => ({
  ...(words.some((word) => SENDS.test(word.text) || (!isLiteral(word) && !word.text.startsWith('/')))
    ? publishes(words)
    : network(words)),
  paths: words.some(({ text }) => SAVES.test(text)) ? [ANYWHERE] : [],
});

const find: Advise = (words) =>
  words.some(({ text }) => text === '-delete')
    ? { classes: ['write_inside'], paths: words.slice(0, words.findIndex(isFlag)) }
    : { classes: ['read'] };

/**
 * Classes that programs need besides `exec`, as far as their words show. Such a program runs code that nothing here reads,
 * so these classes only add questions and denials.
 */
export const EXECUTING: Readonly<Record<string, Advise>> = {
  ...each(
    'mv rm touch mkdir rmdir tee truncate chmod chown chgrp shred mkfifo mktemp gzip gunzip bzip2 xz ln',
    writesAll,
  ),
  ...each('patch unzip', writesHere),
  ...each('cp install', () => ({ classes: ['read'], paths: [ANYWHERE] })),
  ...each('ping dig host nslookup traceroute whois nc ncat netcat telnet ftp sftp scp ssh', network),
  uniq: () => ({ classes: ['read'], paths: [ANYWHERE] }),
  ...each(
    'egrep fgrep which file paste hexdump strings sha1sum sha512sum cksum ps hostname uptime free cal expr factor column fold fmt expand rev tac less more pushd popd ulimit umask jobs fg bg local tree fd',
    classes('read'),
  ),
  ...each('curl wget', transfers),
  find,
  git: gitClasses,
  gh: byVerb(each('status browse search', network), publishes),
  ...each('npm pnpm yarn', packages('publish unpublish deprecate dist-tag')),
  ...each('pip pip3 uv', packages('publish upload')),
  ...each('apt apt-get', packages('publish')),
  ...each('cargo gem', packages('publish push yank')),
  go: byVerb({ ...each('get install mod', installs), ...each('list version env doc', classes('read')) }),
  ...each('docker podman', byVerb({ push: publishes, ...each('pull login search', network) })),
  kubectl: byVerb(each('get describe logs explain version diff top api-resources', network), publishes),
  helm: byVerb({ ...each('list status search get show', network), ...each('template lint', () => NOTHING) }, publishes),
  ...each('terraform tofu pulumi', byVerb(each('apply destroy import up publish push', publishes))),
  ...each(
    'twine vercel netlify fly flyctl heroku wrangler firebase serverless aws gcloud az ansible-playbook',
    publishes,
  ),
};
