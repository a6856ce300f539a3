/**
 * The end-to-end tests. Without a running village they start one, and remove it with its data at the end. The data of a
 * stopped village is moved aside in the meantime.
 */
import { clusterStatus } from '../../local/village/cluster.ts';
import { isCutOff, setAside } from '../../local/village/commands/kept-data.ts';
import { NODE } from '../../local/village/paths.ts';
import { BACKGROUND } from './pool/pool.ts';
import { sumOf, type FailedTest, type Part, type Print, type Run, type Tally } from './part.ts';
import { keepLast, stream } from './stream.ts';
import { isInGate } from './suites.ts';
import { runFiles, testFiles } from './test-files.ts';

export const VILLAGE_PART: Part = {
  name: 'village',
  does: 'the village on two nodes, end to end',
  needs: ['packages', 'programs'],
  run,
};

/** These tests mostly wait for slots, pods and kubelets. */
const SIDE_BY_SIDE = 3;
const LINES_OF_FAILURE = 30;
const NOTHING: Tally = { passed: 0, failed: 0, failures: [] };

async function run(started: Run): Promise<Tally> {
  const files = testFiles('test/e2e/**/*.test.ts');
  const wanted = files.filter((file) => started.includes(file) && started.before(file) === undefined);
  if (wanted.length === 0) return NOTHING;
  const { print } = started;
  const wasUp = (await clusterStatus()) !== undefined;
  if (!wasUp) await makeRoom(print);
  try {
    // A test that connects a model runs make up again, with the same settings.
    const settings = wasUp ? {} : settingsFor(wanted);
    const failure = await bringUp(print, wasUp ? {} : { FRESH: '1', ...settings });
    if (failure !== undefined) return { passed: 0, failed: 1, failures: [failure] };
    const tallies: Tally[] = [{ ...NOTHING, passed: 1 }];
    for (const { has, workers } of ROUNDS)
      tallies.push(
        await runFiles(
          started,
          files.filter((file) => roundOf(file) === has),
          { workers, environment: settings, rerunAfter: 'make up && ' },
        ),
      );
    return sumOf(tallies);
  } finally {
    if (!wasUp) await stream(print, 'env', ['WIPE=1', NODE, 'local/village/main.ts', 'down']);
  }
}

type Settings = Readonly<Record<string, string>>;

/** The journeys of `make test` need few of the tools of agents: 0.6 GB of image instead of 1.5. */
const settingsFor = (files: readonly string[]): Settings => (files.every(isInGate) ? { TOOLS: 'slim' } : {});

type Round = 'own agents' | 'by day' | 'shared agents' | 'faults';

/** Tests with their own agents run side by side, tests that share the village's agents one at a time, and tests that break it last. */
const ROUNDS: readonly { readonly has: Round; readonly workers: number }[] = [
  { has: 'own agents', workers: SIDE_BY_SIDE },
  { has: 'by day', workers: 1 },
  { has: 'shared agents', workers: 1 },
  { has: 'faults', workers: 1 },
];

/** `standing` does not run beside other files, because agents of other tests could take the seats of its agents. */
function roundOf(file: string): Round {
  if (/\/(tier|schedule|economy|purchases)\.test\.ts$/.test(file)) return 'own agents';
  // Agents decide nothing at night, which takes eight minutes; a new village begins at dawn.
  if (file.endsWith('/minds.test.ts')) return 'by day';
  return file.includes('/fault') ? 'faults' : 'shared agents';
}

/**
 * Moves the data of a stopped village aside. A village that lost power or was killed is taken down first and keeps its
 * data.
 */
async function makeRoom(print: Print): Promise<void> {
  if (isCutOff()) await stream(print, NODE, ['local/village/main.ts', 'down']);
  setAside();
}

/** Builds the images at the priority of the tests that compute beside it, so that these do not stand still meanwhile. */
async function bringUp(print: Print, settings: Settings): Promise<FailedTest | undefined> {
  const { print: printUp, lastLines } = keepLast(print, LINES_OF_FAILURE);
  const variables = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  const village = (command: string, priority: number): Promise<number> =>
    stream(printUp, 'nice', ['-n', String(priority), 'env', ...variables, NODE, 'local/village/main.ts', command]);
  if ((await village('images', BACKGROUND)) !== 0)
    return { what: 'the images could not be built', rerun: 'make images', lastLines: lastLines() };
  const code = await village('up', 0);
  return code === 0 ? undefined : { what: 'the village did not come up', rerun: 'make up', lastLines: lastLines() };
}
