/** The tests of the project, with their set-up: what `make test`, `make test-full` and `make test-one` run. */
import { existsSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { performance } from 'node:perf_hooks';
import { printFailure } from '../local/village/failure.ts';
import { ROOT } from '../local/village/paths.ts';
import { keepDurations, slowest } from './runner/durations.ts';
import { endAtDeadline } from './runner/pool/deadline.ts';
import { isInterrupted, startNoMoreFiles } from './runner/pool/pool.ts';
import { GO_PART } from './runner/go.ts';
import { leftovers, markProcesses } from './runner/leftovers.ts';
import { LINT_PART } from './runner/lint.ts';
import { CLUSTER_PART, IMAGES_PART } from './runner/full-parts.ts';
import { type Part, type Print, type Run, sumOf, type Tally } from './runner/part.ts';
import { changedSince, reachedTests, readImports } from './runner/reach.ts';
import { cleanCommit, history, readResults, redSince, type UnitResult, writeResults } from './runner/results.ts';
import { isInGate } from './runner/suites.ts';
import { UNIT_PART } from './runner/unit.ts';
import { VILLAGE_PART } from './runner/village.ts';
import { buildPrograms } from '../local/village/cluster.ts';
import { run } from '../local/village/command.ts';
import { runSteps, type Step } from '../local/village/steps.ts';

/** Installs packages and builds programs for the parts that need them. */
async function setUp(parts: readonly Part[]): Promise<void> {
  const needs = new Set(parts.flatMap((part) => part.needs));
  const steps: Step[] = [];
  if (needs.has('packages')) {
    steps.push({
      name: 'packages',
      work: async ({ log, doing }) =>
        void (await run('bash', ['local/village/packages.sh', 'up', 'test'], { log, doing })),
    });
  }
  if (needs.has('programs')) steps.push({ name: 'programs', work: buildPrograms });
  // Tests that need the programs fail from here on if there are none, instead of being skipped.
  process.env['HAMLET_TEST_BUILT'] = '1';
  if (steps.length > 0) await runSteps('Hamlet: setting up the tests', steps);
}

/** The parts of one lane run in order. The first lane computes, the second waits for clusters. */
const LANES: readonly (readonly Part[])[] = [
  [LINT_PART, UNIT_PART],
  [GO_PART, CLUSTER_PART, VILLAGE_PART, IMAGES_PART],
];
const PARTS = LANES.flat();
/** Both lanes together use about 6 GiB. */
const MEMORY_FOR_BOTH_BYTES = 12 * 1024 ** 3;
/** With fewer, the second lane waits until the first leaves room: side by side, both would miss their deadlines. */
const PROCESSORS_FOR_BOTH = 4;
/** Below the 90 minutes of the project's CI, so that its output names what hung. */
const MINUTES = 75;
const LONGEST_FAILURE = 300;
const NAME_WIDTH = Math.max(...PARTS.map(({ name }) => name.length)) + 1;
const USAGE = `usage: test/run.ts [--full] [--file FILE] [--changed REF] [--only PART,PART] [--serial] [--minutes N]

Runs the tests and prints "N passed, N failed" as its last line.

  --full     the full suite: all files and all cases; skips what has passed at this commit, keeps its results
             in test/results, and says since which commit a failure exists
  --file     one test file with all that it needs
  --changed  lint, and the unit tests and Go that a change since this reference can reach (CHANGED=... does the same)
  --only     parts to run: ${PARTS.map(({ name }) => name).join(', ')} (ONLY=... does the same)
  --serial   one part after the other; this is the default with --full, and below 12 GiB of memory
  --minutes  ends the test files that still run after this many minutes, and counts them as failures;
             default: ${MINUTES}, and no limit with --full
  --help     this text`;

interface Choice {
  readonly lanes: readonly (readonly Part[])[];
  readonly isFull: boolean;
  /** The chosen test files; null for all of the suite. */
  readonly files: ReadonlySet<string> | null;
}

/**
 * Runs the lanes side by side; with few processors, the second starts when the first leaves room. A part that throws counts as one
 * failure, and the next part of its lane still runs.
 */
async function runLanes(choice: Choice, lanes: Choice['lanes']): Promise<Tally> {
  const memory = remember(choice);
  const room = Promise.withResolvers<void>();
  if (availableParallelism() >= PROCESSORS_FOR_BOTH) room.resolve();
  const shared = { ...memory, leaveRoom: room.resolve };
  const tallies = await Promise.all(
    lanes.map(async (parts, index) => {
      if (index > 0) await room.promise;
      const done: Tally[] = [];
      for (const part of parts) if (!isInterrupted()) done.push(await runPart(part, choice, shared));
      room.resolve();
      return done;
    }),
  );
  for (const line of slowest(memory.seconds())) console.log(line);
  return memory.explain(sumOf(tallies.flat()));
}

/** The results of the units of this run. A full run stores them by commit, if the work tree has no other changes. */
function remember({ isFull, files }: Choice): Pick<Run, 'before' | 'keep'> & {
  readonly seconds: () => Readonly<Record<string, number>>;
  readonly explain: (tally: Tally) => Tally;
} {
  const commit = isFull && files === null ? cleanCommit() : null;
  const results: Record<string, UnitResult> = commit === null ? {} : { ...readResults(commit) };
  const passed = Object.fromEntries(Object.entries(results).filter(([, { failed }]) => failed === 0));
  const seconds = (): Readonly<Record<string, number>> =>
    Object.fromEntries(Object.entries(results).map(([unit, result]) => [unit, result.seconds]));
  return {
    before: (unit) => (passed[unit] === undefined ? undefined : { ...passed[unit], failures: [] }),
    keep: (unit, result) => {
      results[unit] = {
        passed: result.passed,
        failed: result.failed,
        seconds: result.seconds,
        date: new Date().toISOString(),
      };
      if (commit !== null) writeResults(commit, results);
    },
    seconds,
    explain: (tally) => {
      if (!isFull) return tally;
      keepDurations(seconds());
      const kept = commit === null ? [] : history();
      const red = Object.entries(results).filter(([, { failed }]) => failed > 0);
      for (const [unit] of red) console.log(`✖ ${unit}: ${redSince(unit, kept, new Date())}`);
      return tally;
    },
  };
}

/** Members of a run that all its parts share. */
type Shared = Pick<Run, 'before' | 'keep' | 'leaveRoom'>;

async function runPart(part: Part, { isFull, files }: Choice, shared: Shared): Promise<Tally> {
  const started = performance.now();
  const print: Print = (line) => console.log(`${part.name.padEnd(NAME_WIDTH)}│ ${line}`);
  print(`── ${part.does}`);
  const includes = (file: string): boolean => files?.has(file) ?? (isFull || isInGate(file));
  const known = part.isOneUnit === true ? shared.before(part.name) : undefined;
  if (known !== undefined) {
    print('passed before at this commit');
    return known;
  }
  const tally = await part.run({ print, isFull, includes, ...shared }).catch((error: unknown): Tally => {
    printFailure(error);
    return { passed: 0, failed: 1, failures: [{ what: String(error), rerun: `make test ONLY=${part.name}` }] };
  });
  const seconds = (performance.now() - started) / 1000;
  print(`── ${countsOf(tally)} in ${seconds.toFixed(0)} s`);
  if (part.isOneUnit === true) shared.keep(part.name, { ...tally, seconds });
  return {
    ...tally,
    failures: tally.failures.map((failure) => ({ ...failure, what: `${part.name}: ${failure.what}` })),
  };
}

const countsOf = ({ passed, failed, skipped = 0 }: Tally): string =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;

/** An additional test that passes when all processes of the tests have ended. */
async function checkLeftovers(): Promise<Tally> {
  const left = (await leftovers()).map((line) => ({ what: `still running: ${line}`, rerun: 'make test' }));
  return left.length === 0
    ? { passed: 1, failed: 0, failures: [] }
    : { passed: 0, failed: left.length, failures: left };
}

/** An interrupted run has not passed, even if all that ran has. */
function cutShort(): readonly Tally[] {
  const failure = { what: 'the run was interrupted', rerun: 'make test' };
  return isInterrupted() ? [{ passed: 0, failed: 1, failures: [failure] }] : [];
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      full: { type: 'boolean', default: false },
      serial: { type: 'boolean', default: false },
      only: { type: 'string' },
      file: { type: 'string' },
      changed: { type: 'string' },
      minutes: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return;
  }
  if (values.full) process.env['HAMLET_TEST_FULL'] = '1';
  const choice = chooseFrom(values);
  markProcesses();
  const started = performance.now();
  if (!values.full || values.minutes !== undefined) endAtDeadline(minutesOf(values.minutes));
  await setUp(choice.lanes.flat());
  // Full counts compute for minutes: a village that ran at the same time would miss its deadlines.
  const isSerial = values.serial || values.full || totalmem() < MEMORY_FOR_BOTH_BYTES;
  const ran = await runLanes(choice, isSerial ? [choice.lanes.flat()] : choice.lanes);
  report(sumOf([ran, await checkLeftovers(), ...cutShort()]), performance.now() - started);
}

