import type { Refusal, Run, RunHint, RunLane } from '@hamlet/contract';
import { ProcessEnding, RunCancelled } from '@hamlet/engine';
import type { Log } from '../process/json-log.ts';
import { CycleOver, retry } from '../village/retry.ts';
import { createAsyncEvent, type AsyncEvent } from '../process/async-event.ts';
import type { ChildRuns } from './child-runs.ts';
import { takeRun, type Taken, type TakePorts } from './take-run.ts';
import type { Thinking } from '../engine/thinking.ts';
import type { Village } from '../village/village.ts';

/** Interval at which the worker asks for a run even without a hint, because a hint may be lost. */
export const LOOK_EVERY_MS = 60_000;

export interface WorkerPorts extends TakePorts {
  readonly log: Log;
  readonly stop: AbortSignal;
  readonly arrival: AsyncEvent;
  /** Runs that have processes in the hands; default none. Rejects if the hands do not answer. */
  readonly runsInHands?: () => Promise<readonly string[]>;
  readonly onStale: () => void;
}

export interface RunListener {
  /** The stream has opened: the worker may have missed earlier hints. */
  check(): void;
  hint(hint: RunHint): void;
  arrived(): void;
}

export interface RunWorker extends RunListener {
  /** Runs a child run outside the lanes, for its running parent; at most once at a time. */
  readonly takeBeside: ChildRuns['take'];
  readonly ended: Promise<void>;
}

/** Separate lanes, so that an answer to a message does not wait for a long task. */
const LANES: readonly RunLane[] = ['message', 'task'];

/** Takes runs until the process ends, one after another in each lane. Mutable, because it holds the current runs. */
export function startRunWorker(ports: WorkerPorts): RunWorker {
  const { log, onStale, arrival } = ports;
  const stale = new AbortController();
  const stop = AbortSignal.any([ports.stop, stale.signal]);
  const lanes = LANES.map((lane) => ({ lane, mayHaveRun: createAsyncEvent() }));
  const cancels = new Map<string, AbortController>();

  async function take(run: Run): Promise<Taken> {
    const cancel = new AbortController();
    cancels.set(run.run_id, cancel);
    const onStop = (): void => cancel.abort(new ProcessEnding('the process ends'));
    if (stop.aborted) onStop();
    else stop.addEventListener('abort', onStop, { once: true });
    log.info('run_started', { run_id: run.run_id, kind: run.kind, attempt: run.attempt });
    try {
      const taken = await takeRun(ports, run, cancel.signal);
      log.info(taken === 'ended' ? 'run_ended' : taken === 'left' ? 'run_waits' : 'run_left', { run_id: run.run_id });
      return taken;
    } finally {
      stop.removeEventListener('abort', onStop);
      cancels.delete(run.run_id);
      sweepFirst();
    }
  }

  async function work({ lane, mayHaveRun }: (typeof lanes)[number]): Promise<void> {
    while (!stop.aborted) {
      await mayHaveRun.wait(LOOK_EVERY_MS, stop);
      // A run whose result the API did not accept waits for the next hint or the next minute.
      for (let run = await nextRun(ports, lane, stop); run !== null && (await take(run)) !== 'later';)
        run = await nextRun(ports, lane, stop);
    }
  }

  const look = (): void => lanes.forEach(({ mayHaveRun }) => mayHaveRun.set());
  const sweep = sweeperOf(ports);
  // The first run has opened the journal, which may have runs that ended while this process did not work.
  const sweepFirst = once(sweep);

  /** Runs may have ended while no stream was open. */
  function check(): void {
    look();
    sweep();
  }

  function hint({ run_id, run }: RunHint): void {
    const isCancelled = run !== undefined && run.cancel_requested_at !== null;
    const cancel = cancels.get(run_id);
    if (isCancelled && cancel !== undefined) return cancel.abort(new RunCancelled('the run was cancelled'));
    // A run that waits for people may have programs in the background.
    if (isCancelled) void ports.thinking.endPrograms(run_id);
    look();
  }

  /** After an unexpected error the lane continues with the next hint, or after a minute. */
  async function inLane(lane: (typeof lanes)[number]): Promise<void> {
    while (!stop.aborted) {
      const error = await work(lane).catch((thrown: unknown) => thrown);
      if (error === undefined || stop.aborted) return;
      if (error instanceof CycleOver) {
        stale.abort(error);
        return onStale();
      }
      log.warn('run_interrupted', { lane: lane.lane, why: error instanceof Error ? error.message : String(error) });
    }
  }

  const { take: takeBeside, rest } = takerBeside(take);
  const ended = Promise.all(lanes.map(inLane)).then(rest);
  return { hint, check, arrived: () => arrival.set(), takeBeside, ended };
}

