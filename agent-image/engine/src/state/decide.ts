import { budgetPressure, type Pressure } from '../budget/budget.ts';
import type { ToolOutcome } from '../effects/tool-outcome.ts';
import type { BudgetCode, ClosedOutcome, Effect } from '../journal/event.ts';
import { currentCalls, type CallState, type RunState } from './run-state.ts';

const MAX_MODEL_ATTEMPTS = 5;
/** Milliseconds before the next attempt, by the number of attempts so far. */
const BACKOFF_MS: readonly number[] = [0, 250, 1000, 4000, 8000];
/** Maximum number of attempts of one call, because each attempt may kill the process. */
const MAX_CALL_ATTEMPTS = 5;

export type Command =
  | Readonly<{ type: 'open_stage' }>
  | Readonly<{ type: 'ask_model'; ask: number; attempt: number; delayMs: number; withTools: boolean }>
  | Readonly<{ type: 'warn'; code: BudgetCode }>
  | Readonly<{ type: 'start_call'; call: CallState }>
  | Readonly<{ type: 'recover_call'; call: CallState; by: Recovery }>
  | Readonly<{ type: 'ask_person'; call: CallState }>
  | Readonly<{ type: 'settle_call'; call: CallState; outcome: ToolOutcome }>
  /** Waits for calls under way, for at most the grace period, and closes the run. */
  | Readonly<{ type: 'close'; outcome: ClosedOutcome }>;

/**
 * The next commands for a run; `ancestors` are the runs that it works for, whose budgets also apply. Pure. Without commands the
 * run waits for calls in progress, a person, or an engine that resumes it.
 */
export function decide(state: RunState, ancestors: readonly RunState[] = []): readonly Command[] {
  if (state.outcome !== null || state.interrupted) return [];
  if (state.cancelled) return [close({ kind: 'cancelled' })];
  if (state.stage === 'none') return [{ type: 'open_stage' }];
  const pressure = budgetPressure(
    [state, ...ancestors].map(({ spent, opened }) => ({ spent, budgets: opened.budgets })),
  );
  const open = currentCalls(state).filter((call) => call.phase !== 'settled');
  if (open.length > 0) return callCommands(state, open, pressure);
  return state.asking.phase === 'asking' ? [] : [closing(state, pressure) ?? nextRequest(state, pressure)];
}

function closing({ turns, asking, warned }: RunState, pressure: Pressure): Command | null {
  const turn = turns.at(-1);
  if (turn !== undefined && turn.calls.length === 0)
    return close(turn.hasText ? { kind: 'done', answer: turn.message } : failed('empty_answer'));
  const { failure } = asking;
  if (failure !== null && (!failure.retryable || asking.attempt >= MAX_MODEL_ATTEMPTS))
    return close(failed(`model_${failure.code}`));
  // The request after the warning may exceed the budget, so that the model can finish. A second one may not.
  const isWarned = warned !== null && turns.length > warned.afterTurns;
  return isWarned && isOver(pressure) ? close(failed(pressure.code)) : null;
}

const isOver = (pressure: Pressure): pressure is NonNullable<Pressure> => pressure?.level === 'over';
const close = (outcome: ClosedOutcome): Command => ({ type: 'close', outcome });
const failed = (code: string): ClosedOutcome => ({ kind: 'failed', code });

function nextRequest({ asking, turns, warned }: RunState, pressure: Pressure): Command {
  if (pressure !== null && warned === null) return { type: 'warn', code: pressure.code };
  const withTools = !isOver(pressure);
  if (asking.failure === null) return { type: 'ask_model', ask: turns.length + 1, attempt: 1, delayMs: 0, withTools };
  const delayMs = BACKOFF_MS[asking.attempt] ?? 0;
  return { type: 'ask_model', ask: asking.ask, attempt: asking.attempt + 1, delayMs, withTools };
}

/** Calls with the effect `read` run in parallel. Any other call waits for all before it, and blocks those after it. */
function callCommands(state: RunState, open: readonly CallState[], pressure: Pressure): readonly Command[] {
  const firstWrite = open.findIndex((call) => call.effect !== 'read' && call.effect !== null);
  const startable = firstWrite === -1 ? open : open.slice(0, Math.max(firstWrite, 1));
  return startable.flatMap((call) => callCommand(state, call, pressure) ?? []);
}

function callCommand(state: RunState, call: CallState, pressure: Pressure): Command | null {
  switch (call.phase) {
    case 'requested':
      if (isOver(pressure)) return settle(call, { kind: 'over_budget', code: pressure.code });
      return { type: 'start_call', call };
    case 'answered':
      return afterAnswer(call);
    case 'unknown':
      return recover(call, state.volumeLost);
    case 'asking':
      return { type: 'ask_person', call };
    case 'running':
    case 'settled':
      return null;
    default:
      return call.phase satisfies never;
  }
}

function recover(call: CallState, volumeLost: boolean): Command | null {
  if (call.effect === null) return null;
  const by = recoveryOf(call.effect, call.attempt < MAX_CALL_ATTEMPTS, volumeLost);
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
