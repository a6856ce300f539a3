/** The tests beside the code, with real Postgres, Redis and API server where they need them. */
import { globSync } from 'node:fs';
import { ROOT } from '../../village/paths.ts';
import { runNodeTests } from './node-test.ts';
import type { Part } from './part.ts';

/** Where no test beside code is: what others wrote, what is planted for a test, and the village's own part. */
const NOT_HERE = ['**/node_modules', '**/planted', '**/dist', 'test/e2e', 'test/output', '.hamlet'];
const CONCURRENCY = 2;

export const UNIT_PART: Part = {
  name: 'unit',
  does: 'unit and integration tests',
  needs: ['packages', 'programs'],
  run: () => runNodeTests(testFiles('**/*.test.ts', NOT_HERE), { concurrency: CONCURRENCY }),
};

/** Test files by a pattern within the work tree, sorted. */
export function testFiles(pattern: string, exclude: readonly string[] = []): readonly string[] {
  return globSync(pattern, { cwd: ROOT, exclude: [...exclude] }).toSorted();
}
