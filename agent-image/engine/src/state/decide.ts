import { budgetPressures, nextUse, type Pressure } from '../budget/budget.ts';
import type { ToolOutcome } from '../effects/tool-outcome.ts';
import type { BudgetCode, ClosedOutcome, Effect } from '../journal/event.ts';
import { type CallState } from './call-state.ts';
import {
  currentCalls,
  emptyTurns,
  endOfWords,
  MAX_EMPTY_ANSWERS,
  waitOfCalls,
  type Failure,
  type RunState,
} from './run-state.ts';

const MAX_MODEL_ATTEMPTS = 5;
/** Milliseconds before the next attempt, by the number of attempts so far. */
const BACKOFF_MS: readonly number[] = [0, 250, 1000, 4000, 8000];
/** Minimum milliseconds of a park, by the number of earlier parks; the last value repeats. */
const PARK_MS: readonly number[] = [1, 2, 5, 10, 20, 40, 60].map((minutes) => minutes * 60_000);
/** About a day of parks. */
const MAX_PARKS = 28;
/** Failures that waiting does not mend, although another attempt may succeed. */
const NEVER_PARKED: ReadonlySet<string> = new Set(['bad_answer', 'context_too_long']);
/** Maximum number of attempts of one call, because each attempt may kill the process. */
const MAX_CALL_ATTEMPTS = 5;

export type Command =
  | Readonly<{ type: 'open_stage' }>
  | Readonly<{ type: 'ask_model'; ask: number; attempt: number; delayMs: number }>
  | Readonly<{ type: 'warn'; code: BudgetCode }>
  | Readonly<{ type: 'finish'; code: string }>
  | Readonly<{ type: 'park'; code: string; waitMs: number }>
  | Readonly<{ type: 'start_call'; call: CallState }>
  | Readonly<{ type: 'recover_call'; call: CallState; by: Recovery }>
  | Readonly<{ type: 'ask_person'; call: CallState }>
  | Readonly<{ type: 'settle_call'; call: CallState; outcome: ToolOutcome }>
  /** Waits for calls under way, for at most the grace period, and closes the run. */
  | Readonly<{ type: 'close'; outcome: ClosedOutcome }>;

/** The next commands for a run, none while it waits; `ancestors`: the runs that it works for, whose budgets also apply. Pure. */
export function decide(state: RunState, ancestors: readonly RunState[] = []): readonly Command[] {
  if (isAtRest(state)) return [];
  if (state.cancelled) return [close({ kind: 'cancelled' })];
  if (state.stage === 'none') return [{ type: 'open_stage' }];
  const next = nextUse(state.lastAnswer);
  const pressures = budgetPressures([state, ...ancestors].map(({ spent, budgets }) => ({ spent, budgets, next })));
  const open = currentCalls(state).filter((call) => call.phase !== 'settled');
  if (open.length > 0) return callCommands(state, open, pressures);
  if (state.asking.phase === 'asking') return [];
  return [nextCommand(state, pressures)];
}

const isAtRest = ({ outcome, interrupted, parked }: RunState): boolean =>
  outcome !== null || interrupted || parked !== null;

const nextCommand = (state: RunState, pressures: readonly Pressure[]): Command =>
  closing(state) ?? warning(state, pressures) ?? afterFailure(state) ?? request(state, 1, 0);

function closing(state: RunState): Command | null {
  const { turns, finishing } = state;
  const turn = turns.at(-1);
  if (turn === undefined) return null;
  const said = turn.hasText ? turn.message : null;
  if (finishing !== null && turns.length > finishing.afterTurns) return failed(finishing.code, said);
  if (turn.calls.length > 0) return null;
  if (!turn.hasText) return emptyTurns(state) < MAX_EMPTY_ANSWERS ? null : failed('empty_answer');
  const end = endOfWords(state, turn);
  if (end === null) return null;
  return end === 'done' ? close({ kind: 'done', answer: turn.message }) : failed(end, said);
}

function warning({ finishing, warned, warnedBefore }: RunState, pressures: readonly Pressure[]): Command | null {
  if (finishing !== null) return null;
  const last = pressures.find(({ level }) => level !== 'near');
  if (last !== undefined) return { type: 'finish', code: last.code };
  const near = pressures.find(({ code }) => warned.slice(warnedBefore).every((warning) => warning.code !== code));
  return near === undefined ? null : { type: 'warn', code: near.code };
}

