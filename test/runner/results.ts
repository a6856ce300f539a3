/**
 * Results of the full suite by commit, in test/results: an interrupted run continues where it ended, and a failure names
 * the commit since which it fails.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { ROOT } from '../../local/village/paths.ts';

const FOLDER = join(ROOT, 'test/results');
/** Number of commits in which the first failure is searched. */
const COMMITS = 500;

const Result = z.object({ passed: z.number(), failed: z.number(), seconds: z.number(), date: z.string() });
const Results = z.record(z.string(), Result);
export type UnitResult = z.infer<typeof Result>;
/** The results of a commit by the name of their unit: a test file, or a program that counts its own tests. */
export type UnitResults = Readonly<Record<string, UnitResult>>;

/**
 * The present commit; null if the work tree differs from it, because results then belong to no commit. A full run
 * rewrites the durations.
 */
export function cleanCommit(): string | null {
  const changed = git('status', '--porcelain', '--untracked-files=no', '--', '.', ':!test/durations.json');
  return changed === '' ? git('rev-parse', 'HEAD') : null;
}

const git = (...args: readonly string[]): string => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
const fileOf = (commit: string): string => join(FOLDER, `${commit}.json`);

/** The stored results of a commit; empty if there are none or their file is damaged. */
export function readResults(commit: string): UnitResults {
  const file = fileOf(commit);
  if (!existsSync(file)) return {};
  try {
    return Results.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return {};
  }
}

export function writeResults(commit: string, results: UnitResults): void {
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(fileOf(commit), `${JSON.stringify(results, null, 1)}\n`);
}

/** The stored results of the last commits, newest first. */
export function history(): readonly Kept[] {
  const commits = git('log', `--max-count=${COMMITS}`, '--format=%H').split('\n');
  return commits
    .filter((commit) => existsSync(fileOf(commit)))
    .map((commit) => ({ commit, results: readResults(commit) }));
}

export interface Kept {
  readonly commit: string;
  readonly results: UnitResults;
}

/** The first commit at which a unit fails after the last one at which it passed. Takes the newest first. */
export function redSince(unit: string, kept: readonly Kept[], now: Date): string {
  const known = kept.flatMap(({ commit, results: { [unit]: result } }) =>
    result === undefined ? [] : [{ commit, ...result }],
  );
  const green = known.findIndex(({ failed }) => failed === 0);
  const first = known[(green < 0 ? known.length : green) - 1];
  if (first === undefined) return 'red for the first time';
  const hours = Math.round((now.getTime() - Date.parse(first.date)) / 3_600_000);
  const last = known[green];
  return `red since ${short(first.commit)} (${hours} h), ${last === undefined ? 'no green result is stored' : `green at ${short(last.commit)}`}`;
}

const short = (commit: string): string => commit.slice(0, 8);
