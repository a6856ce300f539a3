/**
 * `make bench-memory-recall`: what the memory finds in generated conversations, compared with plain BM25, vectors and
 * their fusion.
 */
import { parseArgs } from 'node:util';
import { httpEmbedder } from '@hamlet/engine/memory';
import { addToReport, printRows, writeReport } from '../report.ts';
import { measureModel, measureRecall } from './recall.ts';
import { measureSpeed } from './speed.ts';

const USAGE = `Usage: node bench/memory-recall/main.ts [--only PART] [--seeds N,N] [--print]

Personas talk to an agent over 50 sessions. Each conversation is one memory; questions name the turns that answer them.
  --only      recall (of six personas for each seed), speed (of a search among 10,000 and 100,000 memories) or model
  --embedder  URL of an OpenAI-compatible server, with its version, whose vectors the part model uses beside hashed ones
  --model     name of its model, by default all-minilm-l6-v2; --dimensions: numbers of a vector, by default 384
  --seeds     seeds of the conversations (2,3,4). Seed 1 is for tuning, and gives no figure
  --print     prints the rows and writes nothing`;

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    embedder: { type: 'string' },
    model: { type: 'string', default: 'all-minilm-l6-v2' },
    dimensions: { type: 'string', default: '384' },
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
const isAsked = (part: string): boolean => values.only === undefined || values.only === part;
const { embedder: baseUrl, model } = values;
const embedder = baseUrl && httpEmbedder({ baseUrl, model, dimensions: Number(values.dimensions) });
const rows = [
  ...(isAsked('recall') ? await measureRecall(seeds) : []),
  ...(isAsked('model') && embedder ? await measureModel(seeds, embedder) : []),
  ...(isAsked('speed') ? await measureSpeed(seeds[0] ?? 2) : []),
];
if (rows.length === 0) throw new Error('nothing to measure: --only model needs --embedder');
if (values.print) printRows('memory-recall', rows);
else {
  if (seeds.includes(1)) throw new Error('seed 1 is for tuning: add --print, or leave it out');
  const file = values.only === undefined ? writeReport('memory-recall', rows) : addToReport('memory-recall', rows);
  console.log(`\nwritten to ${file}`);
}
