import { z } from 'zod';
import type { ToolOutcome } from '../../../effects/tool-outcome.ts';
import type { Need } from '../check-tool-call.ts';
import { PATH_MAX_CHARS, partsOf } from '../workspace-path.ts';
import { listFolder } from './list-folder.ts';
import { readFile } from './read-file.ts';
import { argvOf, runCommand } from './run-command.ts';
import { denial } from './tool-fault.ts';
import type { ToolJob } from './tool-job.ts';
import { CONTENT_MAX_CHARS, writeFile } from './write-file.ts';

const ARGUMENTS_MAX = 256;
const ARGUMENT_MAX_CHARS = 32_000;

const withoutNul = (schema: z.ZodString): z.ZodString => schema.regex(/^[^\0]*$/, 'write it without NUL characters');
const Path = z.string().min(1).max(PATH_MAX_CHARS).describe('Path from the root of the workspace');
const Word = withoutNul(z.string().max(ARGUMENT_MAX_CHARS));

const Read = z.strictObject({ path: Path });
const Write = z.strictObject({
  path: Path,
  content: z.string().max(CONTENT_MAX_CHARS).describe('The whole new content'),
});
const List = z.strictObject({ path: Path.default('.') });
const Run = z
  .strictObject({
    argv: z
      .tuple([Word.min(1)], Word)
      .refine((words) => words.length <= ARGUMENTS_MAX, `at most ${ARGUMENTS_MAX} words`)
      .optional()
      .describe('The program and its arguments, for example ["git", "status"]'),
    command: Word.min(1).optional().describe('A line for sh in place of argv, if the manifest enables a shell'),
    folder: Path.default('.').describe('The folder in which it runs'),
    timeout_s: z
      .number()
      .min(0.001)
      .max(86_400)
      .optional()
      .describe('Seconds after which it ends; at most those of the tool'),
  })
  .refine(({ argv, command }) => (argv === undefined) !== (command === undefined), 'write argv or command');

/** A tool of the engine. `needs`: the needs of a call by its arguments, before links are resolved; throws a denial. */
export type BuiltIn<Input> = Readonly<{
  description: string;
  effect: 'read' | 'idempotent' | 'once';
  input: z.ZodType<Input>;
  /** The part of `permissions` that allows it. */
  permission: string;
  /** The fields of its result. */
  gives: readonly string[];
  needs: (input: Input) => readonly Need[];
  perform: (input: Input, job: ToolJob) => Promise<ToolOutcome>;
}>;

const builtIn = <Input>(tool: BuiltIn<Input>): BuiltIn<Input> => tool;

function pathOf(path: string): string {
  const read = partsOf(path);
  if (!read.ok) throw denial('path_outside_root', read.message);
  return read.parts.join('/');
}

/** The built-in tools by their names in `tools.yaml`. */
export const BUILT_INS = {
  'filesystem.read_file': builtIn({
    description: 'Read a text file of the workspace.',
    effect: 'read',
    input: Read,
    permission: 'filesystem.read',
    gives: ['path', 'content', 'bytes', 'sha256'],
    needs: ({ path }) => [{ kind: 'read', path: pathOf(path) }],
    perform: readFile,
  }),
  'filesystem.write_file': builtIn({
    description: 'Write a whole file of the workspace; folders above it are made.',
    effect: 'idempotent',
    input: Write,
    permission: 'filesystem.write',
    gives: ['path', 'mutations'],
    needs: ({ path }) => [{ kind: 'write', path: pathOf(path) }],
    perform: writeFile,
  }),
  'filesystem.list': builtIn({
    description: 'List a folder of the workspace.',
    effect: 'read',
    input: List,
    permission: 'filesystem.read',
    gives: ['path', 'entries', 'more'],
    needs: ({ path }) => [{ kind: 'read', path: pathOf(path) }],
    perform: listFolder,
  }),
  'command.run': builtIn({
    description: 'Run a program in a folder of the workspace, without a terminal.',
    effect: 'once',
    input: Run,
    permission: 'shell',
    gives: ['exit_code', 'signal', 'stdout', 'stderr', 'stdout_bytes', 'stderr_bytes'],
    needs: (input) => {
      pathOf(input.folder);
      return [{ kind: 'run', argv: argvOf(input) }];
    },
    perform: runCommand,
  }),
} as const;
export type BuiltInName = keyof typeof BUILT_INS;
