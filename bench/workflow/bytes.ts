import { row, type Row } from '../report.ts';
import { besides, type Program, type WorkflowStage } from './programs.ts';

const WARM_UP_STAGES = 20;
const TARGET = 1.3;

export interface Lengths {
  /** Programs that store their stages on the disk. */
  readonly programs: readonly Program[];
  readonly lengths: readonly number[];
  /** The text that each stage returns. */
  readonly textBytes: number;
}

/** Bytes on disk for each byte of the stages' texts, in sequences of each length. */
export async function measureBytes(
  stage: WorkflowStage,
  { programs, lengths, textBytes }: Lengths,
): Promise<readonly Row[]> {
  const figures = new Map<number, Map<Program, number>>(lengths.map((length) => [length, new Map()]));
  for (const name of programs) {
    const program = await stage.start(name);
    const sequence = { type: 'tasks', shape: 'sequence', textBytes, count: 1, isAtOnce: false } as const;
    await program.obey({ ...sequence, stages: WARM_UP_STAGES });
    for (const stages of lengths) {
      const before = await program.obey({ type: 'stored' });
      await program.obey({ ...sequence, stages });
      const after = await program.obey({ type: 'stored' });
      const ratio = (after.bytes - before.bytes) / (stages * textBytes);
      figures.get(stages)?.set(name, ratio);
      console.log(`bytes: ${name} stores ${ratio.toFixed(2)} bytes for each byte of ${stages} stages`);
    }
    await program.end();
  }
  return [...figures].map(([stages, figure]) =>
    row(`bytesPerStepOverPayload.${stages}of${textBytes}`, 'ratio', { ...besides(figure), target: TARGET }),
  );
}
