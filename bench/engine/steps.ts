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
const TARGETS = { durableStepMs: 0.4, bytesPerStepOverPayload: 1.3 } as const;

/** Time from one step of a run to the next, and bytes on disk for each byte of text. */
export async function measureSteps(stage: Stage, count: number): Promise<readonly Row[]> {
  const [times, bytes] = [new Map<Name, number>(), new Map<Name, number>()];
  const before = medianSyncMs(stage.folder);
  for (const name of DURABLE) {
    const program = await stage.start(name);
    await program.obey({ type: 'steps', count: WARM_UP_STEPS, textBytes: TEXT_BYTES });
    const warm = await program.obey({ type: 'stored' });
    const { ms } = await program.obey({ type: 'steps', count, textBytes: TEXT_BYTES });
    const stored = await program.obey({ type: 'stored' });
    times.set(name, medianOf(ms));
    bytes.set(name, (stored.bytes - warm.bytes) / (count * TEXT_BYTES));
    await program.end();
    console.log(`steps: ${name} takes ${medianOf(ms).toFixed(3)} ms`);
  }
  const fdatasync = medianOf([before, medianSyncMs(stage.folder)]);
  return [
    rowOf('durableStepMs', 'ms', { figures: times, more: { fdatasync } }),
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

/** Time to append a text of the size of a step to a file of this disk, and to sync it. */
function medianSyncMs(folder: string): number {
  const file = openSync(join(folder, 'synced'), 'w');
  const text = Buffer.alloc(TEXT_BYTES, 1);
  const ms = Array.from({ length: SYNCS }, () => {
    const started = performance.now();
    writeSync(file, text);
    fdatasyncSync(file);
    return performance.now() - started;
  });
  closeSync(file);
  return medianOf(ms);
}
