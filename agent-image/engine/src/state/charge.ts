import { isBudgetCode, isTenthUsed, leftOf, raisedBudgets } from '../budget/budget.ts';
import type { EventOf } from '../journal/event.ts';
import { illegal, moved, type Reduced } from './move.ts';
import { finishAfter, type RunState } from './run-state.ts';

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

/** Sets greater limits, and lifts the end by a limit unless the last request is in progress. */
export function raised(state: RunState, event: EventOf<'budgets_raised'>): Reduced {
  const budgets = raisedBudgets(state.budgets, event.budgets);
  if (budgets === null) return illegal('not_raised');
  const goesOn = state.asking.phase !== 'asking' && isBudgetCode(state.finishing?.code);
  const next = { ...state, budgets, warnedBefore: state.warned.length, finishing: goesOn ? null : state.finishing };
  return moved(counted(next, true));
}

/** One count a place: the newest, with the news of a raise. */
function counted(state: RunState, isRaised: boolean): RunState {
  const afterTurns = finishAfter(state);
  const last = state.counts.at(-1);
  const isSamePlace = last?.afterTurns === afterTurns;
  const count = { afterTurns, left: leftOf(state), isRaised: isRaised || (isSamePlace && last.isRaised) };
  return { ...state, counts: [...(isSamePlace ? state.counts.slice(0, -1) : state.counts), count] };
}