/** The next command after a failed request; null without one. */
function afterFailure(state: RunState): Command | null {
  const { asking, finishing, parks } = state;
  const { failure, attempt, attemptsBefore } = asking;
  if (failure === null) return null;
  const attempts = attempt - attemptsBefore;
  if (failure.retryable && attempts < MAX_MODEL_ATTEMPTS) return request(state, attempt + 1, BACKOFF_MS[attempts] ?? 0);
  if (attempts === 0) return request(state, attempt + 1, 0);
  if (finishing !== null) return failed(finishing.code);
  return parkMs(failure, parks) ?? failed(`model_${failure.code}`);
}

/** The wait for a model that cannot be reached now; null if waiting does not help. */
function parkMs({ code, retryable, retryAfterMs }: Failure, parks: number): Command | null {
  const isPassing = retryAfterMs !== null || (retryable && !NEVER_PARKED.has(code));
  if (!isPassing || parks >= MAX_PARKS) return null;
  const growing = PARK_MS[Math.min(parks, PARK_MS.length - 1)] ?? 0;
  // A provider in trouble may name a second, or none, each time.
  return { type: 'park', code, waitMs: Math.max(growing, retryAfterMs ?? 0) };
}

function request({ asking, turns }: RunState, attempt: number, delayMs: number): Command {
  const ask = attempt === 1 ? turns.length + 1 : asking.ask;
  return { type: 'ask_model', ask, attempt, delayMs };
}

const close = (outcome: ClosedOutcome): Command => ({ type: 'close', outcome });
const failed = (code: string, answer: string | null = null): Command => close({ kind: 'failed', code, answer });
function callCommands(state: RunState, open: readonly CallState[], pressures: readonly Pressure[]): readonly Command[] {
  const over = state.finishing?.code ?? pressures.find(({ level }) => level === 'over')?.code ?? null;
  const wait = waitOfCalls(state);
  return wait === null ? commandsOfCalls(state, open, over) : [{ type: 'park', ...wait }];
}

/** Calls with the effect `read` run in parallel; any other waits for all before it, and blocks those after it. `over`: the code of a used budget. */
export function commandsOfCalls(state: RunState, open: readonly CallState[], over: string | null): readonly Command[] {
  const firstWrite = open.findIndex((call) => call.effect !== 'read' && call.effect !== null);
  const startable = firstWrite === -1 ? open : open.slice(0, Math.max(firstWrite, 1));
  return startable.flatMap((call) => callCommand(state, call, over) ?? []);
}

function callCommand(state: RunState, call: CallState, over: string | null): Command | null {
  switch (call.phase) {
    case 'requested':
      if (over !== null) return settle(call, { kind: 'over_budget', code: over });
      return { type: 'start_call', call };
    case 'answered':
      return afterAnswer(call);
    case 'unknown':
      return recover(call, state.volumeLost);
    case 'asking':
      return { type: 'ask_person', call };
    case 'running':
    case 'parked':
    case 'settled':
      return null;
    default:
      return call.phase satisfies never;
  }
}

function recover(call: CallState, volumeLost: boolean): Command | null {
  if (call.effect === null) return null;
  const by = recoveryOf(call.effect, call.attempt - (call.parked?.attempts ?? 0) < MAX_CALL_ATTEMPTS, volumeLost);
  if (by !== null) return { type: 'recover_call', call, by };
  return settle(call, { kind: 'failed', code: 'no_result', text: `${call.attempt} attempts ended without a result.` });
}

type Recovery = 'run' | 'verify' | 'ask';

/** How to settle a call whose last attempt has an unknown outcome; null to give up. */
function recoveryOf(effect: Effect, hasAttempts: boolean, volumeLost: boolean): Recovery | null {
  switch (effect) {
    case 'read':
    case 'idempotent':
      return hasAttempts ? 'run' : null;
    case 'keyed':
      return hasAttempts ? 'run' : 'ask';
    case 'verify':
      return volumeLost || !hasAttempts ? 'ask' : 'verify';
    case 'once':
      return 'ask';
    default:
      return effect satisfies never;
  }
}

const settle = (call: CallState, outcome: ToolOutcome): Command => ({ type: 'settle_call', call, outcome });

function afterAnswer(call: CallState): Command {
  switch (call.question?.answer) {
    case 'allow':
    case 'repeat':
      return { type: 'start_call', call };
    case 'happened':
      return settle(call, {
        kind: 'ok',
        text: 'A person confirmed that the call was carried out. Its result is lost.',
      });
    case 'deny':
      return settle(call, { kind: 'denied', code: 'person', text: 'A person refused the call.' });
    default:
      if (call.question?.why === 'unknown')
        return settle(call, { kind: 'unknown', text: 'No person answered in time.' });
      return settle(call, { kind: 'denied', code: 'permission_expired', text: 'No person answered in time.' });
  }
}
