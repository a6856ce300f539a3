import type { RunState, SettledState } from '@hamlet/contract';

/** Cycles in which an agent may start one run, so that a run that crashes it is not delivered without end. */
export const RUN_ATTEMPTS_MAX = 20;

/** Fields of a run on which decisions depend. */
export interface RunProgress {
  readonly state: RunState;
  readonly attempt: number;
  /** The run cycle of the agent that took it up last; null until one did. */
  readonly cycle: number | null;
  readonly cancelRequested: boolean;
}

/** The claim under which an agent works on a run. A resident that is older than claims names no attempt: its cycle alone is compared. */
export interface RunClaim {
  readonly cycle: number;
  readonly attempt?: number | undefined;
}

/**
 * A command to a run. `start`, `step`, `renew` and `settle` come from the agent in one of its cycles, `cancel` from a person or a schedule,
 * `lapse` from the village when the lease was not renewed in time, `give_up` from the village for a run that its agent will not end.
 */
export type RunCommand =
  | { readonly kind: 'start'; readonly cycle: number }
  | ({ readonly kind: 'step' | 'renew' } & RunClaim)
  | ({ readonly kind: 'settle'; readonly state: SettledState } & RunClaim)
  | { readonly kind: 'cancel' }
  | { readonly kind: 'lapse' }
  | { readonly kind: 'give_up'; readonly state: 'failed' | 'cancelled' };

export type RunRefusal = 'stale_cycle' | 'run_settled' | 'run_not_started' | 'claim_lapsed' | 'cancel_not_requested';

/** `same`: asked before, nothing changes. `renewed`: the claim holds for another lease, nothing else changes. `spent`: the run has been taken up too often and fails instead. */
export type RunVerdict =
  | {
      readonly kind: 'change';
      readonly next: RunProgress;
      readonly event: 'started' | 'redelivered' | 'step' | 'cancel_requested' | 'lapsed' | 'settled';
    }
  | { readonly kind: 'spent'; readonly next: RunProgress; readonly event: 'settled' }
  | { readonly kind: 'same' }
  | { readonly kind: 'renewed' }
  | { readonly kind: 'refused'; readonly reason: RunRefusal };

const SAME: RunVerdict = { kind: 'same' };
const RENEWED: RunVerdict = { kind: 'renewed' };
const SETTLED: RunVerdict = { kind: 'refused', reason: 'run_settled' };

/** Whether a run has ended. */
export function isSettled(state: RunState): state is SettledState {
  return state === 'done' || state === 'failed' || state === 'cancelled';
}

/** Effect of a command on a run: the only place of the rules about states of a run. */
export function decideRun(run: RunProgress, command: RunCommand): RunVerdict {
  switch (command.kind) {
    case 'start':
      return start(run, command.cycle);
    case 'step':
    case 'renew':
      return work(run, command);
    case 'settle':
      return settle(run, command);
    case 'cancel':
      return cancel(run);
    case 'lapse':
      return lapse(run);
    case 'give_up':
      return giveUp(run, command.state);
  }
}

function settledAs(run: RunProgress, state: SettledState): RunVerdict {
  return { kind: 'change', next: { ...run, state }, event: 'settled' };
}

function start(run: RunProgress, cycle: number): RunVerdict {
  if (isSettled(run.state)) return SETTLED;
  if (run.cycle !== null && cycle < run.cycle) return { kind: 'refused', reason: 'stale_cycle' };
  if (run.cycle === cycle && run.state !== 'queued') return RENEWED;
  if (run.attempt >= RUN_ATTEMPTS_MAX) return spent(run);
  const next: RunProgress = { ...run, state: 'running', cycle, attempt: run.attempt + 1 };
  return { kind: 'change', next, event: run.cycle === null ? 'started' : 'redelivered' };
}

function work(run: RunProgress, { kind, ...claim }: RunClaim & { readonly kind: 'step' | 'renew' }): RunVerdict {
  const refusal = inHand(run, claim);
  if (refusal !== null) return refusal;
  return kind === 'renew' ? RENEWED : { kind: 'change', next: run, event: 'step' };
}

function giveUp(run: RunProgress, state: 'failed' | 'cancelled'): RunVerdict {
  return isSettled(run.state) ? SAME : settledAs(run, state);
}

function spent(run: RunProgress): RunVerdict {
  return { kind: 'spent', next: { ...run, state: 'failed' }, event: 'settled' };
}

/** Null if the run is under way under this very claim, else the refusal. */
function inHand(run: RunProgress, asking: RunClaim): RunVerdict | null {
  const { state, cycle, attempt } = run;
  if (isSettled(state)) return SETTLED;
  if (cycle === null || asking.cycle > cycle) return { kind: 'refused', reason: 'run_not_started' };
  if (asking.cycle < cycle) return { kind: 'refused', reason: 'stale_cycle' };
  const held = state !== 'queued' && (asking.attempt === undefined || asking.attempt === attempt);
  return held ? null : { kind: 'refused', reason: 'claim_lapsed' };
}

function settle(run: RunProgress, { state, ...claim }: RunClaim & { readonly state: SettledState }): RunVerdict {
  if (isSettled(run.state)) return run.state === state && run.cycle === claim.cycle ? SAME : SETTLED;
  const refusal = inHand(run, claim);
  if (refusal !== null) return refusal;
  if (state === 'cancelled' && !run.cancelRequested) return { kind: 'refused', reason: 'cancel_not_requested' };
  return settledAs(run, state);
}

function cancel(run: RunProgress): RunVerdict {
  if (isSettled(run.state)) return SETTLED;
  if (run.state === 'queued') return settledAs(run, 'cancelled');
  return run.cancelRequested
    ? SAME
    : { kind: 'change', next: { ...run, cancelRequested: true }, event: 'cancel_requested' };
}

/** The run waits again, behind the steps that were noted. One that is to be cancelled stays: the village gives it up when its grace is over. */
function lapse(run: RunProgress): RunVerdict {
  if (isSettled(run.state) || run.state === 'queued' || run.cancelRequested) return SAME;
  return run.attempt >= RUN_ATTEMPTS_MAX
    ? spent(run)
    : { kind: 'change', next: { ...run, state: 'queued' }, event: 'lapsed' };
}

/** Facts that decide whether the lease on a run has lapsed. Times are of the database's clock, in ms. */
export interface ClaimFacts {
  /** End of the lease; null if no agent has the run. */
  readonly leaseUntilMs: number | null;
  /** Time since when the village accepts renewals without a pause that it noticed. */
  readonly attentiveSinceMs: number;
  readonly leaseMs: number;
  readonly nowMs: number;
}

/**
 * Whether the lease of the agent has lapsed. After an absence of its own the village gives every lease its full length first, as no agent
 * could renew meanwhile.
 */
export function claimLapsed({ leaseUntilMs, attentiveSinceMs, leaseMs, nowMs }: ClaimFacts): boolean {
  return leaseUntilMs !== null && leaseUntilMs < nowMs && attentiveSinceMs + leaseMs <= nowMs;
}