/** A refusal counts as no run, because the API may not know the agent yet. */
async function nextRun(ports: WorkerPorts, lane: RunLane, stop: AbortSignal): Promise<Run | null> {
  const answer = await retry(() => ports.village.nextRun(lane), stop, ports);
  return answer.kind === 'ok' ? answer.value : null;
}

/** Takes each run at most once at a time. Mutable, because it holds the current runs. */
function takerBeside(take: ChildRuns['take']): ChildRuns & { rest(): Promise<void> } {
  const underWay = new Map<string, Promise<Taken>>();
  return {
    take: (run) => {
      const taken = underWay.get(run.run_id) ?? take(run).finally(() => underWay.delete(run.run_id));
      underWay.set(run.run_id, taken);
      return taken;
    },
    rest: async () => void (await Promise.allSettled(underWay.values())),
  };
}

function once(act: () => void): () => void {
  let isDue = true;
  return () => {
    if (isDue) act();
    isDue = false;
  };
}

/** Ends leftover programs and closes leftover runs, one pass at a time. Mutable, because it remembers the current pass. */
function sweeperOf(ports: WorkerPorts): () => void {
  const { runsInHands = async () => [] } = ports;
  let isUnderWay = false;
  return () => {
    if (isUnderWay) return;
    isUnderWay = true;
    void Promise.all([endLeftPrograms({ ...ports, runsInHands }), closeLeftRuns(ports)]).finally(
      () => (isUnderWay = false),
    );
  };
}

/** No run has this attempt number, so the question renews no lease. */
const NO_ATTEMPT = Number.MAX_SAFE_INTEGER;
const OVER: ReadonlySet<Refusal> = new Set<Refusal>(['run_settled', 'no_such_run']);

interface Asking {
  readonly village: Pick<Village, 'renewRun'>;
  readonly cycle: number;
  readonly log: Pick<Log, 'info' | 'warn'>;
}

type LeftPrograms = Asking & {
  readonly thinking: Pick<Thinking, 'book' | 'endPrograms'>;
  readonly runsInHands: () => Promise<readonly string[]>;
};

type LeftRuns = Asking & { readonly thinking: Pick<Thinking, 'book' | 'openRuns' | 'abandon'> };

/** The reason why the API no longer knows the run as open; null without a clear answer. */
async function overAt({ village, cycle }: Asking, run: string): Promise<Refusal | null> {
  const answer = await village.renewRun(run, { cycle, attempt: NO_ATTEMPT });
  return answer.kind === 'refused' && OVER.has(answer.code) ? answer.code : null;
}

/** Closes the runs of the journal that were settled without the engine. Never rejects. */
export async function closeLeftRuns(ports: LeftRuns): Promise<void> {
  const { thinking, log } = ports;
  try {
    for (const run of await thinking.openRuns()) {
      if (thinking.book.find(run) !== undefined) continue;
      const why = await overAt(ports, run);
      if (why === null || thinking.book.find(run) !== undefined) continue;
      await thinking.abandon(run);
      log.info('run_closed', { run_id: run, why });
    }
  } catch (error) {
    log.warn('runs_left', { why: error instanceof Error ? error.message : String(error) });
  }
}

/** Ends the processes of runs that were settled meanwhile. Without a clear answer of the API they stay. Never rejects. */
export async function endLeftPrograms(ports: LeftPrograms): Promise<void> {
  const { thinking, runsInHands, log } = ports;
  try {
    for (const run of await runsInHands()) {
      if (thinking.book.find(run) !== undefined) continue;
      const why = await overAt(ports, run);
      if (why === null) continue;
      await thinking.endPrograms(run);
      log.info('programs_ended', { run_id: run, why });
    }
  } catch (error) {
    log.warn('programs_left', { why: error instanceof Error ? error.message : String(error) });
  }
}
