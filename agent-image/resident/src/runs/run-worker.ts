import type { Run, RunHint } from '@hamlet/contract';
import type { Log } from '../json-log.ts';
import { createBell } from './bell.ts';
import { CycleOver, untilTold } from './patience.ts';
import type { RunEars } from './run-ears.ts';
import { RunCancelled, takeRun } from './take-run.ts';
import type { TakePorts } from './take-run.ts';

/** Without a hint it asks for a run so often: what a hint would have said is there to be found. */
export const LOOK_EVERY_MS = 60_000;

export interface WorkerPorts extends Omit<TakePorts, 'arrival'> {
  readonly log: Log;
  readonly stop: AbortSignal;
  /** Hears that a newer cycle has begun. */
  readonly onStale: () => void;
}

export interface RunWorker extends RunEars {
  /** Resolves when no more runs are taken. */
  readonly ended: Promise<void>;
}

/** Takes one run after the other, whenever there is one, until the process ends. Mutable because it holds the run in hand. */
export function startRunWorker(ports: WorkerPorts): RunWorker {
  const { village, log, stop, onStale } = ports;
  const bell = createBell();
  const arrival = createBell();
  let inHand: { readonly runId: string; readonly cancel: AbortController } | null = null;

  async function take(run: Run): Promise<boolean> {
    const cancel = new AbortController();
    inHand = { runId: run.run_id, cancel };
    log.info('run_started', { run_id: run.run_id, kind: run.kind, attempt: run.attempt });
    try {
      const ended = await takeRun({ ...ports, arrival }, run, AbortSignal.any([stop, cancel.signal]));
      log.info(ended ? 'run_ended' : 'run_left', { run_id: run.run_id });
      return ended;
    } finally {
      inHand = null;
    }
  }

  async function work(): Promise<void> {
    while (!stop.aborted) {
      await bell.wait(LOOK_EVERY_MS, stop);
      // One whose end is not taken is looked at again when something is heard of it, or a minute has passed.
      for (let run = await next(); run !== null && (await take(run));) run = await next();
    }
  }

  /** A refusal is no run: an Agent may not be known to the api yet. */
  async function next(): Promise<Run | null> {
    const answer = await untilTold(() => village.nextRun(), stop, ports);
    return answer.kind === 'ok' ? answer.value : null;
  }

  function hint({ run_id, run }: RunHint): void {
    const cancelling = run !== undefined && run.cancel_requested_at !== null;
    if (cancelling && inHand?.runId === run_id) inHand.cancel.abort(new RunCancelled('somebody wants this run to end'));
    else bell.ring();
  }

  const ended = work().catch((error: unknown) => {
    if (error instanceof CycleOver) return onStale();
    if (!stop.aborted) log.warn('runs_stopped', { why: error instanceof Error ? error.message : String(error) });
  });
  return { hint, look: () => bell.ring(), arrived: () => arrival.ring(), ended };
}
