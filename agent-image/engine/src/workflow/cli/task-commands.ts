import { setTimeout as sleep } from 'node:timers/promises';
import { Engine } from '../facade/engine.ts';
import { EngineError, type EngineErrorCode } from '../facade/engine-error.ts';
import { hasEnded, type Task } from '../facade/task.ts';
import type { CommandLine } from './command-line.ts';
import { modelFaults } from './check-models.ts';
import { durationText, tokensText } from './duration-text.ts';
import { machineFault } from './machine-fault.ts';
import { refuseConfig } from './plan-commands.ts';
import { progressLine } from './progress-line.ts';
import { readAnswer, readInput, taskSpec, WrongFlag } from './task-spec.ts';
import { failureText, outputText, questionText, taskText } from './task-text.ts';
import { EXIT, type ExitCode, type Terminal } from './terminal.ts';

type Asked = Extract<CommandLine, { kind: 'command' }>;
/** Works, and returns what to print once the engine is closed and has reported all progress. */
type Work = (engine: Engine) => Promise<() => ExitCode>;

/** Opens the engine of the folder, works with it, and closes it. Prints errors of the engine and of flags. */
async function withEngine({ dir, flags }: Asked, terminal: Terminal, work: Work): Promise<ExitCode> {
  let engine: Engine | null = null;
  try {
    const { data, workspace } = flags;
    engine = await Engine.fromConfigDir(dir, {
      ...(data !== null && { data }),
      ...(workspace !== null && { workspace }),
    });
    const report = await work(engine);
    await engine.close();
    return report();
  } catch (error) {
    if (error instanceof EngineError && error.errors.length > 0)
      return refuseConfig(error.errors, { dir, flags }, terminal);
    const fault = faultOf(error);
    if (fault === null) throw error;
    terminal.err(`${fault}\n`);
    return EXIT.wrong;
  } finally {
    await engine?.close();
  }
}

/** The engine's words name its methods; these are for people without a program. */
const MORE_WORDS: Readonly<Partial<Record<EngineErrorCode, string>>> = {
  handler_missing: 'The command line has no functions: a workflow with "uses: handler" runs from a program.',
  no_such_task: 'The first line of hamlet-engine run has the id of its task.',
};

/** The words of an error that a person can mend; null for others. */
function faultOf(error: unknown): string | null {
  if (error instanceof WrongFlag) return error.message;
  if (error instanceof EngineError) return [error.message, MORE_WORDS[error.code] ?? []].flat().join(' ');
  const fault = machineFault(error);
  return fault && `${fault}\n--data and --workspace name other folders`;
}

/** `run`: creates a task and works on it. */
const runCommand = (asked: Asked, terminal: Terminal): Promise<ExitCode> =>
  withEngine(asked, terminal, async (engine) => {
    const { id } = await engine.createTask(taskSpec(asked.flags));
    return workOn(engine, { ...asked, task: id }, terminal);
  });

/** `resume`: works on a task that was interrupted or waits. One that has ended is shown as it ended. */
const resumeCommand = (asked: Asked, terminal: Terminal): Promise<ExitCode> =>
  withEngine(asked, terminal, async (engine) => {
    const task = engine.task(asked.task);
    if (!hasEnded(task)) return workOn(engine, asked, terminal);
    return () => ended(task, { asked, terminal, time: null });
  });

/** `rerun`: creates a task that repeats another one from a stage on, with the manifests as they are, and works on it. */
const rerunCommand = (asked: Asked, terminal: Terminal): Promise<ExitCode> =>
  withEngine(asked, terminal, async (engine) => {
    const { stage, input } = asked.flags;
    if (stage === null)
      throw new WrongFlag('--stage is missing: name the stage to repeat from, as hamlet-engine inspect shows it');
    const given = input === null ? { stage } : { stage, input: readInput(input) };
    const { id } = await engine.rerunTask(asked.task, given);
    return workOn(engine, { ...asked, task: id }, terminal);
  });

