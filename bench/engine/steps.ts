import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { medianOf, row, type Row } from '../report.ts';
import { peersOf } from './figures.ts';
import type { Name, Stage } from './stage.ts';

/** The programs that store their steps by themselves. */
const DURABLE: readonly Name[] = ['hamlet', 'langgraph', 'mastra', 'dbos'];
const TEXT_BYTES = 4_096;
const WARM_UP_STEPS = 50;
const SYNCS = 500;
/** Texts in the file that is written again and again, as a journal's log is: 4 MiB. */
const TEXTS_IN_PLACE = 1_024;
const TARGETS = { durableStepMs: 0.4, durableStepCpuMs: null, bytesPerStepOverPayload: 1.3 } as const;

/** Time and processor time from one step of a run to the next, and bytes on disk for each byte of text. */
export async function measureSteps(stage: Stage, count: number): Promise<readonly Row[]> {
  const [times, cpu, bytes] = [new Map<Name, number>(), new Map<Name, number>(), new Map<Name, number>()];
  const before = syncsOf(stage.folder);
  for (const name of DURABLE) {
    const program = await stage.start(name);
    await program.obey({ type: 'steps', count: WARM_UP_STEPS, textBytes: TEXT_BYTES });
    const warm = await program.obey({ type: 'stored' });
    const { ms, cpuMs } = await program.obey({ type: 'steps', count, textBytes: TEXT_BYTES });
    const stored = await program.obey({ type: 'stored' });
    times.set(name, medianOf(ms));
    cpu.set(name, cpuMs / count);
    bytes.set(name, (stored.bytes - warm.bytes) / (count * TEXT_BYTES));
    await program.end();
    console.log(`steps: ${name} takes ${medianOf(ms).toFixed(3)} ms`);
  }
  const after = syncsOf(stage.folder);
  const more = {
    fdatasync: medianOf([before.append, after.append]),
    fdatasyncInPlace: medianOf([before.inPlace, after.inPlace]),
  };
  return [
    rowOf('durableStepMs', 'ms', { figures: times, more }),
    rowOf('durableStepCpuMs', 'ms', { figures: cpu, more: {} }),
    rowOf('bytesPerStepOverPayload', 'ratio', { figures: bytes, more: {} }),
  ];
}

interface Figures {
  readonly figures: ReadonlyMap<Name, number>;
  readonly more: Readonly<Record<string, number>>;
}

const rowOf = (metric: keyof typeof TARGETS, unit: string, { figures, more }: Figures): Row =>
  row(metric, unit, {
    ours: figures.get('hamlet') ?? Number.NaN,
    peers: { ...peersOf(figures), ...more },
    target: TARGETS[metric],
  });

/** Times to write a text of the size of a step to a file of this disk and to sync it: at the end of the file, and over older texts. */
function syncsOf(folder: string): Readonly<{ append: number; inPlace: number }> {
  const file = openSync(join(folder, 'synced'), 'w');
  const text = Buffer.alloc(TEXT_BYTES, 1);
  const medianMs = (placeOf: (at: number) => number): number =>
    medianOf(
      Array.from({ length: SYNCS }, (_, at) => {
        const started = performance.now();
        writeSync(file, text, 0, TEXT_BYTES, placeOf(at));
        fdatasyncSync(file);
        return performance.now() - started;
      }),
    );
  const append = medianMs((at) => at * TEXT_BYTES);
  writeSync(file, Buffer.alloc(TEXT_BYTES * TEXTS_IN_PLACE, 1), 0, TEXT_BYTES * TEXTS_IN_PLACE, 0);
  fdatasyncSync(file);
  const inPlace = medianMs((at) => at * TEXT_BYTES);
  closeSync(file);
  return { append, inPlace };
}
