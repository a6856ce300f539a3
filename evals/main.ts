/** `make eval`: gives tasks to agents of a running village, and writes the results. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Run } from '@hamlet/contract';
import { Failure, printFailure } from '../local/village/failure.ts';
import { attemptTask, type AttemptResult } from './attempt.ts';
import { openPodAgent, openVillage, type PodAgentOptions } from './pod-agent.ts';
import { reachModel } from './reachable-model.ts';
import { comparisonOf, readResults } from './results.ts';
import { runAll, usedBy } from './run-all.ts';
import { modelsOf, readSettings, type EvalSettings } from './settings.ts';
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

/** Shows progress in place on a terminal. */
function showNow(text: string): void {
  if (process.stdout.isTTY) process.stdout.write(`\r\u001B[K${text}`);
}

async function attemptIn(village: PodAgentOptions, task: EvalTask, number: number): Promise<AttemptResult> {
  const show = (text: string): void => showNow(`… ${task.name} ${number}  ${text}`);
  show('starting an agent');
  const { close, ...agent } = await openPodAgent(village);
  const onProgress = ({ state, usage }: Run): void => show(`${state}, ${usedBy(usage)}`);
  try {
    return await attemptTask({ ...agent, ...village, pauseMs: PAUSE_MS, onProgress }, task, number);
  } finally {
    await close();
    showNow('');
  }
}

/** Runs the tasks with one model; returns the file of its results. */
async function evaluate(settings: EvalSettings, env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<string> {
  const { TASKS_DIR = join(FOLDER, 'tasks'), TASKS, MONEY: money, ATTEMPTS: attempts, DATE: date, CLUSTER } = settings;
  if (!existsSync(TASKS_DIR)) throw new Failure(`${TASKS_DIR} does not exist`, 'set TASKS_DIR to a folder of tasks');
  const { tasks, unfit } = readTasks(resolve(TASKS_DIR), TASKS);
  for (const { name, why } of unfit) console.log(`– ${name}  left out: ${why}`);
  if (tasks.length === 0)
    throw new Failure('no task is left to run', 'see TASKS and TASKS_DIR in make eval ARGS=--help');
  const village = await openVillage(settings);
  const model = env['MODEL'] === 'village' ? null : await reachModel(env, CLUSTER);
  try {
    const name = model?.offer.model ?? 'village';
    const file = join(FOLDER, 'results', `${name.replaceAll(/[^\w.-]+/g, '-')}-${date}.json`);
    console.log(`\n${name}: ${tasks.length} tasks, results in ${file}`);
    const attempt = (task: EvalTask, number: number) => attemptIn({ ...village, money, model, signal }, task, number);
    const left = await runAll({ model: name, date, file, tasks, attempts, signal, attempt, print: console.log });
    if (left > 0) process.exitCode = 1;
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
  });
  const files = [...settings.COMPARE];
  const missing = files.find((file) => !existsSync(file));
  if (missing !== undefined) throw new Failure(`${missing} does not exist`, 'name files of evals/results');
  for (const model of modelsOf(settings))
    if (!stopping.signal.aborted) files.push(await evaluate(settings, { ...process.env, ...model }, stopping.signal));
  if (files.length > 1) console.log(`\n${comparisonOf(files.map((file) => readResults(file, '', '')))}`);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  printFailure(error);
  process.exitCode = 1;
}
