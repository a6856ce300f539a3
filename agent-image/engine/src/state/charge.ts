import { isBudgetCode, isTenthUsed, leftOf, raisedBudgets } from '../budget/budget.ts';
import type { EventOf } from '../journal/event.ts';
import { illegal, moved, type Reduced } from './move.ts';
import { finishAfter, isLastRequest, type RunState } from './run-state.ts';

type Charge = Pick<RunState['spent'], 'steps' | 'tokens' | 'moneyMicros'>;

/** Adds to what a run has spent. With another tenth of a limit, the model reads what is left. */
export function charged(state: RunState, { steps, tokens, moneyMicros }: Charge): RunState {
  const spent = {
    ...state.spent,
    steps: state.spent.steps + steps,
    tokens: state.spent.tokens + tokens,
    moneyMicros: state.spent.moneyMicros + moneyMicros,
  };
  const after = { ...state, spent };
  return isTenthUsed(state, after) ? counted(after, false) : after;
}

/**
 * Sets greater limits, and cancels an end that a limit has caused. The last request is then sent again, with tools and
 * with all its attempts.
 */
export function raised(state: RunState, event: EventOf<'budgets_raised'>): Reduced {
  const budgets = raisedBudgets(state.budgets, event.budgets);
  if (budgets === null) return illegal('not_raised');
  const next = { ...state, budgets, warnedBefore: state.warned.length };
  if (!isBudgetCode(state.finishing?.code)) return moved(counted(next, true));
  const lifted = { ...next, asking: { ...state.asking, attemptsBefore: state.asking.attempt }, finishing: null };
  return moved(counted(lifted, true, isLastRequest(state) ? state.turns.length : undefined));
}

/** Keeps one count for each place, the newest, and the mark of a raise. */
function counted(state: RunState, isRaised: boolean, afterTurns = finishAfter(state)): RunState {
  const last = state.counts.at(-1);
  const isSamePlace = last?.afterTurns === afterTurns;
  const count = { afterTurns, left: leftOf(state), isRaised: isRaised || (isSamePlace && last.isRaised) };
  return { ...state, counts: [...(isSamePlace ? state.counts.slice(0, -1) : state.counts), count] };
}
