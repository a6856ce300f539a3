import { percentile } from '../report.ts';

/** An event of Chromium's trace; times in microseconds. `tdur` is the time in which its thread had a processor. */
export interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  readonly tdur?: number;
}

/** The work of a page's main thread, in milliseconds of processor time. */
export interface MainThreadWork {
  readonly frames: number;
  /** 95th percentile and median of the tasks that drew a frame: scripts, style, layout and the list of what to paint. */
  readonly frameP95Ms: number;
  readonly frameP50Ms: number;
  /** All other tasks: messages of sockets, timers, answers. */
  readonly otherMsPerSecond: number;
}

const TASK = 'RunTask';
const FRAME = 'FireAnimationFrame';

interface Task {
  readonly from: number;
  readonly to: number;
  readonly workMs: number;
}

/** The tasks of the thread that drew the most frames: those that drew a frame, and the others. */
export function mainThreadWork(events: readonly TraceEvent[]): MainThreadWork {
  const threadOf = ({ pid, tid }: TraceEvent): string => `${pid}/${tid}`;
  const frames = Map.groupBy(
    events.filter(({ name, ph }) => name === FRAME && ph === 'X'),
    threadOf,
  );
  const [thread, drawn] = [...frames].toSorted(([, a], [, b]) => b.length - a.length)[0] ?? [];
  if (drawn === undefined) throw new Error('the page drew no frame: its map is covered, or its agents rest');
  const tasks = events
    .filter((event) => event.ph === 'X' && event.name.endsWith(TASK) && threadOf(event) === thread)
    .map(({ ts, dur = 0, tdur = dur }): Task => ({ from: ts, to: ts + dur, workMs: tdur / 1_000 }))
    .toSorted((a, b) => a.from - b.from);
  const starts = drawn.map(({ ts }) => ts).toSorted((a, b) => a - b);
  const [framing, others] = splitBy(tasks, starts);
  const seconds = ((tasks.at(-1)?.to ?? 0) - (tasks[0]?.from ?? 0)) / 1_000_000;
  return {
    frames: framing.length,
    frameP95Ms: percentile(framing, 0.95),
    frameP50Ms: percentile(framing, 0.5),
    otherMsPerSecond: others.reduce((sum, work) => sum + work, 0) / seconds,
  };
}

/** The work of the tasks in which one of the sorted moments lies, and that of the others. */
function splitBy(tasks: readonly Task[], moments: readonly number[]): readonly [number[], number[]] {
  const split: [number[], number[]] = [[], []];
  let next = 0;
  for (const { from, to, workMs } of tasks) {
    while ((moments[next] ?? Infinity) < from) next += 1;
    split[(moments[next] ?? Infinity) <= to ? 0 : 1].push(workMs);
  }
  return split;
}
