import { WAIT_SECONDS_MAX, type WaitForInput } from '@hamlet/contract/resident';
import { fromOutside, okay } from '../../tools/tool-kit.ts';
import { pathIn } from '../files/hands-files.ts';
import { handsTool, type HandsEnd, type HandsJob, type HandsKit } from '../hands-tool.ts';
import { beginProcess } from '../job-process.ts';
import { OutputPart, ProcessRecord } from '../process-record.ts';
import { endProcess, processIdOf } from '../start-process.ts';
import { shownOutput } from '../shown-output.ts';
import { stateOf } from './processes.ts';

/** Longest wait before the call sees that its run is over. */
const LOOK_MS = 1_000;
const PART_BYTES = 256 << 10;
/** Characters of each stream in the result. */
const TAIL_CHARS = 3_000;
const STREAMS = ['stdout', 'stderr'] as const;

/**
 * `sh -c SCRIPT clock SECONDS FILE`: ends with 0 once the file exists, and with 1 after the time. It is the clock of a call: every
 * attempt finds the same one, so a restart of the resident does not begin the wait again. It ends with its run.
 */
const CLOCK = `end=$(($(date +%s) + $1))
until [ -n "$2" ] && { [ -e "$2" ] || [ -L "$2" ]; }; do [ "$(date +%s)" -lt "$end" ] || exit 1; sleep 0.5; done`;

/** Waits for a process, a text in its output, a file, or the time. Changes nothing. */
export const waitFor = (kit: HandsKit) =>
  handsTool(kit, 'wait_for', { timeoutMs: WAIT_SECONDS_MAX * 1_000, polls: true, perform: waitUntil });

async function waitUntil(input: WaitForInput, job: HandsJob): Promise<HandsEnd> {
  const { hands, kit, context } = job;
  const { file, seconds } = input;
  const path = file === undefined ? '' : pathIn(kit.workspace, file);
  const argv = ['/bin/sh', '-c', CLOCK, 'clock', String(seconds), path];
  await beginProcess(job, { argv, timeoutMs: (seconds + 60) * 1_000 });
  try {
    return input.process === undefined ? await untilClock(input, job) : await untilProcess(input.process, input, job);
  } finally {
    // After an abort the clock stays for the next attempt.
    if (!context.signal.aborted) await endProcess(hands, processIdOf(context));
  }
}

const done = (text: string): HandsEnd => ({ outcome: okay(text), report: {} });

async function untilClock({ file, seconds }: WaitForInput, job: HandsJob): Promise<HandsEnd> {
  for (;;) {
    const exit = await exitOfClock(job, LOOK_MS);
    if (exit === undefined) continue;
    if (file === undefined) return done(`${seconds} s are over.`);
    return done(exit === 0 ? `${file} is there.` : `${file} is not there after ${seconds} s.`);
  }
}

async function exitOfClock({ hands, context }: HandsJob, timeoutMs: number): Promise<number | null | undefined> {
  context.signal.throwIfAborted();
  const { exit } = await hands.ask('wait', { process: processIdOf(context), timeoutMs }, ProcessRecord);
  return exit === undefined ? undefined : (exit.code ?? null);
}

/** Reports the text before the end of the process, and both before the end of the time. */
async function untilProcess(number: string, { text, seconds }: WaitForInput, job: HandsJob): Promise<HandsEnd> {
  const process = `${job.context.run}.${number}`;
  const hasText = textFinder(job, process, text);
  for (;;) {
    const record = await job.hands.ask('wait', { process, timeoutMs: LOOK_MS }, ProcessRecord);
    if (await hasText()) return shown(`The output of process ${number} has the text.`, record);
    if (record.exit !== undefined) {
      const without = text === undefined ? '' : ', and its output lacks the text';
      return shown(`Process ${number} is over${without}. ${stateOf(record)}`, record);
    }
    if ((await exitOfClock(job, 0)) !== undefined)
      return shown(
        `${seconds} s are over, and process ${number} still runs. Wait again, or end it with stop_process.`,
        record,
      );
  }
}

const NO_BYTES = Buffer.alloc(0);

/**
 * Looks for a text in what the process has written since the last check. Compares bytes, because a part may end within
 * a character.
 */
function textFinder({ hands }: HandsJob, process: string, text: string | undefined): () => Promise<boolean> {
  const wanted = Buffer.from(text ?? '');
  const read = { stdout: { offset: 0, tail: NO_BYTES }, stderr: { offset: 0, tail: NO_BYTES } };
  const isIn = async (stream: (typeof STREAMS)[number]): Promise<boolean> => {
    const state = read[stream];
    for (let more = true; text !== undefined && more;) {
      const args = { process, stream, offset: state.offset, bytes: PART_BYTES, waitMs: 0 };
      const part = await hands.ask('read', args, OutputPart);
      const seen = Buffer.concat([state.tail, part.data]);
      if (seen.includes(wanted)) return true;
      state.offset += part.data.length;
      state.tail = seen.subarray(-wanted.length);
      more = part.more && part.data.length > 0;
    }
    return false;
  };
  return async () => (await isIn('stdout')) || isIn('stderr');
}

/** The program of a command. Other programs may print a web page. */
const SHELL = /(?:^|\/)bash$/;

/** The end of a wait with the newest output. */
function shown(what: string, { process, program, stdout, stderr }: ProcessRecord): HandsEnd {
  const number = process.slice(process.indexOf('.') + 1);
  const parts = [{ name: 'stdout', stream: stdout } as const, { name: 'stderr', stream: stderr } as const].flatMap(
    ({ name, stream }) => {
      const text = shownOutput(stream, { process: number, name, chars: TAIL_CHARS });
      return text === '' ? [] : [`${name}:\n${text}`];
    },
  );
  const text = [what, ...parts].join('\n');
  return { outcome: SHELL.test(program) ? okay(text) : fromOutside(text), report: {} };
}
