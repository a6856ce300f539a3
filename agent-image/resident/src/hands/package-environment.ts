import { BROKER_HOST } from './proxy-environment.ts';

const MAX_NAME_LENGTH = 200;
/** Forms of SSH addresses whose hosts serve the same repositories over HTTPS. SSH cannot leave the pod. */
const SSH_HOSTS = ['github.com', 'gitlab.com', 'bitbucket.org', 'codeberg.org'];

export interface GitAuthor {
  readonly name: string;
  readonly email: string;
}

/** Characters that git removes from names and addresses, or that end them. */
const NOT_IN_AUTHOR = /[\p{Cc}<>]/gu;

/** The author of a run's commits: a person, or the agent for a run without one, with the village's suffix. Pure. */
export function authorOf(
  person: GitAuthor | null,
  { agentId, suffix }: { readonly agentId: string; readonly suffix: string },
): GitAuthor {
  const { name, email } = person ?? { name: agentId, email: `${agentId}@agents.hamlet.invalid` };
  const room = Math.max(0, MAX_NAME_LENGTH - suffix.length - 1);
  return { name: `${name.slice(0, room).toWellFormed()} ${suffix}`.replaceAll(NOT_IN_AUTHOR, '').trim(), email };
}

type Setting = readonly [key: string, value: string];

const EVERYWHERE: readonly Setting[] = [
  // A file of a repository must not make `git status` start a program: a clone may contain a bare repository.
  ['core.fsmonitor', 'false'],
  ['safe.bareRepository', 'explicit'],
  // Names of files are shown as they are, not as octal numbers.
  ['core.quotePath', 'false'],
  // Without it git explains the choice of a name in nine lines.
  ['init.defaultBranch', 'main'],
];

/** Settings of git that override those of a repository (git-config, GIT_CONFIG_COUNT). */
function gitSettings(own: readonly Setting[]): Record<string, string> {
  const settings = [...own, ...EVERYWHERE];
  const entries = settings.flatMap(([key, value], at) => [
    [`GIT_CONFIG_KEY_${String(at)}`, key],
    [`GIT_CONFIG_VALUE_${String(at)}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(entries) };
}

const authorSettings = ({ name, email }: GitAuthor): readonly Setting[] => [
  ['user.name', name.slice(0, MAX_NAME_LENGTH)],
  ['user.email', email.replaceAll(NOT_IN_AUTHOR, '').slice(0, MAX_NAME_LENGTH)],
];

const ENDPOINT = `http://${BROKER_HOST}`;

/** Text that programs printed, with the addresses of repositories in place of those to which the settings lead git. Pure. */
export const withRealAddresses = (text: string): string => text.replaceAll(`${ENDPOINT}/git/`, 'https://');

const reverseSettings: readonly Setting[] = [
  // Without it git sends its proxy user, with run and call, only if the proxy asks.
  ['http.proxyAuthMethod', 'basic'],
  [`url.${ENDPOINT}/git/.insteadOf`, 'https://'],
  ...SSH_HOSTS.flatMap((host): readonly Setting[] => [
    [`url.${ENDPOINT}/git/${host}/.insteadOf`, `git@${host}:`],
    [`url.${ENDPOINT}/git/${host}/.insteadOf`, `ssh://git@${host}/`],
  ]),
];

const REGISTRIES: Readonly<Record<string, string>> = {
  PIP_INDEX_URL: `${ENDPOINT}/pip/`,
  PIP_TRUSTED_HOST: BROKER_HOST,
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
  NPM_CONFIG_REGISTRY: `${ENDPOINT}/npm/`,
  NPM_CONFIG_AUDIT: 'false',
  NPM_CONFIG_FUND: 'false',
  NPM_CONFIG_UPDATE_NOTIFIER: 'false',
  GOPROXY: `${ENDPOINT}/go`,
};

/** Variables with the author of an agent's commits. git never prompts for a password, because there is no terminal. */
export function authorEnvironment(author: GitAuthor): Record<string, string> {
  return { GIT_TERMINAL_PROMPT: '0', ...gitSettings(authorSettings(author)) };
}

/** The same, and those with which git, pip, npm and go reach the broker's endpoints through the proxy, as user run and call. */
export function packageEnvironment(author: GitAuthor): Record<string, string> {
  return {
    GIT_TERMINAL_PROMPT: '0',
    ...gitSettings([...authorSettings(author), ...reverseSettings]),
    ...REGISTRIES,
  };
}
