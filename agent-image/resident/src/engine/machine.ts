import type { AgentConfig } from '@hamlet/contract';
import { placeholderOf } from '@hamlet/contract/resident';
import { repositoryName } from '@hamlet/core/git';
import { KNOWN_PROGRAMS, type HandsSurvey } from '../hands/survey-hands.ts';

export interface Machine {
  /** Null if the pod has no hands; `silent` if they did not answer. */
  readonly hands: HandsSurvey | 'silent' | null;
  readonly workspace: string;
  readonly home: string;
  /** True if programs can reach hosts outside the village. */
  readonly hasWayOut: boolean;
  /** Names of the tools that the run shows. */
  readonly tools: readonly string[];
}

/** Where the tools of a run work: machine, programs, repository and the way out. Pure. */
export function machineInWords(
  { hands, workspace, home, ...way }: Machine,
  { repository, secrets }: Pick<AgentConfig, 'repository' | 'secrets'>,
): string {
  if (hands === null) return lines([NO_MACHINE, memoryInWords(repository)]);
  const hasGit = hands === 'silent' || hands.programs.includes('git');
  return lines([
    `Your machine is a container in which you are root. ${workspace} (your work) and ${home} (your home) survive sleep and reboot; all else is new after each start.`,
    hands === 'silent' ? SILENT : programsInWords(hands),
    hasGit ? repositoryInWords(repository, workspace) : '',
    memoryInWords(repository),
    wayOutInWords(way, secrets),
    hasGit ? GIT_RULES : '',
    hands !== 'silent' && hands.hasGuide ? GUIDES : '',
  ]);
}

function wayOutInWords(
  { hasWayOut, tools }: Pick<Machine, 'hasWayOut' | 'tools'>,
  secrets: AgentConfig['secrets'],
): string {
  if (!hasWayOut) return NO_WAY_OUT;
  return lines([WAY_OUT, secretsInWords(secrets), tools.includes('web_search') ? '' : NO_SEARCH]);
}

const lines = (parts: readonly string[]): string => parts.filter((part) => part !== '').join('\n');

const NO_MACHINE =
  'You have no machine: no shell, no files and no network. If work needs them, say so; do not act as if you had them.';
const SILENT = 'The machine does not answer now. Try again later, and say so if it stays silent.';
const GUIDES = 'Guides: /app/AGENTS.md and /app/docs/ai.';
const WAY_OUT =
  "Programs reach only the hosts that the village's rules allow. A refusal names its rule: say what you need and why.";
const NO_WAY_OUT =
  'Nothing outside of the village can be reached: no download, no clone, no push, no package registry.';
const NO_SEARCH = 'The village has no search service, which an admin can connect: you cannot search the web.';
const GIT_RULES =
  'Never `git pull` or `git stash`, and never push with force to a shared branch: commit, fetch, rebase.';

/** The tools of the browser are the way to use these, if the tier has the memory. */
const OF_BROWSER: ReadonlySet<string> = new Set(['chromium', 'playwright']);
const PROGRAMS = KNOWN_PROGRAMS.filter((name) => !OF_BROWSER.has(name));

const MAX_SECRETS = 20;

/** The text that a program sends in place of each secret; for GitHub also the variables that its programs read. */
function secretsInWords(secrets: AgentConfig['secrets']): string {
  if (secrets.length === 0) return '';
  const each = secrets.slice(0, MAX_SECRETS).map(({ host, name }) => {
    const placeholder = placeholderOf(name);
    const isGithub = host === 'api.github.com';
    return `${placeholder} at ${host}${isGithub ? ` (gh: GH_TOKEN=${placeholder})` : ''}`;
  });
  return `Send a placeholder as a bearer token, and the broker puts the secret in its place: ${each.join('; ')}.`;
}

function programsInWords({ programs }: HandsSurvey): string {
  const there = PROGRAMS.filter((name) => programs.includes(name));
  const missing = PROGRAMS.filter((name) => !programs.includes(name));
  const lacks = missing.length === 0 ? '' : ` It lacks ${missing.join(', ')}.`;
  return there.length === 0 ? '' : `It has ${there.join(', ')}.${lacks}`;
}

const repositoryInWords = (repository: AgentConfig['repository'], workspace: string): string =>
  repository === null
    ? ''
    : `Your repository is ${repository.url}, branch ${repository.branch}. Your first call clones it to ${workspace}/${repositoryName(repository.url)}, where commands and git begin.`;

const memoryInWords = (repository: AgentConfig['repository']): string =>
  repository === null
    ? ''
    : 'Your memories of this work belong to the repository: its agents share them, for the people with whom they arose.';
