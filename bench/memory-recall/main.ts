/** `make bench-memory-recall`: what the memory finds in generated conversations, beside plain BM25, vectors and their fusion. */
import { parseArgs } from 'node:util';
import { addToReport, printRows, writeReport } from '../report.ts';
import { measureRecall } from './recall.ts';
import { measureSpeed } from './speed.ts';

const USAGE = `Usage: node bench/memory-recall/main.ts [--only PART] [--seeds N,N] [--print]

Personas talk to an agent over 50 sessions. Each conversation is one memory; questions name the turns that answer them.
  --only   recall (of six personas for each seed) or speed (of a search among 10,000 and 100,000 memories)
  --seeds  seeds of the conversations (2,3,4). Seed 1 is for tuning, and gives no figure
  --print  prints the rows and writes nothing`;

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    seeds: { type: 'string', default: '2,3,4' },
    print: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}
const seeds = values.seeds.split(',').map(Number);
const rows = [
  ...(values.only === 'speed' ? [] : await measureRecall(seeds)),
  ...(values.only === 'recall' ? [] : await measureSpeed(seeds[0] ?? 2)),
];
if (values.print) printRows('memory-recall', rows);
else {
  if (seeds.includes(1)) throw new Error('seed 1 is for tuning: add --print, or leave it out');
  const file = values.only === undefined ? writeReport('memory-recall', rows) : addToReport('memory-recall', rows);
  console.log(`\nwritten to ${file}`);
}
