import { readRunTraceRoots, readTracedRun, RUN_CHANGES_CHANNEL, type Db, type RunTraceRoot } from '@hamlet/store';
import { job, type Job } from '../service/jobs.ts';
import type { Notifications } from '../service/notifications.ts';
import type { Span } from './span.ts';
import { spansOfRun, traceOfRun } from './spans-of-run.ts';

const EVERY_MS = 1_000;
/** Time without a change after which a run is read: its last calls and requests out of its pod are stored by then. */
const QUIET_MS = 1_000;
/** Maximum number of runs that wait to be read, and of runs that are remembered as read; the oldest are forgotten. */
const RUNS_MAX = 10_000;
/** Maximum number of runs read at once. */
const LOOK_MAX = 500;

interface RunTracePorts {
  readonly db: Db;
  readonly notifications: Pick<Notifications, 'on' | 'leads'>;
  readonly monotonicMs: () => number;
  readonly ratio: number;
  readonly add: (spans: readonly Span[]) => void;
}

/** Puts a key at the end, and forgets the oldest of too many. */
function putLast(runs: Map<string, number>, runId: string, ms: number): void {
  runs.delete(runId);
  runs.set(runId, ms);
  const [oldest] = runs.keys();
  if (runs.size > RUNS_MAX && oldest !== undefined) runs.delete(oldest);
}

/**
 * Makes the traces of ended runs, on the replica that leads. It reads them from the database after the end, so no run
 * waits for its trace. A run that ends while no replica leads, or whose read fails, has no trace.
 */
export function runTraceJob({ db, notifications, monotonicMs, ratio, add }: RunTracePorts): Job {
  /** Monotonic times by run, oldest first: of its last change, and of its trace. */
  const changed = new Map<string, number>();
  const made = new Map<string, number>();
  notifications.on(RUN_CHANGES_CHANNEL, (runId) => {
    if (runId !== null && notifications.leads() && !made.has(runId)) putLast(changed, runId, monotonicMs());
  });
  function takeQuiet(): readonly string[] {
    const quietMs = monotonicMs() - QUIET_MS;
    const quiet = [...changed].slice(0, LOOK_MAX).flatMap(([runId, ms]) => (ms <= quietMs ? [runId] : []));
    for (const runId of quiet) changed.delete(runId);
    return quiet;
  }
  async function make(root: RunTraceRoot): Promise<void> {
    if (made.has(root.runId)) return;
    const run = traceOfRun(root, ratio).isSampled ? await readTracedRun(db, root) : null;
    if (run !== null) add(spansOfRun(run, ratio));
    putLast(made, root.runId, monotonicMs());
  }
  async function look(): Promise<void> {
    for (const root of await readRunTraceRoots(db, takeQuiet(), { endedOnly: true })) await make(root);
  }
  return job({ name: 'run-traces', everyMs: EVERY_MS, run: look });
}
