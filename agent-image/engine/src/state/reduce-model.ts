import type { EventOf } from '../journal/event.ts';
import { illegal, moved, type Reduced } from './move.ts';
import { currentCalls, type CallState, type RunState } from './run-state.ts';

export const MODEL_EVENTS = ['model_asked', 'model_answered', 'model_failed', 'budget_spent', 'budget_warned'] as const;

export function reduceModel(state: RunState, event: EventOf<(typeof MODEL_EVENTS)[number]>): Reduced {
  switch (event.type) {
    case 'model_asked':
      return asked(state, event);
    case 'model_answered':
      return isUnderWay(state, event) ? moved(answered(state, event)) : illegal('not_asking');
    case 'model_failed':
      return isUnderWay(state, event) ? moved(failed(state, event)) : illegal('not_asking');
    case 'budget_spent':
      return moved(charged(state, event));
    case 'budget_warned':
      if (state.warned !== null) return illegal('already_warned');
      return moved({ ...state, warned: { code: event.code, afterTurns: state.turns.length } });
    default:
      return event satisfies never;
  }
}

function asked(state: RunState, { ask, attempt }: EventOf<'model_asked'>): Reduced {
  if (state.stage !== 'open') return illegal('stage_order');
  if (currentCalls(state).some((call) => call.phase !== 'settled')) return illegal('calls_open');
  if (state.asking.phase === 'asking') return illegal('already_asking');
  return moved({ ...state, asking: { phase: 'asking', ask, attempt, failure: null } });
}

const isUnderWay = ({ asking }: RunState, event: Readonly<{ ask: number; attempt: number }>): boolean =>
  asking.phase === 'asking' && asking.ask === event.ask && asking.attempt === event.attempt;

function answered(state: RunState, event: EventOf<'model_answered'>): RunState {
  const turn = { message: event.message, hasText: event.hasText, calls: event.calls.map(requested) };
  const next: RunState = {
    ...state,
    asking: { phase: 'idle', ask: event.ask, attempt: 0, failure: null },
    turns: [...state.turns, turn],
  };
  return charged(next, { steps: 1, tokens: event.usage.total, moneyMicros: event.moneyMicros });
}

const requested = (call: EventOf<'model_answered'>['calls'][number]): CallState => ({
  ...call,
  phase: 'requested',
  attempt: 0,
  key: null,
  question: null,
  questions: 0,
  outcome: null,
  result: null,
});

function failed(state: RunState, event: EventOf<'model_failed'>): RunState {
  const failure = { code: event.code, retryable: event.retryable };
  const next: RunState = { ...state, asking: { ...state.asking, phase: 'failed', failure } };
  return charged(next, { steps: 0, tokens: event.usage.total, moneyMicros: event.moneyMicros });
}

type Charge = Pick<RunState['spent'], 'steps' | 'tokens' | 'moneyMicros'>;
const charged = (state: RunState, { steps, tokens, moneyMicros }: Charge): RunState => ({
  ...state,
  spent: {
    ...state.spent,
    steps: state.spent.steps + steps,
    tokens: state.spent.tokens + tokens,
    moneyMicros: state.spent.moneyMicros + moneyMicros,
  },
});
