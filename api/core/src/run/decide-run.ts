import type { RunState, SettledState } from '@hamlet/contract';

/** Maximum attempts in a row without progress, because a run that crashes its agent would otherwise restart endlessly. */
export const RUN_ATTEMPTS_MAX = 5;

export interface RunProgress {
  readonly state: RunState;
  readonly attempt: number;
  /** The newest attempt with a new journal entry or step; 0 before. */
  readonly progressAttempt: number;
  /** Cycle at the last start. */
  readonly cycle: number | null;
  readonly cancelRequested: boolean;
}

/** Maximum number and total time of the parks of one run, because its agent names each wait. */
const RUN_PARKS_MAX = 200;
const RUN_PARKED_MAX_MS = 604_800_000;

interface RunParks {
  readonly count: number;
  readonly totalMs: number;
}

/** Old residents send no attempt, so only the cycle is compared. */
export interface RunClaim {
  readonly cycle: number;
  readonly attempt?: number | undefined;
}

/**
 * Agents start, work, wait and settle; people and Schedules cancel; the API lets a lease lapse, resumes a run whose last
 * permission was answered or has expired, or gives up a run. `journal`: the agent sends new entries of its journal.
 * `park`: its model cannot be reached now, so the run waits for it in the queue. `parks`: with this one.
 */
export type RunCommand =
  /** `isParked`: the time at which its agent may start the run again has not come. */
  | { readonly kind: 'start'; readonly cycle: number; readonly isParked?: boolean }
  | ({ readonly kind: 'step' | 'renew' | 'journal' } & RunClaim)
  | ({ readonly kind: 'park'; readonly parks: RunParks } & RunClaim)
  | ({ readonly kind: 'wait'; readonly pending: boolean } & RunClaim)
  | ({ readonly kind: 'settle'; readonly state: SettledState; readonly unfit?: UnfitCode | null } & RunClaim)
  | { readonly kind: 'cancel' | 'lapse' | 'resume' }
  | { readonly kind: 'give_up'; readonly state: 'failed' | 'cancelled' };

export type RunRefusal =
  | 'stale_cycle'
  | 'run_settled'
  | 'run_not_started'
  | 'run_waiting'
  | 'run_parked'
  | 'claim_lapsed'
  | 'cancel_not_requested';

type ChangeEvent =
  | 'queued'
  | 'started'
  | 'redelivered'
  | 'step'
  | 'waiting'
  | 'cancel_requested'
  | 'lapsed'
  | 'settled';

/** Why the API fails a run that its agent reports as done: it has neither effect nor answer, or no answer that fits its output schema. */
export type UnfitCode = 'run_did_nothing' | 'output_not_valid';

type FailureCode = 'too_many_attempts' | 'parked_too_long' | UnfitCode;

/**
 * `progressed`: a change without an event of its own. `renewed`: only the lease is renewed. `failed`: the API fails the
 * run, for a reason of its own.
 */
export type RunVerdict =
  | { readonly kind: 'change'; readonly next: RunProgress; readonly event: ChangeEvent }
  | {
      readonly kind: 'failed';
      readonly next: RunProgress;
      readonly event: 'settled';
      readonly code: FailureCode;
    }
  | { readonly kind: 'progressed'; readonly next: RunProgress }
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
      return start(run, command);
    case 'step':
    case 'renew':
    case 'journal':
      return work(run, command);
    case 'wait':
      return wait(run, command);
    case 'park':
      return park(run, command);
    case 'settle':
      return settle(run, command);
    default:
      return decideFromOutside(run, command);
  }
}

type OutsideCommand = Extract<RunCommand, { readonly kind: 'cancel' | 'lapse' | 'resume' | 'give_up' }>;

function decideFromOutside(run: RunProgress, command: OutsideCommand): RunVerdict {
  switch (command.kind) {
    case 'cancel':
      return cancel(run);
    case 'lapse':
      return lapse(run);
    case 'resume':
      return resume(run);
    case 'give_up':
      return giveUp(run, command.state);
  }
}

function settledAs(run: RunProgress, state: SettledState): RunVerdict {
  return { kind: 'change', next: { ...run, state }, event: 'settled' };
}

type Start = Extract<RunCommand, { readonly kind: 'start' }>;

function start(run: RunProgress, command: Start): RunVerdict {
  const { cycle } = command;
  if (isSettled(run.state)) return SETTLED;
  const reason = refusalToStart(run, command);
  if (reason !== null) return { kind: 'refused', reason };
  if (run.cycle === cycle && run.state === 'running') return RENEWED;
  if (isSpent(run)) return failed(run, 'too_many_attempts');
  const next: RunProgress = { ...run, state: 'running', cycle, attempt: run.attempt + 1 };
  return { kind: 'change', next, event: run.cycle === null ? 'started' : 'redelivered' };
}

function refusalToStart({ state, cycle }: RunProgress, command: Start): RunRefusal | null {
  if (cycle !== null && command.cycle < cycle) return 'stale_cycle';
  if (state === 'waiting_permission') return 'run_waiting';
  return state === 'queued' && command.isParked === true ? 'run_parked' : null;
}

