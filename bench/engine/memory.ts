import { setTimeout as sleep } from 'node:timers/promises';
import type { Row } from '../report.ts';
import { median, peersOf } from './figures.ts';
import type { Name, Stage } from './stage.ts';
import { SUBJECTS } from './stage.ts';
import type { SubjectProcess } from './subject-process.ts';

const FIRST_CALLS = 5;
const CALLS = 1;
const SETTLE_MS = 20_000;
const SAMPLES = 10;
const TARGETS = { idleRssMb: 90, runsLeakMb: 5 } as const;

/** Memory at rest after one run, and its growth by many finished runs, after a collection before and after them. */
export async function measureMemory(stage: Stage, runs: number): Promise<readonly Row[]> {
  // The first start fills the compile cache, as the build of an image does.
  for (const name of SUBJECTS) await (await stage.start(name)).end();
  const programs = await Promise.all(SUBJECTS.map(async (name) => ({ name, program: await stage.start(name) })));
  for (const { program } of programs) await program.obey({ type: 'runs', count: 1, calls: FIRST_CALLS });
  console.log(`memory: idle for ${SETTLE_MS / 1_000} s`);
  await sleep(SETTLE_MS);
  const idle = new Map<Name, number>();
  for (const { name, program } of programs) idle.set(name, await restingMb(program));
  const grown = new Map<Name, number>();
  for (const { name, program } of programs) {
    grown.set(name, await growthMb(program, runs));
    await program.end();
    console.log(`memory: ${name} ${idle.get(name)?.toFixed(0)} MB idle, ${grown.get(name)?.toFixed(1)} MB grown`);
  }
  return [rowOf('idleRssMb', idle), rowOf('runsLeakMb', grown)];
}

async function restingMb(program: SubjectProcess): Promise<number> {
  const samples: number[] = [];
  for (let count = 0; count < SAMPLES; count += 1) {
    samples.push(program.rssMb());
    await sleep(100);
  }
  return median(samples);
}

async function growthMb(program: SubjectProcess, runs: number): Promise<number> {
  const after = async (count: number): Promise<number> => {
    await program.obey({ type: 'runs', count, calls: CALLS });
    await program.obey({ type: 'collect' });
    return restingMb(program);
  };
  const warm = await after(Math.ceil(runs / 10));
  return (await after(runs)) - warm;
}

const rowOf = (metric: keyof typeof TARGETS, figures: ReadonlyMap<Name, number>): Row => ({
  metric,
  unit: 'MB',
  better: 'lower',
  ours: figures.get('hamlet') ?? Number.NaN,
  peers: { ...peersOf(figures), bareLoopItself: figures.get('bare') ?? Number.NaN },
  target: TARGETS[metric],
});
