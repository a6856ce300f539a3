/** `make mutants PACKAGE=core N=50`: changes one operator at a time and reports the changes that the package's own tests do not notice. */
import { parseArgs } from 'node:util';
import { basename } from 'node:path';
import { Seeded } from '../env/seeded.ts';
import { Failure, printFailure } from '../../local/village/failure.ts';
import { packageNames, packageOf, type TriedPackage } from './packages.ts';
import { changesOf, Trials, type Change } from './trials.ts';
import { WorkCopy } from './work-copy.ts';

const USAGE = `usage: test/mutants/main.ts --package NAME [--count N] [--seed S] [--min PERCENT]

Changes one operator of a random source line at a time, in a copy of the work tree, and runs those of the package's own
tests that execute that line. Ends with the changes that no test noticed. Verdicts are stored until sources or the
file of tests change, so an interrupted run can continue.

  --package  ${packageNames.join(', ')}, or a folder
  --count    changes to try (50)
  --seed     selects the changes (1)
  --min      fails when fewer per cent are noticed (0)
  --help     this text`;

function chosen(
  all: readonly Change[],
  { count, seed }: { readonly count: number; readonly seed: number },
): readonly Change[] {
  const random = new Seeded(seed);
  return all
    .map((change) => ({ change, rank: random.next() }))
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, count)
    .map(({ change }) => change);
}

/** Tries every change; returns descriptions of those that no test notices. */
async function survivorsOf(changes: readonly Change[], tried: TriedPackage): Promise<readonly string[]> {
  const survivors: string[] = [];
  const copy = new WorkCopy();
  try {
    const trials = new Trials(copy, tried);
    await trials.prepare();
    for (const change of changes) {
      const test = await trials.noticedBy(change);
      const text = inWords(change, copy);
      if (test === undefined)
        survivors.push(trials.reaching(change).length === 0 ? `${text}   (no test executes it)` : text);
      console.log(test === undefined ? `✖ ${text}` : `✔ ${text}   (${basename(test)})`);
    }
    return survivors;
  } finally {
    copy.remove();
  }
}

function inWords({ file, line, from, to }: Change, copy: WorkCopy): string {
  return `${file}:${line}  ${from} → ${to}   ${(copy.read(file).split('\n')[line - 1] ?? '').trim().slice(0, 120)}`;
}

function numberOf(name: string, text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < 0)
    throw new Failure(`--${name} is not a number: ${text}`, `write --${name} with a number from 0`);
  return value;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      package: { type: 'string', default: '' },
      count: { type: 'string', default: '50' },
      seed: { type: 'string', default: '1' },
      min: { type: 'string', default: '0' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(USAGE);
  const found = packageOf(values.package);
  if (found === undefined)
    throw new Failure(
      `${values.package || 'no package'}: no sources with tests`,
      `write PACKAGE=${packageNames.join(', ')}, or a folder with both`,
    );
  const all = changesOf(found.sources);
  const changes = chosen(all, { count: numberOf('count', values.count), seed: numberOf('seed', values.seed) });
  console.log(
    `${found.sources.length} sources with ${all.length} possible changes, ${found.tests.length} files of tests`,
  );
  const survivors = await survivorsOf(changes, found);
  const noticed = changes.length - survivors.length;
  const percent = (noticed / changes.length) * 100;
  console.log(
    `\nnoticed ${noticed} of ${changes.length} (${percent.toFixed(0)} %) in ${values.package}, seed ${values.seed}; not noticed:`,
  );
  for (const survivor of survivors.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true })))
    console.log(`  ${survivor}`);
  // A run that tried no change does not prove that the tests notice changes.
  if (!(percent >= numberOf('min', values.min))) process.exitCode = 1;
}

try {
  await main();
} catch (error) {
  printFailure(error);
  process.exitCode = 1;
}
