import { z } from 'zod';
import type { VillageTool } from './tool.ts';

export const GIT_ARGUMENTS_MAX = 64;
export const GIT_SECONDS_MAX = 600;
const ARGUMENT_MAX_CHARS = 2_000;
const MESSAGE_MAX_CHARS = 8_000;
const FOLDER_MAX_CHARS = 4_096;

const GIT_VERBS = [
  'init',
  'clone',
  'remote',
  'status',
  'diff',
  'log',
  'show',
  'blame',
  'ls-files',
  'branch',
  'checkout',
  'switch',
  'restore',
  'add',
  'rm',
  'mv',
  'commit',
  'fetch',
  'merge',
  'rebase',
  'cherry-pick',
  'revert',
  'reset',
  'tag',
  'push',
] as const;
/** The actions that are not git verbs. `pull` and `stash` are refused with advice; the others run several commands. */
export const GIT_ACTIONS = [...GIT_VERBS, 'pull', 'stash', 'checkpoint', 'undo', 'carry_forward', 'squash'] as const;
export type GitAction = (typeof GIT_ACTIONS)[number];

const hasNoNul = (text: string): boolean => !text.includes('\0');
const Argument = z
  .string()
  .min(1)
  .max(ARGUMENT_MAX_CHARS)
  .refine(hasNoNul, 'write the argument without NUL characters');

const Git = z.strictObject({
  action: z
    .enum(GIT_ACTIONS)
    .describe(
      'A verb of git such as diff, commit, push; or checkpoint, undo (args: a checkpoint), carry_forward (args: BRANCH; snapshot, fetch, rebase), squash (args: BRANCH; all your commits into one)',
    ),
  args: z.array(Argument).max(GIT_ARGUMENTS_MAX).default([]).describe('Arguments, for example ["-A"]'),
  message: z
    .string()
    .min(1)
    .max(MESSAGE_MAX_CHARS)
    .refine(hasNoNul, 'write the message without NUL characters')
    .optional()
    .describe('For commit and squash'),
  folder: z
    .string()
    .min(1)
    .max(FOLDER_MAX_CHARS)
    .refine(hasNoNul, 'write the path without NUL characters')
    .optional()
    .describe('Folder in /workspace; without it, your repository'),
});
export type GitInput = z.infer<typeof Git>;

export const GIT_TOOL = {
  git: {
    class: 'exec',
    effect: 'verify',
    runs: 'hands',
    input: Git,
    description:
      'git with a guard: it makes a checkpoint branch before an action that may lose work, and undo returns to it. push goes to hamlet/YOUR-NAME/BRANCH; a person permits it. To look at history, shell works too.',
  },
} as const satisfies Readonly<Record<string, VillageTool>>;
