import type { SubjectProcess } from '../engine/subject-process.ts';
import type { Shape } from '../engine/subject.ts';
import { medianOf, row, type Row } from '../report.ts';
import { besides, DURABLE_PEERS, TEXT_BYTES, type Program, type WorkflowStage } from './programs.ts';

const SHAPES: readonly Shape[] = ['sequence', 'parallel'];
const TARGET = 3;

export interface Speed {
  readonly programs: readonly Program[];
  readonly rounds: number;
  /** Tasks of each program in a round, one after another. */
  readonly tasks: number;
  readonly stages: number;
}

type Started = readonly Readonly<{ name: Program; program: SubjectProcess }>[];

/** Stages a second of whole tasks, from their creation to their output. All programs take turns. */
export async function measureSpeed(stage: WorkflowStage, speed: Speed): Promise<readonly Row[]> {
  const started: Started = await Promise.all(
    speed.programs.map(async (name) => ({ name, program: await stage.start(name) })),
  );
  const rows: Row[] = [];
  for (const shape of SHAPES) rows.push(...rowsOf(shape, await ratesOf(started, shape, speed)));
  for (const { program } of started) await program.end();
  return rows;
}

async function ratesOf(started: Started, shape: Shape, { rounds, tasks, stages }: Speed): Promise<Rates> {
  const rates = new Map<Program, number[]>();
  const order = { type: 'tasks', shape, stages, textBytes: TEXT_BYTES, isAtOnce: false } as const;
  for (const { program } of started) await program.obey({ ...order, count: tasks });
  for (let round = 1; round <= rounds; round += 1) {
    for (const { name, program } of started) {
      const { ms } = await program.obey({ ...order, count: tasks });
      const all = rates.get(name) ?? [];
      rates.set(name, [...all, ...ms.map((each) => (stages / each) * 1_000)]);
    }
    console.log(`${shape}: round ${round} of ${rounds}`);
  }
  return new Map([...rates].map(([name, all]) => [name, medianOf(all)]));
}

type Rates = ReadonlyMap<Program, number>;

function rowsOf(shape: Shape, rates: Rates): readonly Row[] {
  const figure = besides(rates);
  const durable = DURABLE_PEERS.flatMap((name) => rates.get(name) ?? []);
  const rate = row(`stepsPerSecond.${shape}`, '1/s', { better: 'higher', ...figure });
  if (durable.length === 0) return [rate];
  const ours = figure.ours / Math.max(...durable);
  return [rate, row(`stepsPerSecondOverBestDurable.${shape}`, 'ratio', { better: 'higher', ours, target: TARGET })];
}
