import type { ToolOutcome } from '@hamlet/engine';
import { BACKGROUND_SECONDS_MAX, HANDS_TOOLS, SHELL_SECONDS_MAX } from '@hamlet/contract/resident';
import { z } from 'zod';
import { HandsError } from '../hands-client.ts';
import { handsTool, type HandsEnd, type HandsJob, type HandsKit } from '../hands-tool.ts';
import { ProcessRecord, type EndedProcess, type OutputStream } from '../process-record.ts';
import { numberOf, shownOutput, textOf } from '../shown-output.ts';
import { placeEnvironment, processIdOf, startProcess, untilEnded } from '../start-process.ts';
import { failed, okay } from '../../tools/tool-kit.ts';
import { SHELL_SCRIPT } from './shell-script.ts';

/** A background process that fails at once is seen in the answer. */
const BACKGROUND_LOOK_MS = 300;
const MAX_CWD_CHARS = 1_024;
/** The variable by which the supervisor finds what a process has started. */
const SUPERVISORS_MARK = 'HAMLET_HANDS_PROCESS';

type Input = Readonly<{ command: string; timeout_s: number; background: boolean }>;

/** The tool `shell`: each command is a process of its own, and the session between them is kept in files of the hands. */
export const shell = (kit: HandsKit) =>
  handsTool(
    kit,
    { name: 'shell', ...HANDS_TOOLS.shell },
    {
      timeoutMs: SHELL_SECONDS_MAX * 1_000,
      perform: async (input, job) => {
        await begin(input, job);
        return input.background ? inBackground(input, job) : ended(input, job);
      },
      recover: (input, job) => recover(input, job),
    },
  );

/** A call id names one process, so that a repeated start starts nothing. */
async function begin({ command, timeout_s: timeoutS, background }: Input, { hands, kit, context }: HandsJob) {
  const place = { run: context.run, call: context.call };
  const own = [SUPERVISORS_MARK, ...Object.keys(placeEnvironment(place, kit.environmentOf))].join(' ');
  const keeps = background ? '' : 'keeps';
  const seconds = background ? BACKGROUND_SECONDS_MAX : timeoutS;
  await startProcess(
    hands,
    {
      id: processIdOf(place),
      place,
      argv: ['bash', '-c', SHELL_SCRIPT, 'hamlet-shell', sessionOf(kit, context), kit.workspace, own, command, keeps],
      cwd: kit.workspace,
      limits: { timeoutMs: seconds * 1_000 },
    },
    kit.environmentOf,
  );
}

const sessionOf = ({ shells }: HandsKit, { conversation }: { readonly conversation: string }): string =>
  `${shells}/${conversation.replaceAll(/[^A-Za-z0-9-]/g, '_').slice(0, 64)}`;

async function ended(input: Input, job: HandsJob): Promise<HandsEnd> {
  const record = await untilEnded(job.hands, processIdOf(job.context), job.context.signal);
  return endOf(input, record, await cwdOf(job));
}

async function inBackground(input: Input, job: HandsJob): Promise<HandsEnd> {
  const { hands, context } = job;
  const wait = { process: processIdOf(context), timeoutMs: BACKGROUND_LOOK_MS };
  const { exit, ...record } = await hands.ask('wait', wait, ProcessRecord);
  const cwd = await cwdOf(job);
  if (exit !== undefined) return endOf(input, { ...record, exit }, cwd);
  const text = `Process ${context.call} runs in the background, for at most ${BACKGROUND_SECONDS_MAX} s and until this run ends. Read it with read_output, end it with stop_process.`;
  return { outcome: okay(text), report: { command: input.command, cwd } };
}

/** A call of an earlier process of the resident: its process still runs, has ended, or is not known any more. */
async function recover(input: Input, job: HandsJob): Promise<HandsEnd | null> {
  try {
    return await (input.background ? inBackground(input, job) : ended(input, job));
  } catch (error) {
    if (error instanceof HandsError && error.code === 'no_such_process') return null;
    throw error;
  }
}

const CwdFile = z.object({ data: z.base64().transform((text) => Buffer.from(text, 'base64').toString()) });

/** The folder in which the next command of the session begins. The file belongs to the hands: its text is not trusted. */
async function cwdOf({ hands, kit, context }: HandsJob): Promise<string> {
  const args = { root: sessionOf(kit, context), path: 'cwd', offset: 0, bytes: MAX_CWD_CHARS };
  try {
    const { data } = await hands.ask('fs.read', args, CwdFile);
    return data.replaceAll(/\p{Cc}/gu, '') || kit.workspace;
  } catch (error) {
    if (error instanceof HandsError && error.code !== 'hands_lost') return kit.workspace;
    throw error;
  }
}

function endOf(input: Input, record: EndedProcess, cwd: string): HandsEnd {
  const { exit, stdout, stderr, startedMs, endedMs } = record;
  const duration = Math.max(0, (endedMs ?? startedMs) - startedMs);
  const report = {
    command: input.command,
    cwd,
    stdout: textOf(stdout),
    stderr: textOf(stderr),
    bytes: (stdout?.bytes ?? 0) + (stderr?.bytes ?? 0),
    exit: exit.code ?? null,
    duration_ms: duration,
  };
  return { outcome: outcomeOf(input, record, cwd), report };
}

function outcomeOf({ timeout_s: seconds }: Input, record: EndedProcess, cwd: string): ToolOutcome {
  const { exit } = record;
  const said = printed(record);
  switch (exit.cause) {
    case 'killed':
      return { kind: 'unknown', text: `The command was ended before it was done.\n${said}` };
    case 'timeout':
      return failed(
        'command_timed_out',
        `The command took longer than ${seconds} s and was ended with all that it started. Give it more timeout_s, or start it with background.\n${said}`,
      );
    case 'oom':
      return failed(
        'command_out_of_memory',
        `The command was ended, because the hands have no memory left. Use less of it: smaller input, fewer processes.\n${said}`,
      );
    case 'exit':
      return okay(
        `${exit.code === undefined ? `Ended by the signal ${exit.signal ?? ''}` : `Exit code ${exit.code}`}, in ${cwd}\n${said}`,
      );
  }
}

/** Both streams for the model. The middle of a long one is left out; `read_output` has it. */
function printed({ process, stdout, stderr }: EndedProcess): string {
  const number = numberOf(process);
  const parts = [streamText('stdout', stdout, number), streamText('stderr', stderr, number)].filter(
    (part) => part !== '',
  );
  return parts.join('\n') || 'It printed nothing.';
}

function streamText(name: 'stdout' | 'stderr', stream: OutputStream | undefined, process: string): string {
  const text = shownOutput(stream, { process, name });
  return text === '' ? '' : `${name}:\n${text}`;
}
