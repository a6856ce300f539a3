/** `make bench-engine`: our engine, a bare fetch loop and the engines of others, against one scripted model. */
import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { addToReport, writeReport, type Row } from '../report.ts';
import { measureMemory } from './memory.ts';
import { measureOverhead } from './overhead.ts';
import { FILES, openStage, type Stage } from './stage.ts';
import { measureSteps } from './steps.ts';
import { measureTokens } from './tokens/measure.ts';

const USAGE = `Usage: node bench/engine/main.ts [--only PART,PART] [--rounds N] [--steps N] [--runs N]

The engine with its journal beside a bare fetch loop, the AI SDK, OpenAI's Agents SDK, LangGraph.js with its Postgres
checkpointer, Mastra and DBOS: each in a process of its own under Node's flags of the pod, against one local server that
speaks OpenAI's wire. The peers are installed into the cache, outside of the work tree. Writes bench/results/engine.json.
  --only    parts: overhead (time of a tool call), steps (durable steps and their bytes), memory (idle, and after many
            runs), tokens (of a task of 20 steps, beside Claude Code, Codex, OpenCode and Pi; needs no quiet machine). A run
            of some parts adds their rows to the report
  --rounds  rounds of the overhead, 20 runs of 20 calls each (5)
  --steps   durable steps, with 4 KiB each (1000)
  --runs    finished runs whose growth of memory is measured, after a tenth of them to warm up (10000); a program
            that takes longer than three minutes makes fewer
`;

const PARTS = ['overhead', 'steps', 'memory', 'tokens'] as const;
type Part = (typeof PARTS)[number];

interface Counts {
  readonly rounds: number;
  readonly steps: number;
  readonly runs: number;
}

type Measure = (open: () => Promise<Stage>, counts: Counts) => Promise<readonly Row[]>;

/** `open` opens the stage at its first call: a part that needs none installs no peers. */
const MEASURES: Readonly<Record<Part, Measure>> = {
  overhead: async (open, { rounds }) => measureOverhead(await open(), rounds),
  steps: async (open, { steps }) => measureSteps(await open(), steps),
  memory: async (open, { runs }) => measureMemory(await open(), runs),
  tokens: () => measureTokens(),
};

function partsOf(text: string): readonly Part[] {
  const named = text.split(',');
  const parts = PARTS.filter((part) => named.includes(part));
  if (parts.length !== named.length) throw new Error(`--only takes ${PARTS.join(', ')}\n\n${USAGE}`);
  return parts;
}

async function main(): Promise<void> {
  const count = (value: string) => ({ type: 'string', default: value }) as const;
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: PARTS.join(',') },
      rounds: count('5'),
      steps: count('1000'),
      runs: count('10000'),
      help: { type: 'boolean' },
    },
  });
  if (values.help === true) return void process.stdout.write(USAGE);
  const parts = partsOf(values.only);
  const counts = { rounds: Number(values.rounds), steps: Number(values.steps), runs: Number(values.runs) };
  if (!Object.values(counts).every((value) => Number.isInteger(value) && value > 0))
    throw new Error(`every count must be a whole number above 0\n\n${USAGE}`);
  execFileSync(join(resolve(import.meta.dirname, '../..'), 'local/village/packages.sh'), ['bench'], {
    stdio: 'inherit',
  });
  const stages: Promise<Stage>[] = [];
  const open = (): Promise<Stage> => (stages[0] ??= openStage('engine', FILES));
  try {
    const isWhole = parts.length === PARTS.length;
    // Writes each part once it is measured, so that an early end loses nothing.
    for (const part of parts) {
      const rows = await MEASURES[part](open, counts);
      const file = isWhole && part === parts[0] ? writeReport('engine', rows) : addToReport('engine', rows);
      console.log(`written: ${file}`);
    }
  } finally {
    for (const stage of stages) await (await stage).end();
  }
}

await main();
