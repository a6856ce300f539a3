import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');

/** A figure, with those of the peers in the same run on the same input. */
export interface Row {
  readonly metric: string;
  readonly unit: string;
  readonly better: 'lower' | 'higher';
  readonly ours: number;
  readonly peers: Readonly<Record<string, number>>;
  readonly target: number | null;
  /** Ratio of our figure to that of the first peer, if the ratio says more than the figure. */
  readonly ratio?: number;
  /** Set when the row was added to the report of an earlier run. */
  readonly measured?: { readonly date: string; readonly commit: string };
}

function commit(): string {
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
  return `${git('rev-parse', 'HEAD')}${git('status', '--porcelain', '--untracked-files=no') === '' ? '' : '-dirty'}`;
}

function machine(): string {
  const [first] = cpus();
  return `${cpus().length} × ${first?.model ?? 'cpu'}, ${Math.round(totalmem() / 2 ** 30)} GiB, node ${process.version}`;
}

const met = ({ better, ours, target }: Row): string => {
  if (target === null) return '';
  return (better === 'lower' ? ours <= target : ours >= target) ? 'met' : 'MISSED';
};

/** The value at a part of the sorted values, from 0 to 1; NaN without values. */
export const percentile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? Number.NaN;

/** The upper median; NaN without values. */
export const medianOf = (values: readonly number[]): number => percentile(values, 0.5);

/** A row of a figure that is better if lower and has neither peers nor a target, unless `figure` says otherwise. */
export const row = (metric: string, unit: string, figure: Pick<Row, 'ours'> & Partial<Row>): Row => ({
  metric,
  unit,
  better: 'lower',
  peers: {},
  target: null,
  ...figure,
});

const round = (value: number): number => Number(value.toPrecision(4));

export function printRows(area: string, rows: readonly Row[]): void {
  console.log(`\n${area}`);
  for (const row of rows) {
    const peers = Object.entries(row.peers).map(([name, value]) => `${name} ${round(value)}`);
    const target = row.target === null ? '' : `target ${row.better === 'lower' ? '≤' : '≥'} ${row.target} ${met(row)}`;
    console.log(
      `  ${row.metric.padEnd(44)} ${String(round(row.ours)).padStart(9)} ${row.unit.padEnd(8)} ${target.padEnd(22)} ${peers.join(', ')}`,
    );
  }
}

interface Report {
  readonly area: string;
  readonly date: string;
  readonly commit: string;
  readonly machine: string;
  readonly rows: readonly Row[];
}

function save(report: Report): string {
  const folder = join(ROOT, 'bench/results');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${report.area}.json`);
  writeFileSync(file, `${JSON.stringify(report, undefined, 2)}\n`);
  return file;
}

/** Writes `bench/results/AREA.json` and prints the rows; returns the file's name. */
export function writeReport(area: string, rows: readonly Row[]): string {
  const file = save({ area, date: new Date().toISOString(), commit: commit(), machine: machine(), rows });
  printRows(area, rows);
  return file;
}

/** Adds rows to the report, replaces rows of the same metrics, and prints them; returns the file's name. */
export function addToReport(area: string, rows: readonly Row[]): string {
  const earlier = join(ROOT, 'bench/results', `${area}.json`);
  if (!existsSync(earlier)) return writeReport(area, rows);
  const report = JSON.parse(readFileSync(earlier, 'utf8')) as Report;
  const measured = { date: new Date().toISOString(), commit: commit() };
  const metrics = new Set(rows.map(({ metric }) => metric));
  const file = save({
    ...report,
    rows: [...report.rows.filter(({ metric }) => !metrics.has(metric)), ...rows.map((row) => ({ ...row, measured }))],
  });
  printRows(area, rows);
  return file;
}
