/** `make bench-workflow`: workflows of a hundred stages of our engine, LangGraph.js, DBOS and Mastra, on one disk. */
import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { readCounts } from '../counts.ts';
import { openStage } from '../engine/stage.ts';
import { writeReport } from '../report.ts';
import { measureAtOnce } from './at-once.ts';
import { measureBytes } from './bytes.ts';
import { DURABLE_PEERS, FILES, PROGRAMS, TEXT_BYTES } from './programs.ts';
import { measureSpeed } from './speed.ts';
import { measureValidation } from './validation.ts';

const USAGE = `Usage: node bench/workflow/main.ts [--rounds N] [--tasks N] [--stages N] [--at-once N]

Workflows whose stages each return a text of 1 KiB, as a sequence and side by side: our engine with its journal, DBOS and Mastra
with Postgres, and LangGraph.js with its Postgres checkpointer and with that in memory. Each program runs in a process of its own
under Node's flags of the pod; all files and Postgres, which syncs, are on the disk of the work tree. The peers are installed into
the cache. Writes bench/results/workflow.json.
  --rounds   rounds of the speed, in which all programs take turns (5)
  --tasks    tasks of a program in each round (3)
  --stages   stages of a task whose speed is measured (100)
  --at-once  tasks of ten stages that are under way at once (100)
`;

/** Lengths of the sequences whose bytes are measured. */
const MIDDLE = 300;
const LENGTHS = [100, MIDDLE, 1_000];
/** The text of a step in the bench of the engine. */
const LARGE_TEXT_BYTES = 4_096;
const DURABLE = ['hamlet', ...DURABLE_PEERS] as const;
const STAGES_AT_ONCE = 10;

async function main(): Promise<void> {
  const counts = readCounts(USAGE, { rounds: 5, tasks: 3, stages: 100, 'at-once': 100 });
  execFileSync(join(resolve(import.meta.dirname, '../..'), 'local/village/packages.sh'), ['bench'], {
    stdio: 'inherit',
  });
  const stage = await openStage('workflow', FILES);
  try {
    const rows = [
      ...(await measureSpeed(stage, { programs: PROGRAMS, ...counts })),
      ...(await measureBytes(stage, { programs: DURABLE, lengths: LENGTHS, textBytes: TEXT_BYTES })),
      ...(await measureBytes(stage, { programs: DURABLE, lengths: [MIDDLE], textBytes: LARGE_TEXT_BYTES })),
      ...(await measureValidation(stage, counts.rounds)),
      ...(await measureAtOnce(stage, { programs: PROGRAMS, tasks: counts['at-once'], stages: STAGES_AT_ONCE })),
    ];
    console.log(`written: ${writeReport('workflow', rows)}`);
  } finally {
    await stage.end();
  }
}

await main();
