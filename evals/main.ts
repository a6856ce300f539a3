/** `make eval`: gives tasks to agents of a running village, and writes what became of them. */
import { join, resolve } from 'node:path';
import { Failure, printFailure } from '../local/village/failure.ts';
import { attemptTask, type AttemptResult } from './attempt.ts';
import { openPodAgent, openVillage, type PodAgentOptions, type RunningVillage } from './pod-agent.ts';
import { reachModel } from './reachable-model.ts';
import { comparisonOf, readResults, tableOf, writeResults } from './results.ts';
import { readSettings, type EvalSettings } from './settings.ts';
import { readTasks, type EvalTask } from './task.ts';

const FOLDER = import.meta.dirname;
const PAUSE_MS = 2_000;

const USAGE = `usage: make eval MODEL=URL [MODEL_NAME=name] [MODEL_KEY=key]

Gives each task to an agent of its own in the village of make up, waits for its end, and runs the tests of the task in its hands.
Writes evals/results/MODEL-DATE.json and a table beside it. Ctrl-C stops; the same command continues with what is left.

  MODEL=URL         server with OpenAI's wire; several with commas. MODEL=village: the models that the village has
  MODEL_NAME=       names of models there, with commas; they run one after another and are compared
  MODEL_KEY=, MODEL_KEY_FILE=path   key of the server
  TASKS=            parts of names of tasks, with commas: TASKS=repair,memory
  TASKS_DIR=path    folder with other tasks in Harbor's layout; those that need an image of their own are left out
  ATTEMPTS=1        attempts of each task
  MONEY=0           aiDollars that each agent begins with; they decide its tier
  DATE=2026-01-31   continues the results of that day
  COMPARE=a.json,b.json   compares results and runs nothing
  CLUSTER=current NAMESPACE=hamlet   the village of kubectl's context, with HAMLET_URL and HAMLET_TOKEN`;

interface Trial {
  readonly village: RunningVillage;
  readonly options: PodAgentOptions;
  readonly attempts: number;
  readonly tasks: readonly EvalTask[];
}

const usedBy = ({ steps, tokens }: Pick<AttemptResult, 'steps' | 'tokens'>): string =>
  `${steps} steps, ${(tokens / 1_000).toFixed(0)}k tokens`;

/** Shows progress in place on a terminal. */
function showNow(text: string): void {
  if (process.stdout.isTTY) process.stdout.write(`\r\u001B[K${text}`);
}

async function attempt({ village, options }: Trial, task: EvalTask, number: number): Promise<AttemptResult> {
  showNow(`… ${task.name} ${number}  starting an agent`);
  const { close, ...agent } = await openPodAgent(village, options);
  try {
    const { client } = village;
    const shared = { client, signal: options.signal, pauseMs: PAUSE_MS };
    return await attemptTask(
      {
        ...agent,
        ...shared,
        onProgress: ({ state, usage }) => showNow(`… ${task.name} ${number}  ${state}, ${usedBy(usage)}`),
      },
      task,
      number,
    );
  } finally {
    await close();
  }
}

/** Prints the result of an attempt. One that the village broke is named and left for the next call. */
async function countedAttempt(...given: Parameters<typeof attempt>): Promise<AttemptResult | null> {
  const [{ options }, { name }, number] = given;
  const result = await attempt(...given).catch((error: unknown) => String(error));
  showNow('');
  if (typeof result === 'string') {
    if (!options.signal.aborted) console.error(`! ${name} ${number}  not counted: ${result}`);
    return null;
  }
  const { solved, minutes, why } = result;
  console.log(`${solved ? '✔' : '✖'} ${name} ${number}  ${usedBy(result)}, ${minutes} min  ${why ?? ''}`.trimEnd());
  return result;
}

/** Runs the attempts that the results lack. */
async function runAll(trial: Trial, file: string, [model, date]: readonly [string, string]): Promise<void> {
  let results = readResults(file, model, date);
  const isDone = (task: string, number: number): boolean =>
    results.attempts.some((each) => each.task === task && each.attempt === number);
  console.log(`\n${model}: ${trial.tasks.length} tasks, results in ${file}`);
  for (let number = 1; number <= trial.attempts; number += 1)
    for (const task of trial.tasks) {
      if (trial.options.signal.aborted || isDone(task.name, number)) continue;
      const result = await countedAttempt(trial, task, number);
      if (result !== null) results = { ...results, attempts: [...results.attempts, result] };
      writeResults(file, results);
    }
  console.log(`\n${tableOf(results)}`);
}

/** Runs the tasks with one model; returns the file of its results. */
async function evaluate(settings: EvalSettings, at: number, signal: AbortSignal): Promise<string> {
  const { models, money, attempts, date, cluster, tasksDir = join(FOLDER, 'tasks'), only } = settings;
  const { tasks, unfit } = readTasks(resolve(tasksDir), only);
  for (const { name, why } of unfit) console.log(`– ${name}  left out: ${why}`);
  if (tasks.length === 0)
    throw new Failure('no task is left to run', 'see TASKS and TASKS_DIR in make eval ARGS=--help');
  const wanted = models[at];
  const village = await openVillage(settings);
  const model = wanted === undefined || wanted.MODEL === 'village' ? null : await reachModel(wanted, cluster);
  try {
    const name = model?.offer.model ?? 'village';
    const file = join(FOLDER, 'results', `${name.replaceAll(/[^\w.-]+/g, '-')}-${date}.json`);
    await runAll({ village, options: { money, model, signal }, attempts, tasks }, file, [name, date]);
    return file;
  } finally {
    model?.close();
  }
}

async function main(args: readonly string[]): Promise<void> {
  if (args.includes('--help')) return console.log(USAGE);
  const settings = readSettings(process.env);
  const stopping = new AbortController();
  process.once('SIGINT', () => {
    console.log('\nStopping: the run is cancelled and its agent deleted. Ctrl-C again ends at once.');
    stopping.abort(new Error('stopped'));
    process.exitCode = 130;
  });
  const files = [...settings.compare];
  for (const at of settings.models.keys())
    if (!stopping.signal.aborted) files.push(await evaluate(settings, at, stopping.signal));
  if (files.length > 1) console.log(`\n${comparisonOf(files.map((file) => readResults(file, file, 'not found')))}`);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  printFailure(error);
  process.exitCode = 1;
}
