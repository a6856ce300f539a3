/** Runs files of node:test and sums their counts. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NODE, ROOT } from '../../local/village/paths.ts';
import { slowest, type Durations } from './durations.ts';
import type { Print, Tally } from './part.ts';
import { stream } from './stream.ts';

/** A test that hangs ends after this long: twice the longest wait for a kubelet. `open-handles.ts` bounds its file. */
const TEST_TIMEOUT_MS = 900_000;
/** At this priority a process gets about a ninth of a processor that other processes use too. */
const BACKGROUND = ['nice', '-n', '10'];

export interface NodeTestOptions {
  /** Test files that run at one time. */
  readonly concurrency: number;
  readonly print: Print;
  /** Runs at a low priority. */
  readonly inBackground?: boolean;
}

interface Counts extends Omit<Tally, 'failures'> {
  readonly failures: readonly { readonly file: string; readonly what: string }[];
  readonly durations: Durations;
}

/** Runs the files, which node:test sorts by name; a run that dies without its counts is one failure. */
export async function runNodeTests(
  files: readonly string[],
  { concurrency, print, inBackground = false }: NodeTestOptions,
): Promise<Tally> {
  if (files.length === 0) return { passed: 0, failed: 0, failures: [] };
  const folder = mkdtempSync(join(tmpdir(), 'hamlet-tests-'));
  const counts = join(folder, 'counts.json');
  try {
    const code = await stream(print, 'env', [
      // The files import much the same modules, so only the first of them strips and compiles a module.
      `NODE_COMPILE_CACHE=${join(folder, 'compiled')}`,
      ...(inBackground ? BACKGROUND : []),
      NODE,
      `--import=${join(ROOT, 'test/runner/hangs/open-handles.ts')}`,
      '--test',
      `--test-concurrency=${concurrency}`,
      `--test-timeout=${TEST_TIMEOUT_MS}`,
      '--test-reporter=spec',
      '--test-reporter-destination=stdout',
      `--test-reporter=${join(ROOT, 'test/runner/count-reporter.ts')}`,
      `--test-reporter-destination=${counts}`,
      ...files,
    ]);
    const tally = readCounts(counts, print);
    if (code === 0 || tally.failed > 0) return tally;
    return {
      ...tally,
      failed: 1,
      failures: [{ what: `node --test ended with ${code} and named no test that failed`, rerun: commandOf(files) }],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Sums the counts of several runs. */
export function sumOf(tallies: readonly Tally[]): Tally {
  const total = (of: (tally: Tally) => number): number => tallies.reduce((sum, tally) => sum + of(tally), 0);
  return {
    passed: total(({ passed }) => passed),
    failed: total(({ failed }) => failed),
    failures: tallies.flatMap(({ failures }) => failures),
  };
}

function readCounts(file: string, print: Print): Tally {
  try {
    const { passed, failed, failures, durations } = JSON.parse(readFileSync(file, 'utf8')) as Counts;
    for (const line of slowest(durations)) print(line);
    return { passed, failed, failures: failures.map((each) => ({ what: each.what, rerun: commandOf([each.file]) })) };
  } catch {
    return { passed: 0, failed: 1, failures: [{ what: 'node --test ended without its counts', rerun: 'make test' }] };
  }
}

const commandOf = (files: readonly string[]): string => ['node_modules/.bin/node --test', ...files].join(' ');
