import type { RunState, SettledState } from '@hamlet/contract';

/** Cycles of an agent that may take one run up: a run that ends its agent each time is not given to it for ever. */
export const RUN_ATTEMPTS_MAX = 20;

/** What of a run decides what may become of it. */
export interface RunProgress {
  readonly state: RunState;
  readonly attempt: number;
  /** The run cycle of the agent that took it up last; null until one did. */
  readonly cycle: number | null;
  readonly cancelRequested: boolean;
}

/**
 * What is asked of a run. `start`, `step` and `settle` come from the agent in one of its cycles, `cancel` from a person or a schedule,
 * `give_up` from the village itself, for a run that nobody will end.
 */
export type RunCommand =
  | { readonly kind: 'start'; readonly cycle: number }
  | { readonly kind: 'step'; readonly cycle: number }
  | { readonly kind: 'settle'; readonly cycle: number; readonly state: SettledState }
  | { readonly kind: 'cancel' }
  | { readonly kind: 'give_up'; readonly state: 'failed' | 'cancelled' };

export type RunRefusal = 'stale_cycle' | 'run_settled' | 'run_not_started' | 'cancel_not_requested';

/** `same`: asked before, nothing changes. `spent`: the run has been taken up too often and fails instead. */
export type RunVerdict =
  | { readonly kind: 'change'; readonly next: RunProgress; readonly event: 'started' | 'redelivered' | 'step' | 'cancel_requested' | 'settled' }
  | { readonly kind: 'spent'; readonly next: RunProgress; readonly event: 'settled' }
  | { readonly kind: 'same' }
  | { readonly kind: 'refused'; readonly reason: RunRefusal };

const SAME: RunVerdict = { kind: 'same' };
const SETTLED: RunVerdict = { kind: 'refused', reason: 'run_settled' };

/** Whether a run has ended. */
export function isSettled(state: RunState): state is SettledState {
  return state === 'done' || state === 'failed' || state === 'cancelled';
}

/** What a command does to a run: every rule of the states of a run, and the only place they are in. */
export function decideRun(run: RunProgress, command: RunCommand): RunVerdict {
  switch (command.kind) {
    case 'start':
      return start(run, command.cycle);
    case 'step':
      return step(run, command.cycle);
    case 'settle':
      return settle(run, command);
    case 'cancel':
      return cancel(run);
    case 'give_up':
      return isSettled(run.state) ? SAME : settledAs(run, command.state);
  }
}

function settledAs(run: RunProgress, state: SettledState): RunVerdict {
  return { kind: 'change', next: { ...run, state }, event: 'settled' };
}

function start(run: RunProgress, cycle: number): RunVerdict {
  if (isSettled(run.state)) return SETTLED;
  if (run.cycle !== null && cycle < run.cycle) return { kind: 'refused', reason: 'stale_cycle' };
  if (run.cycle === cycle) return SAME;
  if (run.attempt >= RUN_ATTEMPTS_MAX) return { kind: 'spent', next: { ...run, state: 'failed' }, event: 'settled' };
  const next: RunProgress = { ...run, state: 'running', cycle, attempt: run.attempt + 1 };
  return { kind: 'change', next, event: run.cycle === null ? 'started' : 'redelivered' };
}

/** Null where the run is under way in this very cycle. */
function notInHand({ state, cycle }: RunProgress, asking: number): RunVerdict | null {
  if (state === 'queued' || cycle === null || asking > cycle) return { kind: 'refused', reason: 'run_not_started' };
  return asking < cycle ? { kind: 'refused', reason: 'stale_cycle' } : null;
}

function step(run: RunProgress, cycle: number): RunVerdict {
  if (isSettled(run.state)) return SETTLED;
  return notInHand(run, cycle) ?? { kind: 'change', next: run, event: 'step' };
}

function settle(run: RunProgress, { cycle, state }: { readonly cycle: number; readonly state: SettledState }): RunVerdict {
  if (isSettled(run.state)) return run.state === state && run.cycle === cycle ? SAME : SETTLED;
  const refusal = notInHand(run, cycle);
  if (refusal !== null) return refusal;
  if (state === 'cancelled' && !run.cancelRequested) return { kind: 'refused', reason: 'cancel_not_requested' };
  return settledAs(run, state);
}

function cancel(run: RunProgress): RunVerdict {
  if (isSettled(run.state)) return SETTLED;
  if (run.state === 'queued') return settledAs(run, 'cancelled');
  return run.cancelRequested ? SAME : { kind: 'change', next: { ...run, cancelRequested: true }, event: 'cancel_requested' };
}
