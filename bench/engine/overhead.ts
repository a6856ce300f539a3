import { medianOf, row, type Row } from '../report.ts';
import { peersOf } from './figures.ts';
import { SUBJECTS, type Name, type Stage } from './stage.ts';

const CALLS = 20;
const RUNS = 20;
const WARM_UP_RUNS = 40;
const TARGET_MS = 0.15;

interface Times {
  readonly wallMs: number[];
  readonly cpuMs: number[];
}

/** Time of a tool call (a request, its answer, the call) over that of the bare loop. All programs take turns. */
export async function measureOverhead(stage: Stage, rounds: number): Promise<readonly Row[]> {
  const times = new Map<Name, Times>(SUBJECTS.map((name) => [name, { wallMs: [], cpuMs: [] }]));
  const programs = await Promise.all(SUBJECTS.map(async (name) => ({ name, program: await stage.start(name) })));
  for (const { program } of programs) await program.obey({ type: 'runs', count: WARM_UP_RUNS, calls: CALLS });
  for (let round = 1; round <= rounds; round += 1) {
    for (const { name, program } of programs) {
      const { ms, cpuMs } = await program.obey({ type: 'runs', count: RUNS, calls: CALLS });
      times.get(name)?.wallMs.push(...ms.map((each) => each / CALLS));
      times.get(name)?.cpuMs.push(cpuMs / RUNS / CALLS);
    }
    console.log(`overhead: round ${round} of ${rounds}`);
  }
  for (const { program } of programs) await program.end();
  return [
    rowOf('toolCallOverheadMs', TARGET_MS, new Map([...times].map(([name, { wallMs }]) => [name, medianOf(wallMs)]))),
    rowOf('toolCallOverheadCpuMs', null, new Map([...times].map(([name, { cpuMs }]) => [name, medianOf(cpuMs)]))),
  ];
}

function rowOf(metric: string, target: number | null, each: ReadonlyMap<Name, number>): Row {
  const bare = each.get('bare') ?? Number.NaN;
  console.log(`${metric}: the bare loop takes ${bare.toFixed(3)} ms`);
  const over = new Map([...each].map(([name, value]) => [name, value - bare]));
  const peers = { ...peersOf(over), bareLoopItself: bare };
  return row(metric, 'ms', { ours: over.get('hamlet') ?? Number.NaN, peers, target });
}
