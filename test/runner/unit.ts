/** The tests beside the code, with real Postgres, Redis and API server where they need them. */
import { globSync } from 'node:fs';
import { ROOT } from '../../village/paths.ts';
import { runNodeTests } from './node-test.ts';
import type { Part } from './part.ts';

const FOLDERS = 'agent-image,api,bench,charts,crds,dev,kube,operator,test/env,test/runner,test/simulation,test/tidy,village,web';
const CONCURRENCY = 2;

export const UNIT_PART: Part = {
  name: 'unit',
  does: 'unit and integration tests',
  needs: ['packages', 'programs'],
  run: () => runNodeTests(testFiles(`{${FOLDERS}}/**/*.test.ts`), { concurrency: CONCURRENCY }),
};

/** Test files by a pattern within the work tree, sorted. */
export function testFiles(pattern: string): readonly string[] {
  return globSync(pattern, { cwd: ROOT, exclude: ['**/node_modules', '**/planted'] }).toSorted();
}
