/** Every test of the project, with its set-up: what `make test` runs. */
import { availableParallelism, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { performance } from 'node:perf_hooks';
import { printFailure } from '../local/village/failure.ts';
import { CLUSTER_PART } from './runner/cluster.ts';
import { endAtDeadline } from './runner/hangs/deadline.ts';
import { GO_PART } from './runner/go.ts';
import { IMAGES_PART } from './runner/images.ts';
import { leftovers, markProcesses } from './runner/leftovers.ts';
import { LINT_PART } from './runner/lint.ts';
import { sumOf } from './runner/node-test.ts';
import type { Part, Print, Tally } from './runner/part.ts';
import { keepFullResults, isDoneInFull } from './runner/full-results.ts';
import { setUp } from './runner/set-up.ts';
import { UNIT_PART } from './runner/unit.ts';
import { VILLAGE_PART } from './runner/village.ts';

/** Lanes run side by side; the parts of one lane run in order. The first lane computes, the second waits for clusters. */
const LANES: readonly (readonly Part[])[] = [
  [LINT_PART, UNIT_PART],
  [GO_PART, CLUSTER_PART, VILLAGE_PART, IMAGES_PART],
];
const PARTS = LANES.flat();
/** Both lanes together use about 6 GiB. */
const MEMORY_FOR_BOTH_BYTES = 12 * 1024 ** 3;
const PROCESSORS_FOR_BOTH = 2;
/** Below the 90 minutes of the project's CI, so that its output names what hung. */
const MINUTES = 75;
const LONGEST_FAILURE = 300;
const NAME_WIDTH = Math.max(...PARTS.map(({ name }) => name.length)) + 1;
const USAGE = `usage: test/run.ts [--full] [--serial] [--only PART,PART] [--minutes N]

Runs every test and prints "N passed, N failed" as its last line.

  --only  parts to run: ${PARTS.map(({ name }) => name).join(', ')} (ONLY=... does the same)
  --serial  runs one part after the other; this is the default below 12 GiB of memory or two processors
  --full  runs all cases instead of a seeded twentieth; skips parts that have passed at this commit;
          writes test/results/full.json
  --minutes  ends the test files that still run after this many minutes, and counts them as failures;
          default: ${MINUTES}, and no limit with --full
  --help  this text`;

interface Choice {
  readonly lanes: readonly (readonly Part[])[];
  readonly full: boolean;
}

/** Runs the lanes side by side. A part that throws counts as one failure, and the next part of its lane still runs. */
async function runLanes({ lanes, full }: Choice): Promise<Tally> {
  const tallies = await Promise.all(
    lanes.map(async (parts) => {
      const done: Tally[] = [];
      for (const part of parts) {
        if (full && isDoneInFull(part.name)) console.log(`── ${part.name}: passed before at this commit`);
        else done.push(await runPart(part, full));
      }
      return done;
    }),
  );
  return sumOf(tallies.flat());
}

async function runPart(part: Part, full: boolean): Promise<Tally> {
  const started = performance.now();
  const print: Print = (line) => console.log(`${part.name.padEnd(NAME_WIDTH)}│ ${line}`);
  print(`── ${part.does}`);
  const tally = await part.run(print).catch((error: unknown): Tally => {
    printFailure(error);
    return { passed: 0, failed: 1, failures: [{ what: String(error), rerun: `make test ONLY=${part.name}` }] };
  });
  const seconds = (performance.now() - started) / 1000;
  print(`── ${tally.passed} passed, ${tally.failed} failed in ${seconds.toFixed(0)} s`);
  if (full) keepFullResults(part.name, { passed: tally.passed, failed: tally.failed, seconds });
  return {
    ...tally,
    failures: tally.failures.map((failure) => ({ ...failure, what: `${part.name}: ${failure.what}` })),
  };
}

/** One more test: it passes when all processes of the tests have ended. */
async function checkLeftovers(): Promise<Tally> {
  const left = (await leftovers()).map((line) => ({ what: `still running: ${line}`, rerun: 'make test' }));
  return left.length === 0 ? { passed: 1, failed: 0, failures: [] } : { passed: 0, failed: 1, failures: left };
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      full: { type: 'boolean', default: false },
      serial: { type: 'boolean', default: false },
      only: { type: 'string' },
      minutes: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return;
  }
  const lanes = chosenLanes(values.only ?? process.env['ONLY']);
  if (values.full) process.env['HAMLET_TEST_FULL'] = '1';
  markProcesses();
  const started = performance.now();
  if (!values.full || values.minutes !== undefined) endAtDeadline(minutesOf(values.minutes));
  await setUp(lanes.flat());
  const isSerial = values.serial || totalmem() < MEMORY_FOR_BOTH_BYTES || availableParallelism() < PROCESSORS_FOR_BOTH;
  const ran = await runLanes({ lanes: isSerial ? [lanes.flat()] : lanes, full: values.full });
  report(sumOf([ran, await checkLeftovers()]), performance.now() - started);
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
  console.log(`\nall of it took ${(tookMs / 60_000).toFixed(1)} min`);
  for (const { what, rerun, lastLines = [] } of failures) {
    console.log(`✖ ${what.slice(0, LONGEST_FAILURE)}\n    ${rerun}`);
    for (const line of lastLines) console.log(`    │ ${line.slice(0, LONGEST_FAILURE)}`);
  }
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}

// Ctrl-C reaches the child programs too; this process still stops everything that it started before it ends.
process.on('SIGINT', () => console.error('interrupted: ending what was started'));

try {
  await main();
} catch (error) {
  printFailure(error);
  console.log('0 passed, 1 failed');
  process.exitCode = 1;
}
