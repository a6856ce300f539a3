import { z } from 'zod';
import { GIT_TOOL } from './git-tool.ts';
import { INSTALL_TOOL } from './install-tool.ts';
import { NET_TOOLS } from './net-tools.ts';
import { RUN_SCRIPT_TOOL } from './script-tools.ts';
import { ScriptName, ScriptVersion } from '../script/script.ts';
import { ArtifactName, DeliverableKind, DeliveredTable } from '../values/artifact.ts';
import type { VillageTool } from './tool.ts';

export const COMMAND_MAX_CHARS = 32_000;
export const SHELL_SECONDS_MAX = 1_800;
const SHELL_SECONDS = 120;
export const BACKGROUND_SECONDS_MAX = 3_600;
export const WAIT_SECONDS_MAX = BACKGROUND_SECONDS_MAX;
const WAIT_SECONDS = 600;
const WAIT_TEXT_MAX_CHARS = 500;
const OUTPUT_BYTES_MAX = 30_000;
const OUTPUT_WAIT_S_MAX = 60;

const PATH_MAX_CHARS = 4_096;
const path = z
  .string()
  .min(1)
  .max(PATH_MAX_CHARS)
  .refine((text) => !text.includes('\0'), 'write the path without NUL characters');

const Process = z
  .string()
  .regex(/^\d{1,6}\.\d{1,4}$/, 'write the number of the process as shell gives it, for example 3.0')
  .describe('Number that shell gave it, for example 3.0');

const Shell = z.strictObject({
  command: z
    .string()
    .min(1)
    .max(COMMAND_MAX_CHARS)
    .refine((text) => !text.includes('\0'), 'write the command without NUL characters'),
  timeout_s: z
    .int()
    .min(1)
    .max(SHELL_SECONDS_MAX)
    .default(SHELL_SECONDS)
    .describe('The command ends after so many seconds'),
  background: z
    .boolean()
    .default(false)
    .describe('Return at once, for a server or a long build; wait for it with wait_for'),
});
const ReadOutput = z.strictObject({
  process: Process,
  stream: z.enum(['stdout', 'stderr']).default('stdout'),
  offset: z.int().min(0).max(1_000_000_000).default(0).describe('First byte'),
  bytes: z.int().min(1).max(OUTPUT_BYTES_MAX).default(16_000),
  wait_s: z.int().min(0).max(OUTPUT_WAIT_S_MAX).default(0).describe('Seconds to wait for the first byte'),
});
const WaitFor = z
  .strictObject({
    process: Process.optional().describe('Wait until this background process has ended'),
    text: z
      .string()
      .min(1)
      .max(WAIT_TEXT_MAX_CHARS)
      .optional()
      .describe('With process: wait only until its output has this text'),
    file: path.optional().describe('Wait until this path in /workspace exists'),
    seconds: z.int().min(1).max(WAIT_SECONDS_MAX).default(WAIT_SECONDS).describe('Wait at most so long'),
  })
  .refine(
    ({ process, text }) => text === undefined || process !== undefined,
    'write the process whose output has the text',
  )
  .refine(({ process, file }) => process === undefined || file === undefined, 'write process or file, and not both');
export type WaitForInput = z.output<typeof WaitFor>;
const StopProcess = z.strictObject({
  process: Process,
  signal: z
    .enum(['TERM', 'INT', 'HUP', 'USR1', 'USR2', 'KILL'])
    .optional()
    .describe('Signal to the whole group; without it, the process ends with all that it started'),
});

export const FILE_TEXT_MAX_CHARS = 400_000;
const LINES_MAX = 2_000;
const PATTERN_MAX_CHARS = 1_000;
const FOUND_MAX = 200;

const File = path.describe('File in /workspace');
const FileText = z.string().max(FILE_TEXT_MAX_CHARS);

const ReadFile = z.strictObject({
  path: File,
  first_line: z.int().min(1).max(10_000_000).default(1),
  lines: z.int().min(1).max(LINES_MAX).default(LINES_MAX),
});
const WriteFile = z.strictObject({ path: File, content: FileText.describe('The whole new content') });
const EditFile = z.strictObject({
  path: File,
  old_text: FileText.min(1).describe(
    'Text to replace, exactly as it stands in the file, without line numbers, with enough around it to be found once',
  ),
  new_text: FileText,
  all: z.boolean().default(false).describe('True to replace each occurrence'),
});
const ListFiles = z.strictObject({ path: path.default('.').describe('Folder in /workspace') });
const SearchFiles = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .max(PATTERN_MAX_CHARS)
    .optional()
    .describe('Regular expression; without it, names of files are listed'),
  glob: z.string().min(1).max(PATTERN_MAX_CHARS).optional().describe('Names of files, for example *.py'),
  path: path.default('.').describe('Folder in /workspace'),
  ignore_case: z.boolean().default(false),
  limit: z.int().min(1).max(FOUND_MAX).default(100).describe('Number of lines'),
});
const RememberDocuments = z.strictObject({ path: path.describe('Folder or file in /workspace') });
const ListChanges = z.strictObject({ limit: z.int().min(1).max(50).default(20) });
const UndoChange = z.strictObject({
  change: z.int().min(1).describe('Number of the change, as list_changes shows it'),
});

