import { medianOf, row, type Row } from '../report.ts';
import type { WorkflowStage } from './programs.ts';

const TARGET_MS = 100;
const NODES = 1_000;
const WARM_UP = 5;

/** Time in which our engine reads, validates and compiles manifests with a thousand nodes, and opens its data: the first time in a process, and later. */
export async function measureValidation(stage: WorkflowStage, rounds: number): Promise<readonly Row[]> {
  const [first, later]: [number[], number[]] = [[], []];
  for (let round = 1; round <= rounds; round += 1) {
    const program = await stage.start('hamlet');
    const order = { type: 'validate', nodes: NODES } as const;
    first.push(...(await program.obey(order)).ms);
    for (let count = 0; count < WARM_UP; count += 1) await program.obey(order);
    later.push(...(await program.obey(order)).ms);
    await program.end();
  }
  const row1000 = row('validate1000NodesMs', 'ms', { ours: medianOf(first), target: TARGET_MS });
  return [row1000, row('validate1000NodesAgainMs', 'ms', { ours: medianOf(later) })];
}
