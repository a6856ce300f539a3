/** The last duration of each test file. The slowest files start first, so that none of them runs alone at the end. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { stateFile } from '../../local/village/paths.ts';

export type Durations = Readonly<Record<string, number>>;

const FILE = 'test-durations.json';
const LISTED = 10;

/** The files, slowest first, after those without a known duration. */
export function slowestFirst(files: readonly string[], known: Durations = durations()): readonly string[] {
  const of = (file: string): number => known[file] ?? Number.POSITIVE_INFINITY;
  return files.toSorted((a, b) => (of(a) === of(b) ? 0 : of(b) - of(a)));
}

/** Milliseconds of each file by its path; empty before the first run of a clone. */
export function durations(): Durations {
  const file = stateFile(FILE);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Durations) : {};
}

/** Stores new durations, and keeps those of other files. */
export function keepDurations(measured: Durations): void {
  writeFileSync(stateFile(FILE), `${JSON.stringify({ ...durations(), ...measured }, null, 2)}\n`);
}

/** The slowest files in a few lines. */
export function slowest(measured: Durations): readonly string[] {
  const sorted = Object.entries(measured).toSorted(([, a], [, b]) => b - a);
  return sorted.slice(0, LISTED).map(([file, ms]) => `${(ms / 1000).toFixed(1).padStart(7)} s  ${file}`);
}
