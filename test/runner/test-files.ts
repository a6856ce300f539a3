/** Runs test files in a pool of workers, prints a line for each, and sums their counts. */
import { globSync } from 'node:fs';
import { ROOT } from '../../local/village/paths.ts';
import { readDurations } from './durations.ts';
import { sumOf, type Run, type Tally } from './part.ts';
import { isInterrupted, runPool, type PoolOptions, type TimedResult } from './pool/pool.ts';

/** In `make test` twice the longest wait for a kubelet; a file of the full suite may take an hour on a slow machine. */
const fileLimitMs = ({ isFull }: Pick<Run, 'isFull'>): number => (isFull ? 60 : 15) * 60_000;

export interface FilesOptions extends Pick<PoolOptions, 'workers' | 'spare' | 'inBackground' | 'environment'> {
  /** Prefix of the command that repeats a failure. */
  readonly rerunAfter?: string;
}

/** Test files by a pattern within the work tree, sorted. */
export function testFiles(pattern: string, exclude: readonly string[] = []): readonly string[] {
  return globSync(pattern, { cwd: ROOT, exclude: [...exclude] }).toSorted();
}

/** Runs those of the files that the run includes and that have not passed before at this commit. */
export async function runFiles(run: Run, files: readonly string[], options: FilesOptions): Promise<Tally> {
  const wanted = files.filter((file) => run.includes(file));
  const before = wanted.map((file) => run.before(file)).filter((result) => result !== undefined);
  if (before.length > 0) run.print(`${before.length} files passed before at this commit`);
  const tallies = [...before];
  await runPool(
    wanted.filter((file) => run.before(file) === undefined),
    { ...options, print: run.print, durations: readDurations(), fileLimitMs: fileLimitMs(run) },
    (result) => {
      const tally = tallyOf(result, { run, options });
      tallies.push(tally);
      // An interruption ends files that have not failed.
      if (!isInterrupted()) run.keep(result.file, { ...tally, seconds: result.ms / 1000 });
      printResult(result, tally, run);
    },
  );
  return sumOf(tallies);
}

/** A file without a test is a failure: a typing error could hide all of its tests. */
function tallyOf(
  { file, passed, skipped, failures }: TimedResult,
  { run, options }: { readonly run: Run; readonly options: FilesOptions },
): Tally {
  const all = passed + skipped + failures.length === 0 ? [{ what: `${file}: it has no tests` }] : failures;
  const rerun = `${options.rerunAfter ?? ''}${commandOf(file, run.isFull)}`;
  return { passed, skipped, failed: all.length, failures: all.map(({ what }) => ({ what, rerun })) };
}

/** The command that runs one file with all that it needs. */
export const commandOf = (file: string, isFull: boolean): string =>
  `make test-one FILE=${file}${isFull ? ' FULL=1' : ''}`;

function printResult(
  { file, ms, cpuMs, failures }: TimedResult,
  { passed, failed, failures: listed }: Tally,
  { print }: Run,
): void {
  const seconds = `${(ms / 1000).toFixed(1)} s, CPU ${(cpuMs / 1000).toFixed(1)} s`;
  print(
    failed === 0
      ? `✔ ${file}  ${passed} tests  ${seconds}`
      : `✖ ${file}  ${failed} of ${passed + failed} failed  ${seconds}`,
  );
  for (const { what } of listed) print(`  ✖ ${what}`);
  for (const { error } of failures) for (const line of error.split('\n')) print(`    ${line}`);
}