interface Values {
  readonly full: boolean;
  readonly only?: string;
  readonly file?: string;
  readonly changed?: string;
}

function chooseFrom({ full: isFull, only, file, changed }: Values): Choice {
  const names = only ?? process.env['ONLY'];
  const since = changed ?? process.env['CHANGED'];
  if (file !== undefined) return { lanes: [[partOf(testFile(file))]], isFull, files: new Set([testFile(file)]) };
  const lanes = chosenLanes(names).map((parts) =>
    parts.filter(({ onlyInFull }) => isFull || onlyInFull !== true || names !== undefined),
  );
  if (since === undefined) return { lanes, isFull, files: null };
  const changes = changedSince(since);
  const isGo = changes.some((each) => /\.go$|\/go\.(mod|sum)$/.test(each));
  const files = reachedTests(readImports(), changes).filter((each) => isFull || isInGate(each));
  console.log(`${files.length} test files can be reached by what has changed since ${since}`);
  return {
    lanes: lanes.map((parts) =>
      parts.filter((part) => part === LINT_PART || part === UNIT_PART || (part === GO_PART && isGo)),
    ),
    isFull,
    files: new Set(files),
  };
}

/** The file's path from the root of the work tree. */
function testFile(given: string): string {
  const file = relative(ROOT, resolve(given));
  if (!file.endsWith('.test.ts') || !existsSync(join(ROOT, file)))
    throw new Error(`there is no test file ${given}: make test-one FILE=path/to/file.test.ts`);
  return file;
}

