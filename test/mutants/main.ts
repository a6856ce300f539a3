/** `make mutants PACKAGE=core N=50`: changes one operator at a time and tells which changes the package's own tests do not notice. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Seeded } from '../env/seeded.ts';
import { hashSources } from '../../village/images/context.ts';
import { Failure, printFailure } from '../../village/failure.ts';
import { stateFile } from '../../village/paths.ts';
import { mutated, mutationsOf, type Mutation } from './mutations.ts';
import { nearestFirst, packageNames, packageOf, type TriedPackage } from './packages.ts';
import { WorkCopy } from './work-copy.ts';

const USAGE = `usage: test/mutants/main.ts --package NAME [--count N] [--seed S] [--least PERCENT]

Changes one operator of a random source line at a time, in a copy of the work tree, and runs the package's own tests.
Ends with the changes that no test noticed. A run that was interrupted goes on where it was, unless sources or tests changed.

  --package  ${packageNames.join(', ')}, or a folder
  --count    changes to try (50)
  --seed     which ones (1)
  --least    fails when fewer per cent are noticed
  --help     this text`;

/** A test that runs so much longer than without a change is caught in a loop. */
const SLOWER = 4;
const SLOWER_MS = 20_000;
/** Longest run of a package's tests without a change. */
const BASELINE_MS = 600_000;

interface Change extends Mutation {
  readonly file: string;
}

interface Tried extends Change {
  readonly isNoticed: boolean;
}

/** The changes that a seed chooses, none twice. */
function chosen(sources: readonly { readonly file: string; readonly text: string }[], { count, seed }: { count: number; seed: number }): readonly Change[] {
  const all = sources.flatMap(({ file, text }) => mutationsOf(text).map((mutation) => ({ file, ...mutation })));
  const random = new Seeded(seed);
  return all
    .map((change) => ({ change, rank: random.next() }))
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, count)
    .map(({ change }) => change);
}

async function tryAll(changes: readonly Change[], { sources, tests }: TriedPackage, known: Map<string, boolean>): Promise<readonly Tried[]> {
  const tried: Tried[] = [];
  const copy = new WorkCopy();
  try {
    const started = performance.now();
    if ((await copy.test(tests, BASELINE_MS)) !== 'passed') throw new Failure('the tests fail without a change', `node_modules/.bin/node --test ${tests.join(' ')}`);
    const capMs = (performance.now() - started) * SLOWER + SLOWER_MS;
    console.log(`${sources.length} sources, ${tests.length} files of tests; without a change they take ${((performance.now() - started) / 1000).toFixed(1)} s`);
    for (const change of changes) {
      const isNoticed = known.get(keyOf(change)) ?? (await isNoticedIn(copy, change, { tests, capMs }));
      known.set(keyOf(change), isNoticed);
      tried.push({ ...change, isNoticed });
      console.log(`${isNoticed ? '✔' : '✖'} ${said(change, copy)}`);
      keep(known);
    }
    return tried;
  } finally {
    copy.remove();
  }
}

/** The tests near the source run first, because most changes are noticed there. */
async function isNoticedIn(copy: WorkCopy, change: Change, { tests, capMs }: { tests: readonly string[]; capMs: number }): Promise<boolean> {
  const text = copy.read(change.file);
  copy.write(change.file, mutated(text, change));
  try {
    const [first = '', ...others] = nearestFirst(tests, change.file);
    if ((await copy.test([first], capMs)) !== 'passed') return true;
    return others.length > 0 && (await copy.test(others, capMs)) !== 'passed';
  } finally {
    copy.write(change.file, text);
  }
}

const keyOf = ({ file, at, from, to }: Change): string => `${file}:${at} ${from} ${to}`;

function said({ file, line, from, to }: Change, copy: WorkCopy): string {
  return `${file}:${line}  ${from} → ${to}   ${(copy.read(file).split('\n')[line - 1] ?? '').trim().slice(0, 120)}`;
}

let resultFile = '';

/** Results of earlier runs; those of other sources or tests are not read. */
function kept(key: string): Map<string, boolean> {
  resultFile = stateFile('mutants', `${key}.json`);
  return new Map(existsSync(resultFile) ? (JSON.parse(readFileSync(resultFile, 'utf8')) as [string, boolean][]) : []);
}

function keep(known: ReadonlyMap<string, boolean>): void {
  writeFileSync(resultFile, JSON.stringify([...known], null, 1));
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { package: { type: 'string', default: '' }, count: { type: 'string', default: '50' }, seed: { type: 'string', default: '1' }, least: { type: 'string', default: '0' }, help: { type: 'boolean', default: false } },
  });
  if (values.help) return console.log(USAGE);
  const found = packageOf(values.package);
  if (found === undefined) throw new Failure(`${values.package || 'no package'}: no sources with tests`, `write PACKAGE=${packageNames.join(', ')}, or a folder with both`);
  const sources = found.sources.map((file) => ({ file, text: readFileSync(file, 'utf8') }));
  const changes = chosen(sources, { count: Number(values.count), seed: Number(values.seed) });
  const tried = await tryAll(changes, found, kept(hashSources([...found.sources, ...found.tests].map((file) => ({ from: file, to: file, whole: true })), [])));
  const survivors = tried.filter(({ isNoticed }) => !isNoticed);
  const percent = ((tried.length - survivors.length) / tried.length) * 100;
  console.log(`\nnoticed ${tried.length - survivors.length} of ${tried.length} (${percent.toFixed(0)} %) in ${values.package}, seed ${values.seed}; not noticed:`);
  for (const { file, line, from, to } of survivors.toSorted((a, b) => keyOf(a).localeCompare(keyOf(b)))) console.log(`  ${file}:${line}  ${from} → ${to}`);
  if (percent < Number(values.least)) process.exitCode = 1;
}

try {
  await main();
} catch (error) {
  printFailure(error);
  process.exitCode = 1;
}
