/**
 * The end-to-end tests. Without a running village they start one, and remove it with its data at the end. If the
 * person who runs the tests has a stopped village, its data is set aside in the meantime.
 */
import { clusterStatus } from '../../local/village/cluster.ts';
import { isCutOff, setAside } from '../../local/village/commands/kept-data.ts';
import { NODE } from '../../local/village/paths.ts';
import { runNodeTests, sumOf } from './node-test.ts';
import type { FailedTest, Part, Print, Tally } from './part.ts';
import { keepLast, stream } from './stream.ts';
import { testFiles } from './unit.ts';

export const VILLAGE_PART: Part = {
  name: 'village',
  does: 'the village on two nodes, end to end',
  needs: ['packages', 'programs'],
  run,
};

/** These tests mostly wait for slots, pods and kubelets. */
const SIDE_BY_SIDE = 3;
const LINES_OF_FAILURE = 30;

async function run(print: Print): Promise<Tally> {
  const wasUp = (await clusterStatus()) !== undefined;
  if (!wasUp) await makeRoom(print);
  try {
    const failure = await bringUp(print, wasUp);
    if (failure !== undefined) return { passed: 0, failed: 1, failures: [failure] };
    const files = testFiles('test/e2e/**/*.test.ts');
    // Tests with their own agents run in parallel, tests that share the village's agents one at a time, and tests that break it last.
    const apart = files.filter((file) => !keepsToItself(file));
    const together = await runNodeTests(files.filter(keepsToItself), { concurrency: SIDE_BY_SIDE, print });
    const byDay = await runNodeTests(apart.filter(needsTheDay), { concurrency: 1, print });
    const alone = await runNodeTests(
      apart.filter((file) => !isFault(file) && !needsTheDay(file)),
      { concurrency: 1, print },
    );
    const faults = await runNodeTests(apart.filter(isFault), { concurrency: 1, print });
    const cameUp = { passed: 1, failed: 0, failures: [] };
    return needingTheVillage(sumOf([cameUp, together, byDay, alone, faults]));
  } finally {
    if (!wasUp) await stream(print, 'env', ['WIPE=1', NODE, 'local/village/main.ts', 'down']);
  }
}

/** Sets the data of a stopped village aside. A village that was cut off is taken down first, with its data kept. */
async function makeRoom(print: Print): Promise<void> {
  if (isCutOff()) await stream(print, NODE, ['local/village/main.ts', 'down']);
  setAside();
}

async function bringUp(print: Print, wasUp: boolean): Promise<FailedTest | undefined> {
  const { print: printUp, lastLines } = keepLast(print, LINES_OF_FAILURE);
  const code = await stream(printUp, 'env', [...(wasUp ? [] : ['FRESH=1']), NODE, 'local/village/main.ts', 'up']);
  return code === 0 ? undefined : { what: 'the village did not come up', rerun: 'make up', lastLines: lastLines() };
}

/** Adds to the command of a failed test that it needs a running village. */
function needingTheVillage(tally: Tally): Tally {
  return {
    ...tally,
    failures: tally.failures.map((failure) => ({ ...failure, rerun: `make up && ${failure.rerun}` })),
  };
}

/** `standing` is absent: agents that rise in the tests beside it could take the seats of its agents. */
function keepsToItself(file: string): boolean {
  return /\/(tier|schedule|economy|purchases)\.test\.ts$/.test(file);
}

/** Agents decide nothing at night, which takes eight minutes; a new village begins at dawn. */
function needsTheDay(file: string): boolean {
  return file.endsWith('/minds.test.ts');
}

function isFault(file: string): boolean {
  return file.includes('/fault');
}
