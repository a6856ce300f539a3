/** Every test of the project, with its set-up: what `make test` runs. */
import { parseArgs } from 'node:util';
import { performance } from 'node:perf_hooks';
import { printFailure } from '../village/failure.ts';
import { GO_PART } from './runner/go.ts';
import { leftovers, markProcesses } from './runner/leftovers.ts';
import { LINT_PART } from './runner/lint.ts';
import type { Part, Tally } from './runner/part.ts';
import { keepFullResults, isDoneInFull } from './runner/full-results.ts';
import { setUp } from './runner/set-up.ts';
import { UNIT_PART } from './runner/unit.ts';
import { VILLAGE_PART } from './runner/village.ts';

const PARTS: readonly Part[] = [LINT_PART, UNIT_PART, GO_PART, VILLAGE_PART];
const LONGEST_FAILURE = 300;
const USAGE = `usage: test/run.ts [--full] [--only PART,PART]

Runs every test and prints "N passed, N failed" as its last line.

  --only  parts to run: ${PARTS.map(({ name }) => name).join(', ')} (ONLY=... does the same)
  --full  counts as written in the tests' tables instead of a seeded twentieth; parts that passed
          at this commit are not run again; writes test/results/full.json
  --help  this text`;

/** Runs the parts one after the other; a part that throws counts as one failure and the next still runs. */
async function runParts(parts: readonly Part[], full: boolean): Promise<Tally> {
  const total = { passed: 0, failed: 0, failures: [] as string[] };
  for (const part of parts) {
    if (full && isDoneInFull(part.name)) {
      console.log(`\n── ${part.name}: passed before at this commit`);
      continue;
    }
    const started = performance.now();
    console.log(`\n── ${part.name}: ${part.does}`);
    const tally = await runPart(part);
    total.passed += tally.passed;
    total.failed += tally.failed;
    total.failures.push(...tally.failures.map((failure) => `${part.name}: ${failure}`));
    const seconds = (performance.now() - started) / 1000;
    console.log(`── ${part.name}: ${tally.passed} passed, ${tally.failed} failed in ${seconds.toFixed(0)} s`);
    if (full) keepFullResults(part.name, { passed: tally.passed, failed: tally.failed, seconds });
  }
  return total;
}

async function runPart(part: Part): Promise<Tally> {
  try {
    return await part.run();
  } catch (error) {
    printFailure(error);
    return { passed: 0, failed: 1, failures: [String(error)] };
  }
}

/** One test more: whatever the tests started has ended. */
async function checkLeftovers(): Promise<Tally> {
  const left = (await leftovers()).map((line) => `still running: ${line}`);
  return left.length === 0 ? { passed: 1, failed: 0, failures: [] } : { passed: 0, failed: 1, failures: left };
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { full: { type: 'boolean', default: false }, only: { type: 'string' }, help: { type: 'boolean', default: false } } });
  if (values.help) {
    console.log(USAGE);
    return;
  }
  const chosen = (values.only ?? process.env['ONLY'])?.split(',');
  const unknown = chosen?.filter((name) => !PARTS.some((part) => part.name === name)) ?? [];
  if (unknown.length > 0) throw new Error(`no such part: ${unknown.join(', ')}\n${USAGE}`);
  const parts = PARTS.filter(({ name }) => chosen?.includes(name) ?? true);
  if (values.full) process.env['HAMLET_TEST_FULL'] = '1';
  markProcesses();
  const started = performance.now();
  await setUp(parts);
  const ran = await runParts(parts, values.full);
  const clean = await checkLeftovers();
  const [passed, failed] = [ran.passed + clean.passed, ran.failed + clean.failed];
  console.log(`\nall of it took ${((performance.now() - started) / 60_000).toFixed(1)} min`);
  // Whoever sees only the end of a long run sees what is wrong with it.
  for (const failure of [...ran.failures, ...clean.failures]) console.log(`✖ ${failure.slice(0, LONGEST_FAILURE)}`);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}

// Ctrl-C reaches the programs below too; what was brought up is still taken down before the end.
process.on('SIGINT', () => console.error('interrupted: ending what was started'));

try {
  await main();
} catch (error) {
  printFailure(error);
  console.log('0 passed, 1 failed');
  process.exitCode = 1;
}
