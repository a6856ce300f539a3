/** The village end to end: brought up if it was not, tested, and taken down again if it was brought up here. */
import { clusterStatus } from '../../village/cluster.ts';
import { NODE } from '../../village/paths.ts';
import { runNodeTests } from './node-test.ts';
import type { Part, Tally } from './part.ts';
import { stream } from './stream.ts';
import { testFiles } from './unit.ts';

export const VILLAGE_PART: Part = { name: 'village', does: 'the village on two nodes, end to end', needs: ['packages', 'programs'], run };

async function run(): Promise<Tally> {
  const wasUp = (await clusterStatus()) !== undefined;
  try {
    const up = (await stream(NODE, ['village/main.ts', 'up'])) === 0;
    if (!up) return { passed: 0, failed: 1 };
    // One at a time, since they share one village; what breaks things comes last.
    const files = testFiles('test/e2e/**/*.test.ts').toSorted((a, b) => Number(isFault(a)) - Number(isFault(b)));
    const tally = await runNodeTests(files, { concurrency: 1 });
    return { ...tally, passed: tally.passed + 1 };
  } finally {
    if (!wasUp) await stream(NODE, ['village/main.ts', 'down']);
  }
}

function isFault(file: string): boolean {
  return file.includes('/fault');
}
