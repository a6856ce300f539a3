import type { Run, RunHint } from '@hamlet/contract';
import type { Log } from '../process/json-log.ts';
import { CycleOver, retry } from '../village/retry.ts';
import { createAsyncEvent } from './async-event.ts';
import { RunCancelled, takeRun, type TakePorts } from './take-run.ts';

/** Interval at which the worker asks for a run even if no hint has come, because a hint may be lost. */
export const LOOK_EVERY_MS = 60_000;

export interface WorkerPorts extends Omit<TakePorts, 'arrival'> {
  readonly log: Log;
  readonly stop: AbortSignal;
  /** Called when a newer cycle has begun. */
  readonly onStale: () => void;
}

/** Receives the events of the stream of wakes that concern runs. */
export interface RunListener {
  /** The stream has opened: the worker may have missed hints before. */
  check(): void;
  hint(hint: RunHint): void;
  /** The agent has arrived at a destination. */
  arrived(): void;
}

export interface RunWorker extends RunListener {
  /** Resolves when the worker takes no more runs. */
  readonly ended: Promise<void>;
}

/** Takes one run after the other until the process ends. Mutable because it holds the current run. */
export function startRunWorker(ports: WorkerPorts): RunWorker {
  const { village, log, stop, onStale } = ports;
  const mayHaveRun = createAsyncEvent();
  const arrival = createAsyncEvent();
  let current: { readonly runId: string; readonly cancel: AbortController } | null = null;

  async function take(run: Run): Promise<boolean> {
    const cancel = new AbortController();
    current = { runId: run.run_id, cancel };
    log.info('run_started', { run_id: run.run_id, kind: run.kind, attempt: run.attempt });
    try {
      const ended = await takeRun({ ...ports, arrival }, run, AbortSignal.any([stop, cancel.signal]));
      log.info(ended ? 'run_ended' : 'run_left', { run_id: run.run_id });
      return ended;
    } finally {
      current = null;
    }
  }

  async function work(): Promise<void> {
    while (!stop.aborted) {
      await mayHaveRun.wait(LOOK_EVERY_MS, stop);
      // A run whose end the API did not accept waits for the next hint or the next minute.
      for (let run = await next(); run !== null && (await take(run));) run = await next();
    }
  }

  /** A refusal counts as no run: the API may not know the agent yet. */
  async function next(): Promise<Run | null> {
    const answer = await retry(() => village.nextRun(), stop, ports);
    return answer.kind === 'ok' ? answer.value : null;
  }

  function hint({ run_id, run }: RunHint): void {
    const isCancelled = run !== undefined && run.cancel_requested_at !== null;
    if (isCancelled && current?.runId === run_id) current.cancel.abort(new RunCancelled('the run was cancelled'));
    else mayHaveRun.set();
  }

  const ended = work().catch((error: unknown) => {
    if (error instanceof CycleOver) return onStale();
    if (!stop.aborted) log.warn('runs_stopped', { why: error instanceof Error ? error.message : String(error) });
  });
  return { hint, check: () => mayHaveRun.set(), arrived: () => arrival.set(), ended };
}
