import type { GitAction, GitInput } from '@hamlet/contract';
import { shellLine as lineOf } from '../policy/shell-line.ts';

/** A call of the tool `git`, without its folder. */
type GitCall = Pick<GitInput, 'action' | 'args' | 'message'>;

/** A refusal before git starts, with an alternative. */
interface GitRefusal {
  readonly code: 'git_pull_refused' | 'git_stash_refused' | 'git_forced_update_refused' | 'git_message_missing';
  readonly text: string;
}

const STEPS: Readonly<Partial<Record<GitAction, readonly (readonly string[])[]>>> = {
  checkpoint: [['git', 'branch', 'checkpoint']],
  undo: [
    ['git', 'branch', 'checkpoint'],
    ['git', 'checkout', '--force'],
    ['git', 'reset', '--hard'],
  ],
  carry_forward: [
    ['git', 'branch', 'checkpoint'],
    ['git', 'add', '-A'],
    ['git', 'commit', '--no-verify'],
    ['git', 'fetch', 'origin'],
    ['git', 'rebase'],
  ],
  squash: [
    ['git', 'branch', 'checkpoint'],
    ['git', 'reset', '--soft'],
    ['git', 'commit', '-m'],
  ],
};

/** The equivalent shell command of a call, for judging and showing the call. Pure. */
export function gitCommand({ action, args, message }: GitCall): string {
  const steps = STEPS[action];
  if (steps !== undefined)
    return steps.map((words) => lineOf([...words, ...restOf(words, { args, message })])).join(' && ');
  return lineOf(['git', action, ...args, ...(action === 'commit' && message !== undefined ? ['-m', message] : [])]);
}

function restOf(
  words: readonly string[],
  { args, message = '' }: Pick<GitCall, 'args' | 'message'>,
): readonly string[] {
  const verb = words[1];
  if (words.includes('-m')) return [message];
  return verb === 'rebase' || verb === 'reset' || verb === 'checkout' ? args : [];
}

/** The part of the references that belongs to one agent; the broker refuses pushes to others. */
const ownBranches = (agentId: string): string => `hamlet/${agentId}/`;

const FORCES = /^(--force|--force-with-lease|--force-if-includes|--delete)(=|$)|^-[A-Za-z]*[fd][A-Za-z]*$/;
/** Options that make a push change references that it does not name. */
const MANY = /^--(mirror|prune|all|branches|tags|follow-tags)(=|$)/;

interface Push {
  /** Destinations, without `refs/heads/`; empty if the call names none. */
  readonly to: readonly string[];
  readonly isForced: boolean;
}

/** The references that a push changes, and whether it may drop their commits. Pure. */
function pushOfGit(args: readonly string[]): Push {
  const [, ...specs] = args.filter((arg) => !arg.startsWith('-'));
  const to = specs.map((spec) => (spec.replace(/^\+/, '').split(':').at(-1) ?? '').replace(/^refs\/heads\//, ''));
  const isForced =
    args.some((arg) => FORCES.test(arg) || arg.startsWith('--mirror') || arg.startsWith('--prune')) ||
    specs.some((spec) => /^[+:]/.test(spec));
  return { to, isForced };
}

function isSharedPush(args: readonly string[], agentId: string): boolean {
  const { to, isForced } = pushOfGit(args);
  const isOwn = to.every((branch) => branch.startsWith(ownBranches(agentId))) && !args.some((arg) => MANY.test(arg));
  return isForced && !isOwn;
}

/** Refuses calls that lose work of others or of the agent; null if git may start. Pure. */
export function refuseGit({ action, args, message }: GitCall, agentId: string): GitRefusal | null {
  if (action === 'pull')
    return {
      code: 'git_pull_refused',
      text: 'git pull loses work when it meets a conflict. Use the action carry_forward with the branch: it commits a snapshot, fetches and rebases.',
    };
  if (action === 'stash')
    return {
      code: 'git_stash_refused',
      text: 'git stash hides work from the next session. Use the action checkpoint, or commit a snapshot.',
    };
  if (action === 'push' && isSharedPush(args, agentId))
    return {
      code: 'git_forced_update_refused',
      text: `A forced update of a branch that others use loses their commits. Fetch, carry your work forward, and push to ${ownBranches(agentId)}TOPIC.`,
    };
  const isNamed =
    message !== undefined ||
    args.some((arg) => /^(-m|--message|-F|--file|-C|--reuse-message|--no-edit|--fixup)/.test(arg));
  if ((action === 'commit' && !isNamed) || (action === 'squash' && message === undefined))
    return { code: 'git_message_missing', text: 'A commit needs a message: write it in message.' };
  return null;
}

/** `changes`: risky while there are uncommitted changes. `branch`: the named branches may be lost. */
type GitRisk = 'always' | 'changes' | 'branch' | 'never';

const ALWAYS: ReadonlySet<GitAction> = new Set<GitAction>([
  'merge',
  'rebase',
  'cherry-pick',
  'revert',
  'reset',
  'carry_forward',
  'squash',
]);
const WITH_CHANGES: ReadonlySet<GitAction> = new Set<GitAction>(['checkout', 'switch', 'restore', 'rm', 'mv']);

/** Decides if an action needs a checkpoint before it. Pure. */
export function riskOfGit({ action, args }: Pick<GitCall, 'action' | 'args'>): GitRisk {
  if (ALWAYS.has(action) || (action === 'commit' && args.includes('--amend'))) return 'always';
  if (WITH_CHANGES.has(action)) return 'changes';
  const moves = /^(--delete|--move|--force)$|^-[A-Za-z]*[dDmMf][A-Za-z]*$/;
  return action === 'branch' && args.some((arg) => moves.test(arg)) ? 'branch' : 'never';
}

const SCP = /^[^@/\s]+@([^:/\s]+):(.+)$/;
const NAME_MAX_CHARS = 100;
const ID_MAX_CHARS = 2_048;

/** Host and path of a repository without user, scheme and suffix: the same for all its addresses. Pure. */
export function repositoryId(url: string): string {
  const [, host, path] = SCP.exec(url) ?? [];
  const parsed = host === undefined && URL.canParse(url) ? new URL(url) : null;
  const place = parsed === null ? `${(host ?? '').toLowerCase()}/${path ?? url}` : `${parsed.host}${parsed.pathname}`;
  const id = place
    .replaceAll(/\/{2,}/g, '/')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '');
  return id.slice(0, ID_MAX_CHARS);
}

/** The name of the folder of a repository: the last part of its path. Pure. */
export function repositoryName(url: string): string {
  const last = repositoryId(url).split('/').at(-1) ?? '';
  const name = last
    .replaceAll(/[^A-Za-z0-9._-]/g, '-')
    .replace(/^[.-]+/, '')
    .slice(0, NAME_MAX_CHARS);
  return name === '' ? 'repository' : name;
}