/** The part that runs a test file. */
function partOf(file: string): Part {
  if (file.startsWith('test/e2e/')) return VILLAGE_PART;
  return file.startsWith('test/images/') ? IMAGES_PART : UNIT_PART;
}

function minutesOf(text: string | undefined): number {
  const minutes = Number(text ?? MINUTES);
  if (!Number.isFinite(minutes) || minutes <= 0)
    throw new Error(`--minutes takes a number above 0, not ${text}\n${USAGE}`);
  return minutes;
}

function chosenLanes(names: string | undefined): readonly (readonly Part[])[] {
  const chosen = names?.split(',');
  const unknown = chosen?.filter((name) => !PARTS.some((part) => part.name === name)) ?? [];
  if (unknown.length > 0) throw new Error(`no such part: ${unknown.join(', ')}\n${USAGE}`);
  return LANES.map((parts) => parts.filter(({ name }) => chosen?.includes(name) ?? true));
}

/** Prints the failures at the end of a long run, with the command that repeats each. */
function report({ passed, failed, failures }: Tally, tookMs: number): void {
  console.log(`\nthe run took ${(tookMs / 60_000).toFixed(1)} min`);
  for (const { what, rerun, lastLines = [] } of failures) {
    console.log(`✖ ${what.slice(0, LONGEST_FAILURE)}\n    ${rerun}`);
    for (const line of lastLines) console.log(`    │ ${line.slice(0, LONGEST_FAILURE)}`);
  }
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}

// Ctrl-C reaches the child programs too; this process still stops everything that it started before it ends.
process.on('SIGINT', () => {
  console.error('interrupted: ending what was started');
  startNoMoreFiles();
});

try {
  await main();
} catch (error) {
  printFailure(error);
  console.log('0 passed, 1 failed');
  process.exitCode = 1;
}