const GIT_NAME_MAX_CHARS = 200;
const Deliver = z
  .strictObject({
    kind: DeliverableKind.describe(
      'file: a file as it is now. patch: all changes of a repository since base. table: rows with sources. script: one of your scripts',
    ),
    path: path.optional().describe('The file, or the folder of the repository'),
    base: z
      .string()
      .max(GIT_NAME_MAX_CHARS)
      .regex(/^[A-Za-z0-9_][\w./@^~-]*$/, 'write the name of a commit, branch or tag, for example origin/main')
      .default('HEAD')
      .describe('For patch: a commit or branch'),
    name: ArtifactName.optional().describe('Name for people, for example fix.patch'),
    table: DeliveredTable.optional().describe('For table'),
    script: z.strictObject({ name: ScriptName, version: ScriptVersion }).optional().describe('For script'),
  })
  .refine(
    ({ kind, path, table, script }) =>
      (kind === 'table') === (table !== undefined) &&
      (kind === 'script') === (script !== undefined) &&
      (kind === 'table' || kind === 'script' || path !== undefined),
    {
      message: 'write path for a file or a patch, table for a table, and script for a script',
    },
  );

const ACT_MAX_CHARS = 16_000;
const ACT_PATHS_MAX = 20;
const ProgramAct = z.strictObject({
  kind: z.string().max(64),
  title: z.string().max(ACT_MAX_CHARS).describe('In the words of the program'),
  input: z.string().max(ACT_MAX_CHARS).default(''),
  paths: z.array(path).max(ACT_PATHS_MAX).default([]),
});

const read = { class: 'read', effect: 'read', runs: 'hands' } as const;
const write = { class: 'write_inside', effect: 'idempotent', runs: 'hands' } as const;

export const HANDS_TOOLS = {
  shell: {
    class: 'exec',
    effect: 'verify',
    runs: 'hands',
    input: Shell,
    description:
      'Run bash on your machine, as root. The folder and exported variables stay for your next command. No terminal: use options that ask nothing. For what takes minutes set background, then wait_for. Example: {"command": "npm test 2>&1 | tail -40", "timeout_s": 600}',
  },
  ...GIT_TOOL,
  ...INSTALL_TOOL,
  ...RUN_SCRIPT_TOOL,
  read_output: {
    ...read,
    input: ReadOutput,
    description: 'Read the part of an output that a result left out, or what a background process has written so far.',
  },
  wait_for: {
    ...read,
    input: WaitFor,
    description:
      'Wait for a background process to end, a text in its output, or a file; without them, for the time. Costs one step however long it waits. Example: {"process": "3.0", "seconds": 1800}',
  },
  list_processes: {
    ...read,
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
  read_file: {
    ...read,
    input: ReadFile,
    description: 'Read a file of /workspace: a text with line numbers, or an image.',
  },
  write_file: {
    ...write,
    input: WriteFile,
    description: 'Write a whole file in /workspace; folders above it are made. You can undo it.',
  },
  edit_file: {
    ...write,
    input: EditFile,
    description:
      'Replace a text in a file of /workspace; its encoding and line endings stay. The result shows the difference. You can undo it.',
  },
  list_files: { ...read, input: ListFiles, description: 'List a folder of /workspace.' },
  search_files: {
    ...read,
    input: SearchFiles,
    description: 'Search the files of /workspace for a regular expression, or for names.',
  },
  remember_documents: {
    ...write,
    input: RememberDocuments,
    description:
      'Read a folder or file of /workspace into your memory: search_memories then finds its lines and cites them. Call it again after changes.',
  },
  list_changes: {
    ...read,
    input: ListChanges,
    description: 'List what write_file and edit_file changed in this conversation, newest first.',
  },
  undo_change: {
    ...write,
    input: UndoChange,
    description: 'Undo a change of write_file or edit_file, if the file has not changed since.',
  },
  ...NET_TOOLS,
  program_act: {
    class: 'exec',
    effect: 'verify',
    runs: 'hands',
    custom: true,
    decided: true,
    input: ProgramAct,
    description: 'Something that the program of an agent asks to do, and that is no command, change or page.',
  },
  deliver: {
    class: 'speak',
    effect: 'idempotent',
    runs: 'hands',
    forReaders: true,
    input: Deliver,
    description:
      'Hand a result to the people of this run: they open and download it beside your answer. At most 5 MiB. The same name again is its next version. Example: {"kind": "patch", "path": "shop", "base": "origin/main"}',
  },
} as const satisfies Readonly<Record<string, VillageTool>>;

export type HandsToolName = keyof typeof HANDS_TOOLS;
