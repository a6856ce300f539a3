import type { ToolOutcome } from '../../../effects/tool-outcome.ts';
import { inFolder } from './open-folder.ts';
import { realParts } from './real-parts.ts';
import { runProcess, type ProcessEnd } from './run-process.ts';
import { fault } from './tool-fault.ts';
import { jsonResult, type ToolJob } from './tool-job.ts';

/** `argv`: program and arguments. `command`: a line for `sh`, in its place. `folder`: from the root. */
type Command = Readonly<{
  argv?: readonly string[] | undefined;
  command?: string | undefined;
  folder: string;
  timeout_s?: number | undefined;
}>;

/** Program and arguments of a call. A shell line is the program `sh`. Pure. */
export const argvOf = ({ argv, command }: Pick<Command, 'argv' | 'command'>): readonly string[] =>
  argv ?? ['sh', '-c', command ?? ''];

/** Runs a program: `{ exit_code, signal, stdout, stderr, stdout_bytes, stderr_bytes }`. It fails unless the exit code is 0. */
export async function runCommand(command: Command, job: ToolJob): Promise<ToolOutcome> {
  const { workspace, context } = job;
  const argv = argvOf(command);
  job.permit({ kind: 'run', argv });
  const parts = await realParts(workspace.root, command.folder);
  if (job.isDry) return jsonResult({ planned: true, argv, folder: parts.join('/') || '.', mutations: [] });
  const timeoutMs = Math.min(job.timeoutMs, (command.timeout_s ?? Infinity) * 1_000);
  const { signal, output } = context;
  const end = await inFolder({ root: workspace.root, parts }, async (folder) => {
    await folder.check();
    return runProcess({ argv, cwd: folder.self, environment: workspace.environment, timeoutMs, signal, output });
  });
  return outcomeOf(end, { program: argv[0] ?? '', timeoutMs });
}

type Ran = Readonly<{ program: string; timeoutMs: number }>;

function outcomeOf(end: ProcessEnd, { program, timeoutMs }: Ran): ToolOutcome {
  const result = jsonResult(shown(end));
  const text = 'text' in result ? result.text : '';
  switch (end.cause) {
    case 'not_found':
      throw fault('program_not_found', `${program} cannot be run: it is not in the PATH, or is not executable.`);
    case 'cancel':
      return { kind: 'unknown', text: `A cancel ended ${program} and its processes. ${text}` };
    case 'timeout':
      throw fault('command_timed_out', `${program} ran for ${timeoutMs} ms, and was ended with its processes. ${text}`);
    case 'exit':
      if (end.code !== 0) throw fault('command_failed', text);
      return result;
    default:
      return end.cause satisfies never;
  }
}

const shown = ({ code, signal, stdout, stderr }: ProcessEnd): Readonly<Record<string, unknown>> => ({
  exit_code: code,
  signal,
  stdout: stdout.text(),
  stderr: stderr.text(),
  stdout_bytes: stdout.bytes,
  stderr_bytes: stderr.bytes,
});
