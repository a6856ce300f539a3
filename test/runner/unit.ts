/** The tests beside the code, with a real Postgres, Redis and API server if they need them. */
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { startTestServers } from './servers.ts';
import { ROOT } from '../../local/village/paths.ts';
import { runNodeTests, sumOf } from './node-test.ts';
import type { Part, Print, Tally } from './part.ts';

/** Folders without unit tests: dependencies, fixtures, and tests of other parts. */
const NOT_HERE = ['**/node_modules', '**/planted', '**/dist', 'test/e2e', 'test/images', 'test/output', '.hamlet'];
/** Tests that download hundreds of megabytes run in the full suite alone. */
const ONLY_IN_FULL = 'test/model';
/** Tests of these folders mostly wait for leases, backoffs, slots and watches, and use little CPU. */
const WAITING =
  /^(operator|cli\/kubectl|kube|local\/village|test\/(runtime|schedules|drift|storm|simulation|plugin))\//;
const WAITING_AT_ONCE = 2;
/** Files that compute run at a lower priority than files that wait. */
const COMPUTING_AT_ONCE = availableParallelism();

export const UNIT_PART: Part = {
  name: 'unit',
  does: 'unit and integration tests',
  needs: ['packages', 'programs'],
  run,
};

/** Two pools: files that compute, one for each processor, and files that wait. */
async function run(print: Print): Promise<Tally> {
  const isFull = process.env['HAMLET_TEST_FULL'] === '1';
  const files = testFiles('**/*.test.ts', isFull ? NOT_HERE : [...NOT_HERE, ONLY_IN_FULL]);
  const servers = await startTestServers();
  Object.assign(process.env, servers.environment);
  const pools = await Promise.all([
    runNodeTests(
      files.filter((file) => !WAITING.test(file)),
      { concurrency: COMPUTING_AT_ONCE, print, inBackground: true },
    ),
    runNodeTests(
      files.filter((file) => WAITING.test(file)),
      { concurrency: WAITING_AT_ONCE, print },
    ),
  ]).finally(() => servers.stop());
  return sumOf(pools);
}

/** Test files by a pattern within the work tree, sorted. */
export function testFiles(pattern: string, exclude: readonly string[] = []): readonly string[] {
  return globSync(pattern, { cwd: ROOT, exclude: [...exclude] }).toSorted();
}
