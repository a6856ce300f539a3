/** How long each test file took in the last full run, so that the longest files start first. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../local/village/paths.ts';

/** Seconds of each test file by its path. */
export type Durations = Readonly<Record<string, number>>;

const FILE = join(ROOT, 'test/durations.json');
const LISTED = 10;
/** Files below this are not in the list: their order does not matter. */
const KEPT_FROM_S = 1;

export const readDurations = (): Durations => JSON.parse(readFileSync(FILE, 'utf8')) as Durations;

/** Replaces the entries of the measured files. */
export function keepDurations(measured: Durations): void {
  const all = { ...readDurations(), ...measured };
  const kept = Object.entries(all).filter(([, seconds]) => seconds >= KEPT_FROM_S);
  const lines = kept.toSorted(([a], [b]) => a.localeCompare(b)).map(([file, seconds]) => [file, Math.round(seconds)]);
  writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(lines), null, 2)}\n`);
}

/** The files, longest first; a new file counts as short. */
export const longestFirst = (files: readonly string[], durations: Durations): readonly string[] =>
  files.toSorted((a, b) => (durations[b] ?? 0) - (durations[a] ?? 0));

/** The slowest files in a few lines. */
export function slowest(measured: Durations): readonly string[] {
  const sorted = Object.entries(measured).toSorted(([, a], [, b]) => b - a);
  return sorted.slice(0, LISTED).map(([file, seconds]) => `${seconds.toFixed(1).padStart(7)} s  ${file}`);
}