function work(
  run: RunProgress,
  { kind, ...claim }: RunClaim & { readonly kind: 'step' | 'renew' | 'journal' },
): RunVerdict {
  const refusal = inHand(run, claim);
  if (refusal !== null) return refusal;
  if (kind === 'renew') return RENEWED;
  const next: RunProgress = { ...run, progressAttempt: run.attempt };
  return kind === 'step' ? { kind: 'change', next, event: 'step' } : { kind: 'progressed', next };
}

/** A run that is to be cancelled does not wait: its agent ends it. */
function wait(run: RunProgress, { pending, ...claim }: RunClaim & { readonly pending: boolean }): RunVerdict {
  const refusal = inHand(run, claim);
  if (refusal !== null) return refusal;
  if (!pending || run.cancelRequested) return RENEWED;
  return { kind: 'change', next: { ...run, state: 'waiting_permission' }, event: 'waiting' };
}

/** The run did not cause the outage, so the attempt counts as one with progress. */
function park(run: RunProgress, { parks, ...claim }: RunClaim & { readonly parks: RunParks }): RunVerdict {
  const refusal = inHand(run, claim);
  if (refusal !== null) return refusal;
  if (run.cancelRequested) return RENEWED;
  if (parks.count > RUN_PARKS_MAX || parks.totalMs > RUN_PARKED_MAX_MS) return failed(run, 'parked_too_long');
  return { kind: 'change', next: { ...run, state: 'queued', progressAttempt: run.attempt }, event: 'queued' };
}

function resume(run: RunProgress): RunVerdict {
  if (run.state !== 'waiting_permission') return SAME;
  return { kind: 'change', next: { ...run, state: 'queued' }, event: 'queued' };
}

function giveUp(run: RunProgress, state: 'failed' | 'cancelled'): RunVerdict {
  return isSettled(run.state) ? SAME : settledAs(run, state);
}

const isSpent = ({ attempt, progressAttempt }: RunProgress): boolean => attempt - progressAttempt >= RUN_ATTEMPTS_MAX;

function failed(run: RunProgress, code: FailureCode): RunVerdict {
  return { kind: 'failed', next: { ...run, state: 'failed' }, event: 'settled', code };
}

function inHand(run: RunProgress, asking: RunClaim): RunVerdict | null {
  const { state, cycle, attempt } = run;
  if (isSettled(state)) return SETTLED;
  if (cycle === null || asking.cycle > cycle) return { kind: 'refused', reason: 'run_not_started' };
  if (asking.cycle < cycle) return { kind: 'refused', reason: 'stale_cycle' };
  const held = state === 'running' && (asking.attempt === undefined || asking.attempt === attempt);
  return held ? null : { kind: 'refused', reason: 'claim_lapsed' };
}

/** A run whose result is unfit is never done: it fails. */
function settle(
  run: RunProgress,
  { state, unfit = null, ...claim }: Extract<RunCommand, { readonly kind: 'settle' }>,
): RunVerdict {
  const failing = state === 'done' ? unfit : null;
  const end = failing === null ? state : 'failed';
  if (isSettled(run.state)) return run.state === end && run.cycle === claim.cycle ? SAME : SETTLED;
  return inHand(run, claim) ?? endAs(run, state, failing);
}

function endAs(run: RunProgress, state: SettledState, failing: UnfitCode | null): RunVerdict {
  if (state === 'cancelled' && !run.cancelRequested) return { kind: 'refused', reason: 'cancel_not_requested' };
  return failing === null ? settledAs(run, state) : failed(run, failing);
}

function cancel(run: RunProgress): RunVerdict {
  if (isSettled(run.state)) return SETTLED;
  if (run.state !== 'running') return settledAs(run, 'cancelled');
  return run.cancelRequested
    ? SAME
    : { kind: 'change', next: { ...run, cancelRequested: true }, event: 'cancel_requested' };
}

/** Recorded steps stay. A run with a requested cancel stays as it is: `give_up` ends it later. */
function lapse(run: RunProgress): RunVerdict {
  if (run.state !== 'running' || run.cancelRequested) return SAME;
  return isSpent(run)
    ? failed(run, 'too_many_attempts')
    : { kind: 'change', next: { ...run, state: 'queued' }, event: 'lapsed' };
}

/** Times by the database's clock, in ms. */
interface ClaimFacts {
  /** Null if no agent holds a lease. */
  readonly leaseUntilMs: number | null;
  /** Start of the API's present uninterrupted uptime. */
  readonly attentiveSinceMs: number;
  readonly leaseMs: number;
  readonly nowMs: number;
}

/** After an outage of the API, a lease lasts for another full length, because agents could not renew it meanwhile. */
export function claimLapsed({ leaseUntilMs, attentiveSinceMs, leaseMs, nowMs }: ClaimFacts): boolean {
  return leaseUntilMs !== null && leaseUntilMs < nowMs && attentiveSinceMs + leaseMs <= nowMs;
}
