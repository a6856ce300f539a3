import { BACKGROUND_SECONDS_MAX, SHELL_SECONDS_MAX } from '@hamlet/contract/resident';
import { isRefusal } from '../hands-client.ts';
import { handsTool, type HandsEnd, type HandsJob, type HandsKit } from '../hands-tool.ts';
import { beginProcess, endedProcess, unlessAbsent } from '../job-process.ts';
import { FilePart, ProcessRecord } from '../process-record.ts';
import { placeEnvironment, processIdOf } from '../start-process.ts';
import { okay } from '../../tools/tool-kit.ts';
import { endOfProcess } from './ended-process.ts';
import { sessionProgram } from './session-script.ts';

/** Wait before the answer, so that a background process that fails at once is reported. */
const BACKGROUND_LOOK_MS = 300;
const MAX_CWD_CHARS = 1_024;
/** The variable by which the supervisor finds the processes that a process has started. */
const SUPERVISORS_MARK = 'HAMLET_HANDS_PROCESS';

type Input = Readonly<{ command: string; timeout_s: number; background: boolean }>;

export const shell = (kit: HandsKit) =>
  handsTool(kit, 'shell', {
    timeoutMs: SHELL_SECONDS_MAX * 1_000,
    mayWait: true,
    namesRefusals: true,
    perform: async (input, job) => {
      await begin(input, job);
      return input.background ? inBackground(input, job) : ended(input, job);
    },
    // The process of a call that an earlier resident process began may still run, have ended, or be unknown.
    recover: (input, job) => unlessAbsent(input.background ? inBackground(input, job) : ended(input, job)),
  });

/** A call id identifies one process, so that a repeated start has no effect. */
async function begin({ command, timeout_s: timeoutS, background }: Input, job: HandsJob) {
  const { kit, context, tree, waitsMs } = job;
  const own = [SUPERVISORS_MARK, ...Object.keys(placeEnvironment(context, kit.environmentOf))];
  const folder = sessionOf(kit, context);
  const seconds = background ? BACKGROUND_SECONDS_MAX : timeoutS;
  const argv = sessionProgram({ folder, workspace: tree, own, command, keeps: !background });
  await beginProcess(job, { argv, cwd: tree, timeoutMs: seconds * 1_000 + waitsMs });
}

const ranBy = ({ command, timeout_s: seconds }: Input) => ({ command, seconds });

const sessionOf = ({ shells }: HandsKit, { conversation }: { readonly conversation: string }): string =>
  `${shells}/${conversation.replaceAll(/[^A-Za-z0-9-]/g, '_').slice(0, 64)}`;

async function ended(input: Input, job: HandsJob): Promise<HandsEnd> {
  const record = await endedProcess(job);
  return endOfProcess(record, { ...ranBy(input), cwd: await cwdOf(job) });
}

async function inBackground(input: Input, job: HandsJob): Promise<HandsEnd> {
  const { hands, context } = job;
  const wait = { process: processIdOf(context), timeoutMs: BACKGROUND_LOOK_MS };
  const { exit, ...record } = await hands.ask('wait', wait, ProcessRecord);
  const cwd = await cwdOf(job);
  if (exit !== undefined) return endOfProcess({ ...record, exit }, { ...ranBy(input), cwd });
  const text = `Process ${context.call} runs in the background, for at most ${BACKGROUND_SECONDS_MAX} s and until this run ends. Wait for it with wait_for, read it with read_output, end it with stop_process.`;
  return { outcome: okay(text), report: { command: input.command, cwd } };
}

/** The folder in which the session's next command begins. The file belongs to the hands, so its text is untrusted. */
async function cwdOf({ hands, kit, context, tree }: HandsJob): Promise<string> {
  const args = { root: sessionOf(kit, context), path: 'cwd', offset: 0, bytes: MAX_CWD_CHARS };
  try {
    const { data } = await hands.ask('fs.read', args, FilePart);
    const [first = ''] = data.toString().split('\n');
    return first.replaceAll(/\p{Cc}/gu, '') || tree;
  } catch (error) {
    if (isRefusal(error)) return tree;
    throw error;
  }
}
