import { z } from 'zod';
import type { VillageTool } from './tool.ts';

export const COMMAND_MAX_CHARS = 32_000;
export const SHELL_SECONDS_MAX = 1_800;
const SHELL_SECONDS = 120;
export const BACKGROUND_SECONDS_MAX = 3_600;
const OUTPUT_BYTES_MAX = 30_000;
const OUTPUT_WAIT_S_MAX = 60;

const Process = z
  .string()
  .regex(/^\d{1,6}\.\d{1,4}$/, 'write the number of the process as shell gives it, for example 3.0')
  .describe('Number of the process, as shell gives it');

const Shell = z.strictObject({
  command: z
    .string()
    .min(1)
    .max(COMMAND_MAX_CHARS)
    .refine((text) => !text.includes('\0'), 'a command has no NUL character')
    .describe('Command for bash'),
  timeout_s: z
    .int()
    .min(1)
    .max(SHELL_SECONDS_MAX)
    .default(SHELL_SECONDS)
    .describe('Seconds after which the command and all that it started are ended'),
  background: z
    .boolean()
    .default(false)
    .describe('True for a server or a long build: the call returns at once, and the process ends with this run'),
});
const ReadOutput = z.strictObject({
  process: Process,
  stream: z.enum(['stdout', 'stderr']).default('stdout'),
  offset: z.int().min(0).max(1_000_000_000).default(0).describe('First byte'),
  bytes: z.int().min(1).max(OUTPUT_BYTES_MAX).default(16_000),
  wait_s: z.int().min(0).max(OUTPUT_WAIT_S_MAX).default(0).describe('Seconds to wait for the first byte'),
});
const StopProcess = z.strictObject({
  process: Process,
  signal: z
    .enum(['TERM', 'INT', 'HUP', 'USR1', 'USR2', 'KILL'])
    .optional()
    .describe('Signal to the whole group; without it, the process ends with all that it started'),
});

/** The tools that run in the hands, by name. */
export const HANDS_TOOLS = {
  shell: {
    class: 'exec',
    effect: 'verify',
    runs: 'hands',
    input: Shell,
    description:
      'Run a command in bash on your own machine, as root, in /workspace. The folder, exported variables and functions stay for your next command of this conversation. Without a terminal: use options that ask nothing.',
  },
  read_output: {
    class: 'read',
    effect: 'read',
    runs: 'hands',
    input: ReadOutput,
    description: 'Read more of the output of a command of this run, or what a background process has written so far.',
  },
  list_processes: {
    class: 'read',
    effect: 'read',
    runs: 'hands',
    input: z.strictObject({}),
    description: 'List the processes of this run, with their state.',
  },
  stop_process: {
    class: 'exec',
    effect: 'idempotent',
    runs: 'hands',
    input: StopProcess,
    description: 'End a background process of this run, or send it a signal.',
  },
} as const satisfies Readonly<Record<string, VillageTool>>;

export type HandsToolName = keyof typeof HANDS_TOOLS;
