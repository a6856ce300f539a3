/** Results of evals: a file for each model and day, its table, and a comparison of files. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { AttemptResult } from './attempt.ts';

export interface Results {
  readonly model: string;
  readonly date: string;
  readonly attempts: readonly AttemptResult[];
}

/** The results of a file; without attempts if it does not exist. */
export const readResults = (file: string, model: string, date: string): Results =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Results) : { model, date, attempts: [] };

/** Writes the results, never in part, and their table beside them. */
export function writeResults(file: string, results: Results): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.new`, `${JSON.stringify(results, undefined, 2)}\n`);
  renameSync(`${file}.new`, file);
  writeFileSync(file.replace(/\.json$/, '.md'), `# ${results.model}, ${results.date}\n\n${tableOf(results)}\n`);
}

const row = (cells: readonly string[]): string => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map(row).join('\n');
const byTask = ({ attempts }: Results): Map<string, AttemptResult[]> => Map.groupBy(attempts, ({ task }) => task);

/** Solved attempts, and means of steps, tokens, aiDollars and minutes. */
function cellsOf(attempts: readonly AttemptResult[]): readonly string[] {
  const mean = (value: (attempt: AttemptResult) => number, digits: number): string =>
    (attempts.reduce((sum, attempt) => sum + value(attempt), 0) / Math.max(1, attempts.length)).toFixed(digits);
  return [
    `${attempts.filter(({ solved }) => solved).length} of ${attempts.length}`,
    mean(({ steps }) => steps, 1),
    `${mean(({ tokens }) => tokens / 1_000, 0)}k`,
    mean(({ cost }) => Number(cost), 3),
    mean(({ minutes }) => minutes, 1),
  ];
}

const COLUMNS = ['solved', 'steps', 'tokens', 'ai$', 'minutes'] as const;

/** A row for each task, and one for all. Pure. */
export function tableOf(results: Results): string {
  const rows = [...byTask(results)].toSorted().map(([task, attempts]) => {
    const why = new Set(attempts.flatMap((attempt) => attempt.why ?? []));
    return [task, ...cellsOf(attempts), [...why].join('; ')];
  });
  return table(['task', ...COLUMNS, 'why not'], [...rows, ['**all**', ...cellsOf(results.attempts), '']]);
}

/** A row for each task and a column for each file; the last rows show all tasks. Pure. */
export function comparisonOf(all: readonly Results[]): string {
  const tasks = [...new Set(all.flatMap(({ attempts }) => attempts.map(({ task }) => task)))].toSorted();
  const cell = (attempts: readonly AttemptResult[]): string => {
    const [solved = '', steps = '', tokens = '', cost = '', minutes = ''] = cellsOf(attempts);
    return attempts.length === 0 ? '' : `${solved}, ${steps} steps, ${tokens} tokens, ${cost} ai$, ${minutes} min`;
  };
  return table(
    ['task', ...all.map(({ model, date }) => `${model}, ${date}`)],
    [
      ...tasks.map((task) => [task, ...all.map((results) => cell(byTask(results).get(task) ?? []))]),
      ...COLUMNS.map((name, at) => [`**${name}**`, ...all.map(({ attempts }) => cellsOf(attempts)[at] ?? '')]),
    ],
  );
}
