/** Runs files of node:test and sums what they counted. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NODE, ROOT } from '../../village/paths.ts';
import type { Tally } from './part.ts';
import { stream } from './stream.ts';

/** A test that hangs ends after this long: twice the longest wait for a kubelet. */
const TEST_TIMEOUT_MS = 900_000;

export interface NodeTestOptions {
  /** Test files that run at one time. */
  readonly concurrency: number;
}

/** Runs the files in their order; a run that dies without its counts is one failure. */
export async function runNodeTests(files: readonly string[], { concurrency }: NodeTestOptions): Promise<Tally> {
  if (files.length === 0) return { passed: 0, failed: 0, failures: [] };
  const folder = mkdtempSync(join(tmpdir(), 'hamlet-tests-'));
  const counts = join(folder, 'counts.json');
  try {
    const code = await stream(NODE, [
      '--test',
      `--test-concurrency=${concurrency}`,
      `--test-timeout=${TEST_TIMEOUT_MS}`,
      '--test-reporter=spec',
      '--test-reporter-destination=stdout',
      `--test-reporter=${join(ROOT, 'test/runner/count-reporter.ts')}`,
      `--test-reporter-destination=${counts}`,
      ...files,
    ]);
    const tally = parseCounts(counts);
    return code !== 0 && tally.failed === 0 ? { ...tally, failed: 1, failures: [`node --test ended with ${code} and told no test that failed`] } : tally;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function parseCounts(file: string): Tally {
  try {
    const { passed, failed, failures } = JSON.parse(readFileSync(file, 'utf8')) as Tally;
    return { passed, failed, failures };
  } catch {
    return { passed: 0, failed: 1, failures: ['node --test ended without its counts'] };
  }
}
