/**
 * `make bench-json`: the JSON engine compared with jsonrepair and the AI SDK's parser on generated, damaged documents.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { scoreOf, SCORES, type Score } from '@hamlet/engine/json/score';
import { medianOf, writeReport, type Row } from '../report.ts';
import { CLASSES, corpusOf, type Case } from './corpus.ts';
import { openPeers, ours, type Parser } from './peers.ts';

const USAGE = `Usage: node bench/json/main.ts [--seeds N,N] [--count N] [--classes] [--write FILE]

Damages generated documents in ${CLASSES} ways, with a schema and without, and counts how often each parser finds the value before the
damage. A case that lost information expects a refusal; a damage that leaves valid JSON is left out, because no parser can see it. The
peers know no schemas. Microseconds are of processor time. Writes bench/results/json.json.
  --seeds    seeds of the corpus (101,102,103); seed 1 is for work on the engine, and makes no report
  --count    cases of each class and seed, with a schema and as many without (50)
  --classes  prints the scores of the engine for each class, and its first failures
  --write    writes the corpus as lines that hamlet-json scores, and ends
`;
const TUNING_SEED = 1;
const ROUNDS = 5;
const SHOWN_FAILURES = 3;

type Counts = Record<Score, number>;
interface Measured {
  readonly counts: Counts;
  readonly micros: number;
}

async function measure(cases: readonly Case[], parse: Parser): Promise<Measured> {
  const counts: Counts = { exact: 0, silentlyWrong: 0, refused: 0 };
  for (const each of cases) counts[scoreOf(each, await parse(each))] += 1;
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const from = process.cpuUsage();
    for (const each of cases) await parse(each);
    const { user, system } = process.cpuUsage(from);
    times.push((user + system) / cases.length);
  }
  return { counts, micros: medianOf(times) };
}

function rowsOf(total: number, measured: Readonly<Record<string, Measured>>): readonly Row[] {
  const { hamlet, ...peers } = measured;
  if (hamlet === undefined) return [];
  const row = (metric: string, of: (each: Measured) => number, rest: Pick<Row, 'unit' | 'better' | 'target'>): Row => ({
    metric,
    ...rest,
    ours: of(hamlet),
    peers: Object.fromEntries(Object.entries(peers).map(([name, each]) => [name, of(each)])),
  });
  const percent =
    (score: Score) =>
    ({ counts }: Measured): number =>
      (100 * counts[score]) / total;
  return [
    row('exactPercent', percent('exact'), { unit: '%', better: 'higher', target: 97 }),
    row('silentlyWrongPercent', percent('silentlyWrong'), { unit: '%', better: 'lower', target: 0.5 }),
    row('refusedPercent', percent('refused'), { unit: '%', better: 'lower', target: null }),
    row('microsecondsPerDocument', ({ micros }) => micros, { unit: 'µs', better: 'lower', target: 100 }),
  ];
}

async function printClasses(cases: readonly Case[]): Promise<void> {
  const classes = new Map<string, { counts: Counts; failures: string[] }>();
  for (const each of cases) {
    const name = `${each.name}${each.schema === undefined ? '' : ' (schema)'}`;
    const entry = classes.get(name) ?? { counts: { exact: 0, silentlyWrong: 0, refused: 0 }, failures: [] };
    classes.set(name, entry);
    const found = await ours(each);
    const score = scoreOf(each, found);
    entry.counts[score] += 1;
    if (score !== 'exact')
      entry.failures.push(`    ${score} ${JSON.stringify(each.raw)}\n      ${JSON.stringify(found?.value)}`);
  }
  for (const [name, { counts, failures }] of classes) {
    if (failures.length === 0) continue;
    console.log(`${name}: ${SCORES.map((score) => `${score} ${counts[score]}`).join(', ')}`);
    console.log(failures.slice(0, SHOWN_FAILURES).join('\n'));
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string', default: '101,102,103' },
      count: { type: 'string', default: '50' },
      classes: { type: 'boolean', default: false },
      write: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help === true) return void process.stdout.write(USAGE);
  const seeds = values.seeds.split(',').map(Number);
  const count = Number(values.count);
  if (![...seeds, count].every((each) => Number.isInteger(each) && each > 0))
    throw new Error(`seeds and count must be whole numbers above 0\n\n${USAGE}`);
  const cases = seeds.flatMap((seed) => corpusOf(seed, count));
  if (values.write !== undefined)
    return writeFileSync(values.write, cases.map((each) => `${JSON.stringify(each)}\n`).join(''));
  if (values.classes) return printClasses(cases);
  const measured: Record<string, Measured> = { hamlet: await measure(cases, ours) };
  for (const [name, parse] of Object.entries(await openPeers())) measured[name] = await measure(cases, parse);
  const rows = rowsOf(cases.length, measured);
  console.log(`${cases.length} cases of ${CLASSES} classes`);
  if (seeds.includes(TUNING_SEED)) return console.log(JSON.stringify(rows, undefined, 2));
  console.log(`written: ${writeReport('json', rows)}`);
}

await main();
