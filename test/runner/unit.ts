/** The tests beside the code, with a real Postgres, Redis and API server if they need them. */
import { availableParallelism } from 'node:os';
import { sumOf, type Part, type Run, type Tally } from './part.ts';
import { fillCompileCache } from './pool/compile-cache.ts';
import { idleProcessors } from './pool/idle.ts';
import { startTestServers } from './servers.ts';
import { poolOf, type Pool } from './suites.ts';
import { runFiles, testFiles } from './test-files.ts';

/** Folders without unit tests: dependencies, fixtures, parts of a journey, and tests of other parts. */
const NOT_HERE = [
  '**/node_modules',
  '**/planted',
  '**/dist',
  'test/e2e',
  'test/env/web/cluster',
  'test/env/web/journey',
  'test/images',
  'test/output',
  '.hamlet',
];
const WAITING_AT_ONCE = 3;
/** Browsers compute much, and their pages give up on slow answers. */
const BROWSING_AT_ONCE = 2;
/** Files that compute run at a lower priority than files that wait. */
const COMPUTING_AT_ONCE = availableParallelism();
/** Most of these files wait too, for databases and processes: further ones run while processors idle. */
const SPARE_COMPUTING = 2 * COMPUTING_AT_ONCE;

export const UNIT_PART: Part = {
  name: 'unit',
  does: 'unit and integration tests',
  needs: ['packages', 'programs'],
  run,
};

/** Two pools at once: computing files, and waiting files followed by browser files. */
async function run(started: Run): Promise<Tally> {
  const files = testFiles('**/*.test.ts', NOT_HERE);
  const [servers] = await Promise.all([startTestServers(), fillCompileCache()]);
  Object.assign(process.env, servers.environment);
  const of = (pool: Pool): readonly string[] => files.filter((file) => poolOf(file) === pool);
  const waiting = async (): Promise<Tally> => {
    const waited = await runFiles(started, of('waiting'), { workers: WAITING_AT_ONCE });
    const browsed = await runFiles(started, of('browsing'), { workers: BROWSING_AT_ONCE });
    started.leaveRoom();
    return sumOf([waited, browsed]);
  };
  try {
    const computed = runFiles(started, of('computing'), {
      workers: COMPUTING_AT_ONCE,
      spare: { workers: SPARE_COMPUTING, turn: idleProcessors },
      inBackground: true,
    });
    return sumOf(await Promise.all([computed, waiting()]));
  } finally {
    await servers.stop();
  }
}
