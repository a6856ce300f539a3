import type { RunState, SettledState } from '@hamlet/contract';

/** Without this limit, a run that crashes its agent would be delivered again without end. */
export const RUN_ATTEMPTS_MAX = 20;

export interface RunProgress {
  readonly state: RunState;
  readonly attempt: number;
  /** Cycle at the last start. */
  readonly cycle: number | null;
  readonly cancelRequested: boolean;
}

/** Old residents send no attempt, so only their cycle is compared. */
export interface RunClaim {
  readonly cycle: number;
  readonly attempt?: number | undefined;
}

/** Agents start, work and settle; people and Schedules cancel; the API lets a claim lapse or gives up a run. */
export type RunCommand =
  | { readonly kind: 'start'; readonly cycle: number }
  | ({ readonly kind: 'step' | 'renew' } & RunClaim)
  | ({ readonly kind: 'settle'; readonly state: SettledState } & RunClaim)
  | { readonly kind: 'cancel' }
  | { readonly kind: 'lapse' }
  | { readonly kind: 'give_up'; readonly state: 'failed' | 'cancelled' };

export type RunRefusal = 'stale_cycle' | 'run_settled' | 'run_not_started' | 'claim_lapsed' | 'cancel_not_requested';

/** `renewed`: only the lease is renewed. `spent`: the run has used up its attempts and fails. */
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

export function isSettled(state: RunState): state is SettledState {
  return state === 'done' || state === 'failed' || state === 'cancelled';
}

/** All rules about the states of a run are here. Pure. */
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

/** The refusal of `asking` if it is not the present claim of the run; null if it is. */
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

/** Recorded steps stay. A run with a requested cancel stays as it is: `give_up` ends it later. */
function lapse(run: RunProgress): RunVerdict {
  if (isSettled(run.state) || run.state === 'queued' || run.cancelRequested) return SAME;
  return run.attempt >= RUN_ATTEMPTS_MAX
    ? spent(run)
    : { kind: 'change', next: { ...run, state: 'queued' }, event: 'lapsed' };
}

/** Times by the database's clock, in ms. */
export interface ClaimFacts {
  /** Null if no agent holds a lease. */
  readonly leaseUntilMs: number | null;
  /** Since then the API has accepted renewals without an interruption. */
  readonly attentiveSinceMs: number;
  readonly leaseMs: number;
  readonly nowMs: number;
}

/** After an interruption of the API, a lease lasts for another full length: no agent could renew it meanwhile. */
export function claimLapsed({ leaseUntilMs, attentiveSinceMs, leaseMs, nowMs }: ClaimFacts): boolean {
  return leaseUntilMs !== null && leaseUntilMs < nowMs && attentiveSinceMs + leaseMs <= nowMs;
}
