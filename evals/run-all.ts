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

const isDone = ({ attempts }: Results, name: string, number: number): boolean =>
  attempts.some(({ task, attempt }) => task === name && attempt === number);

/**
 * Runs the attempts that the file of results lacks, and writes each result. One that the village broke is left for the next call; a
 * Failure, which the person has to mend first, is thrown. Returns the number of attempts that are left.
 */
export async function runAll({ model, date, file, tasks, attempts, signal, attempt, print }: Trial): Promise<number> {
  let results = readResults(file, model, date);
  const numbers = Array.from({ length: attempts }, (_, at) => at + 1);
  const all = numbers.flatMap((number) => tasks.map((task) => ({ task, number })));
  for (const { task, number } of all) {
    const { name } = task;
    if (signal.aborted || isDone(results, name, number)) continue;
    try {
      const result = await attempt(task, number);
      results = { ...results, attempts: [...results.attempts, result] };
      writeResults(file, results);
      const { solved, minutes, why } = result;
      print(`${solved ? '✔' : '✖'} ${name} ${number}  ${usedBy(result)}, ${minutes} min  ${why ?? ''}`.trimEnd());
    } catch (error) {
      if (error instanceof Failure) throw error;
      if (!signal.aborted) print(`! ${name} ${number}  not counted: ${error instanceof Error ? error.message : error}`);
    }
  }
  const left = all.filter(({ task, number }) => !isDone(results, task.name, number)).length;
  print(`\n${tableOf(results)}`);
  if (left > 0) print(`\n${left} attempts are left: the same command continues with them.`);
  return left;
}
