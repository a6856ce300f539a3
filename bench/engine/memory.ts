import { setTimeout as sleep } from 'node:timers/promises';
import { medianOf, row, type Row } from '../report.ts';
import { peersOf } from './figures.ts';
import { SUBJECTS, type Name, type Stage } from './stage.ts';
import type { SubjectProcess } from './subject-process.ts';

const FIRST_CALLS = 5;
const CALLS = 1;
const SETTLE_MS = 20_000;
const SAMPLES = 10;
/** Number of runs between two checks of the time. */
const CHUNK = 250;
/** Time for the runs of one program, including the tenth that warms it up. A slow program makes fewer runs. */
const RUNS_LIMIT_MS = 180_000;
const TARGETS: Readonly<Record<string, number>> = { idleRssMb: 90, runsLeakMb: 5 };

/**
 * Idle memory after one run, and its growth over many finished runs, with a collection before and after them. The third row has the
 * number of those runs.
 */
export async function measureMemory(stage: Stage, runs: number): Promise<readonly Row[]> {
  // The first start fills the compile cache, as the build of an image does.
  for (const name of SUBJECTS) await (await stage.start(name)).end();
  const programs = await Promise.all(SUBJECTS.map(async (name) => ({ name, program: await stage.start(name) })));
  for (const { program } of programs) await program.obey({ type: 'runs', count: 1, calls: FIRST_CALLS });
  console.log(`memory: idle for ${SETTLE_MS / 1_000} s`);
  await sleep(SETTLE_MS);
  const idle = new Map<Name, number>();
  for (const { name, program } of programs) idle.set(name, await restingMb(program));
  const [grown, counts] = [new Map<Name, number>(), new Map<Name, number>()];
  for (const { name, program } of programs) {
    const { mb, count } = await growthOf(program, runs);
    grown.set(name, mb);
    counts.set(name, count);
    await program.end();
    console.log(`memory: ${name} ${idle.get(name)?.toFixed(0)} MB idle, ${mb.toFixed(1)} MB grown by ${count} runs`);
  }
  return [rowOf('idleRssMb', 'MB', idle), rowOf('runsLeakMb', 'MB', grown), rowOf('runsLeakRuns', 'runs', counts)];
}

async function restingMb(program: SubjectProcess): Promise<number> {
  const samples: number[] = [];
  for (let count = 0; count < SAMPLES; count += 1) {
    samples.push(program.rssMb());
    await sleep(100);
  }
  return medianOf(samples);
}

type Growth = Readonly<{ mb: number; count: number }>;

async function growthOf(program: SubjectProcess, runs: number): Promise<Growth> {
  const warmUp = Math.ceil(runs / 10);
  await makeRuns(program, warmUp, RUNS_LIMIT_MS / 10);
  const warm = await collectedMb(program);
  const count = await makeRuns(program, runs, RUNS_LIMIT_MS);
  return { mb: (await collectedMb(program)) - warm, count };
}

async function collectedMb(program: SubjectProcess): Promise<number> {
  await program.obey({ type: 'collect' });
  return restingMb(program);
}

/** Makes runs up to the number, as long as there is time; returns how many it made. */
async function makeRuns(program: SubjectProcess, runs: number, limitMs: number): Promise<number> {
  const end = performance.now() + limitMs;
  let made = 0;
  while (made < runs && performance.now() < end) {
    const count = Math.min(CHUNK, runs - made);
    await program.obey({ type: 'runs', count, calls: CALLS });
    made += count;
  }
  return made;
}

function rowOf(metric: string, unit: string, figures: ReadonlyMap<Name, number>): Row {
  return row(metric, unit, {
    better: unit === 'runs' ? 'higher' : 'lower',
    ours: figures.get('hamlet') ?? Number.NaN,
    peers: { ...peersOf(figures), bareLoopItself: figures.get('bare') ?? Number.NaN },
    target: TARGETS[metric] ?? null,
  });
}
