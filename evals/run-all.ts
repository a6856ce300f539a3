import { Failure } from '../local/village/failure.ts';
import type { AttemptResult } from './attempt.ts';
import { readResults, tableOf, writeResults, type Results } from './results.ts';
import type { EvalTask } from './task.ts';

export interface Trial {
  readonly model: string;
  readonly date: string;
  readonly file: string;
  readonly tasks: readonly EvalTask[];
  /** Attempts of each task. */
  readonly attempts: number;
  readonly signal: AbortSignal;
  /** Throws if the village fails, so that the attempt does not count. */
  attempt(task: EvalTask, number: number): Promise<AttemptResult>;
  print(line: string): void;
}

export const usedBy = ({ steps, tokens }: Pick<AttemptResult, 'steps' | 'tokens'>): string =>
  `${steps} steps, ${(tokens / 1_000).toFixed(0)}k tokens`;

const lineOf = (result: AttemptResult): string =>
  `${result.solved ? '✔' : '✖'} ${result.task} ${result.attempt}  ${usedBy(result)}, ${result.minutes} min  ${result.why ?? ''}`;

function attemptsLeft({ tasks, attempts }: Trial, results: Results): { task: EvalTask; number: number }[] {
  const numbers = Array.from({ length: attempts }, (_, at) => at + 1);
  const done = new Set(results.attempts.map(({ task, attempt }) => `${task} ${attempt}`));
  const all = numbers.flatMap((number) => tasks.map((task) => ({ task, number })));
  return all.filter(({ task, number }) => !done.has(`${task.name} ${number}`));
}

/**
 * Runs the attempts that the file of results lacks, and writes each result. An attempt that failed because of the
 * village is left for the next call; a Failure, which the person has to mend first, is thrown. Returns the number of
 * attempts that are left.
 */
export async function runAll(trial: Trial): Promise<number> {
  const { model, date, file, signal, attempt, print } = trial;
  let results = readResults(file, model, date);
  for (const { task, number } of attemptsLeft(trial, results)) {
    if (signal.aborted) break;
    try {
      const result = await attempt(task, number);
      results = { ...results, attempts: [...results.attempts, result] };
      writeResults(file, results);
      print(lineOf(result).trimEnd());
    } catch (error) {
      if (error instanceof Failure) throw error;
      if (!signal.aborted) print(`! ${task.name} ${number}  not counted: ${String(error)}`);
    }
  }
  const left = attemptsLeft(trial, results).length;
  print(`\n${tableOf(results)}`);
  if (left > 0) print(`\nLeft: ${left} of the attempts. The same command continues with them.`);
  return left;
}