/** Works on a task until it ends, waits for a person, or is stopped. While the model cannot be reached, it tries again when it may. */
async function workOn(engine: Engine, asked: Asked, terminal: Terminal): Promise<() => ExitCode> {
  const { task: id, flags } = asked;
  const stop = new AbortController();
  const began = performance.now();
  const elapsed = (): string => durationText(performance.now() - began).padStart(9);
  engine.events((event) => {
    const line = event.task === id ? progressLine(event) : null;
    if (line !== null) terminal.err(`${elapsed()}  ${line}\n`);
  });
  const faults = await modelFaults(asked.dir, engine.task(id), process.env);
  if (faults.length > 0) return () => unusable(faults, asked, terminal);
  let stopping = Promise.resolve();
  const release = terminal.onStop(() => {
    stop.abort();
    stopping = engine.close();
  });
  try {
    let task = await engine.resumeTask(id, { answers: flags.answers.map(readAnswer) });
    while (task.waiting?.for === 'model' && !stop.signal.aborted) {
      const { code, waitMs } = task.waiting;
      terminal.err(`${elapsed()}  the model cannot be reached (${code}); next attempt in ${durationText(waitMs)}\n`);
      await sleep(waitMs, undefined, { signal: stop.signal });
      task = await engine.resumeTask(id);
    }
    const time = elapsed().trim();
    return () => (stop.signal.aborted ? stopped(asked, terminal) : ended(task, { asked, terminal, time }));
  } catch (error) {
    // The work ends with the engine that a stop closes.
    if (stop.signal.aborted) return () => stopped(asked, terminal);
    throw error;
  } finally {
    release();
    await stopping;
  }
}

const resumeWords = ({ dir, flags: { data, workspace } }: Asked, task: string): string =>
  [
    'hamlet-engine resume',
    dir,
    task,
    ...(data === null ? [] : ['--data', data]),
    ...(workspace === null ? [] : ['--workspace', workspace]),
  ].join(' ');

function unusable(faults: readonly string[], asked: Asked, terminal: Terminal): ExitCode {
  terminal.err(`${faults.join('\n')}\nthen continue with: ${resumeWords(asked, asked.task)}\n`);
  return EXIT.wrong;
}

function stopped(asked: Asked, terminal: Terminal): ExitCode {
  terminal.err(`stopped; continue with: ${resumeWords(asked, asked.task)}\n`);
  return EXIT.stopped;
}

/** `time`: null for a task that had ended before. */
type Ended = Readonly<{ asked: Asked; terminal: Terminal; time: string | null }>;

function ended(task: Task, { asked, terminal, time }: Ended): ExitCode {
  const { id, status, failure, waiting, output, spent } = task;
  if (asked.flags.json) terminal.out(`${JSON.stringify(task)}\n`);
  else if (status === 'COMPLETED') terminal.out(outputText(output));
  if (waiting?.for === 'permission') {
    const answers = waiting.requests.map((request) => ` --answer ${request}=ANSWER`).join('');
    for (const question of waiting.questions) terminal.err(`${questionText(question)}\n`);
    terminal.err(`the task waits for a person; answer with: ${resumeWords(asked, id)}${answers}\n`);
    return EXIT.waiting;
  }
  const tokens = spent.tokens === 0 ? '' : `, ${tokensText(spent.tokens)}`;
  const end = status.toLowerCase();
  terminal.err(`${time === null ? `${end} before` : `${end} in ${time}`}${tokens}\n`);
  if (failure !== null) terminal.err(`${failureText(failure)}\n`);
  return status === 'COMPLETED' ? EXIT.done : EXIT.failed;
}

/** `inspect`: shows a task as the journal has it. */
const inspectCommand = (asked: Asked, terminal: Terminal): Promise<ExitCode> =>
  withEngine(asked, terminal, async (engine) => {
    const task = engine.task(asked.task);
    return () => {
      terminal.out(asked.flags.json ? `${JSON.stringify(task)}\n` : taskText(task));
      if (!hasEnded(task)) terminal.err(`not ended; continue with: ${resumeWords(asked, task.id)}\n`);
      return EXIT.done;
    };
  });

/** `cancel`: cancels a task that no engine works on. One that has ended stays as it is. */
const cancelCommand = (asked: Asked, terminal: Terminal): Promise<ExitCode> =>
  withEngine(asked, terminal, async (engine) => {
    const task = await engine.cancelTask(asked.task);
    const isCancelled = task.status === 'CANCELLED';
    return () => {
      if (asked.flags.json) terminal.out(`${JSON.stringify(task)}\n`);
      else if (isCancelled) terminal.err(`the task ${task.id} is cancelled\n`);
      else terminal.err(`the task ${task.id} has ended before: it is ${task.status.toLowerCase()}\n`);
      return isCancelled ? EXIT.done : EXIT.failed;
    };
  });

/** The commands that work with tasks. Each resolves with its exit code. */
export const TASK_COMMANDS = {
  run: runCommand,
  resume: resumeCommand,
  rerun: rerunCommand,
  inspect: inspectCommand,
  cancel: cancelCommand,
} as const;
