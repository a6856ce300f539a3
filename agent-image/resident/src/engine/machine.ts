import type { AgentConfig } from '@hamlet/contract';
import { HANDS_TOOLS, placeholderOf } from '@hamlet/contract/resident';
import { repositoryName } from '@hamlet/core/git';
import { KNOWN_PROGRAMS, type HandsSurvey } from '../hands/survey-hands.ts';

export interface Machine {
  /** Null if the pod has no hands; `silent` if they did not answer. */
  readonly hands: HandsSurvey | 'silent' | null;
  readonly workspace: string;
  readonly home: string;
  /** True if programs can reach hosts outside the village. */
  readonly hasWayOut: boolean;
  readonly tools: readonly string[];
}

/** A summary of the image's AGENTS.md. A test compares the two. */
const RULES = `Rules for work on it:
- Do what can be undone and concerns only you. Ask before you spend money or change what belongs to others.
- Find the cause of a failure, correct it and try again. After three tries, stop and report what you found.
- Stop and report when permission is denied, the disk is full, a shared branch was updated by force, or the network has timed out three times in a row.
- Test a change before you say that it works.`;

const GIT_RULES = `- Never \`git pull\` and never \`git stash\`: commit a snapshot, fetch, then rebase. Never push with force to a branch that others use.`;
const GIT_TOOL =
  '- Use the tool git for git: it carries work forward, and makes a checkpoint before an action that may lose work.';

export function machineInWords(
  machine: Machine,
  { repository, secrets }: Pick<AgentConfig, 'repository' | 'secrets'>,
): string {
  const { hands, workspace, home, hasWayOut, tools } = machine;
  const servers = serversInWords(tools);
  if (hands === null) return lines([NO_MACHINE, memoryInWords(repository), servers]);
  const hasGit = hands === 'silent' || hands.programs.includes('git');
  return lines([
    `You have a machine of your own, a container in which you are root. ${toolsInWords(tools)}`,
    `${workspace} is for your work, ${home} is your home: both survive sleep and reboot. Everything else is new after each start.`,
    hands === 'silent' ? SILENT : programsInWords(hands, hasWayOut),
    hasGit ? repositoryInWords(repository, workspace) : '',
    memoryInWords(repository),
    servers,
    hasWayOut ? WAY_OUT : NO_WAY_OUT,
    hasWayOut ? secretsInWords(secrets) : '',
    webInWords(hands, tools),
    RULES,
    hasGit ? gitInWords(tools) : '',
    hands !== 'silent' && hands.hasGuide ? GUIDES : '',
  ]);
}

const gitInWords = (tools: readonly string[]): string =>
  tools.includes('git') ? `${GIT_RULES}\n${GIT_TOOL}` : GIT_RULES;

const lines = (parts: readonly string[]): string => parts.filter((part) => part !== '').join('\n');

const NO_MACHINE =
  'You have no machine: no shell, no files and no network. If work needs them, say so; do not act as if you had them.';
const SILENT = 'The machine does not answer now. Try again later, and say so if it stays silent.';
const GUIDES = 'All rules are in /app/AGENTS.md, and guides in /app/docs/ai.';
const WAY_OUT =
  'Programs reach only the hosts that the rules of the village allow. A push, a publication or another write to a host outside waits for a person, who may refuse. A refusal names its reason: do not go around it.';
const NO_WAY_OUT =
  'Nothing outside of the village can be reached from it: no download, no clone, no push and no package registry.';

const MAX_SECRETS = 20;

/** The text that a program sends in place of each secret; for GitHub also the variables that its programs read. */
function secretsInWords(secrets: AgentConfig['secrets']): string {
  if (secrets.length === 0) return '';
  const each = secrets.slice(0, MAX_SECRETS).map(({ host, name }) => {
    const placeholder = placeholderOf(name);
    const isGithub = host === 'api.github.com';
    return `${placeholder} at ${host}${isGithub ? ` (gh: GH_TOKEN=${placeholder})` : ''}`;
  });
  return `You have no secrets, and need none: send a placeholder, for example as a bearer token, and the broker puts the secret in its place. ${each.join('; ')}.`;
}

function webInWords(hands: HandsSurvey | 'silent', tools: readonly string[]): string {
  if (!tools.includes('web_fetch')) return '';
  const hasBrowser = hands === 'silent' || hands.programs.includes('chromium');
  return [
    'Read a page with web_fetch, ask an API with http.',
    hasBrowser ? BROWSER : 'This image has no browser: the tools of the browser do not work.',
    tools.includes('web_search') ? 'Find pages with web_search.' : NO_SEARCH,
    'Rely on a page only after you have read it, and name its address.',
  ].join(' ');
}

const BROWSER = 'The browser is for pages that need scripts or forms; it needs a tier with 2Gi of memory.';
const NO_SEARCH =
  'You cannot search the web: the village has no search service, which an admin can connect. Say so if work needs it.';

function toolsInWords(tools: readonly string[]): string {
  const there = tools.filter((name) => Object.hasOwn(HANDS_TOOLS, name));
  return there.length === 0 ? 'None of your tools runs there.' : `These tools run there: ${there.join(', ')}.`;
}

function programsInWords({ programs }: HandsSurvey, hasWayOut: boolean): string {
  const missing = KNOWN_PROGRAMS.filter((name) => !programs.includes(name));
  const lacks = missing.length === 0 ? '' : ` It lacks ${missing.join(', ')}.`;
  const install =
    missing.length === 0 || !hasWayOut
      ? ''
      : ' You may install more if the village allows a registry; it lasts until the next start.';
  return programs.length === 0 ? '' : `It has ${programs.join(', ')}.${lacks}${install}`;
}

const repositoryInWords = (repository: AgentConfig['repository'], workspace: string): string =>
  repository === null
    ? ''
    : `Your repository is ${repository.url}, branch ${repository.branch}. Your first call of a tool clones it to ${workspace}/${repositoryName(repository.url)}; commands and git begin there.`;

const memoryInWords = (repository: AgentConfig['repository']): string =>
  repository === null
    ? ''
    : 'Everything that you remember now belongs to the repository: you recall it in its later sessions, and all who work in it can read.';

/** Servers that offer tools; a failed server does not. */
function serversInWords(tools: readonly string[]): string {
  const servers = new Set(tools.flatMap((name) => /^mcp__(.+?)__/.exec(name)?.[1] ?? []));
  return servers.size === 0
    ? ''
    : `MCP servers give you tools named mcp__SERVER__TOOL: ${[...servers].toSorted().join(', ')}.`;
}
