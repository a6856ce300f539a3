import { row, type Row } from '../report.ts';
import { besides, TEXT_BYTES, type Program, type WorkflowStage } from './programs.ts';

export interface AtOnce {
  readonly programs: readonly Program[];
  readonly tasks: number;
  readonly stages: number;
}

/** Sequences that are all under way at once: their stages a second, and the largest memory of the process. */
export async function measureAtOnce(
  stage: WorkflowStage,
  { programs, tasks, stages }: AtOnce,
): Promise<readonly Row[]> {
  const [rates, peaks] = [new Map<Program, number>(), new Map<Program, number>()];
  for (const name of programs) {
    const program = await stage.start(name);
    const order = { type: 'tasks', shape: 'sequence', stages, textBytes: TEXT_BYTES, isAtOnce: true } as const;
    await program.obey({ ...order, count: 1 });
    const { ms } = await program.obey({ ...order, count: tasks });
    rates.set(name, ((tasks * stages) / (ms[0] ?? Number.NaN)) * 1_000);
    peaks.set(name, program.peakRssMb());
    await program.end();
    console.log(`at once: ${name} ends ${tasks} tasks in ${ms[0]?.toFixed(0)} ms`);
  }
  return [
    row('stepsPerSecond.tasksAtOnce', '1/s', { better: 'higher', ...besides(rates) }),
    row('peakRssMb.tasksAtOnce', 'MB', besides(peaks)),
  ];
}
