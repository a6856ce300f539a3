import type { EventOf } from '../journal/event.ts';
import { charged, raised } from './charge.ts';
import { illegal, moved, type Reduced } from './move.ts';
import { NEW_CALL, type CallState } from './call-state.ts';
import { currentCalls, finishAfter, type RunState, waitOfCalls } from './run-state.ts';

export const MODEL_EVENTS = [
  'model_asked',
  'model_answered',
  'model_failed',
  'parked',
  'budget_spent',
  'budget_warned',
  'budgets_raised',
  'finish_asked',
] as const;

export function reduceModel(state: RunState, event: EventOf<(typeof MODEL_EVENTS)[number]>): Reduced {
  switch (event.type) {
    case 'model_asked':
      return asked(state, event);
    case 'model_answered':
      return answered(state, event);
    case 'model_failed':
      return failed(state, event);
    case 'parked':
      return parked(state, event);
    case 'budget_spent':
      return moved(charged(state, event));
    case 'budget_warned':
      return warned(state, event);
    case 'budgets_raised':
      return raised(state, event);
    case 'finish_asked':
      return finishing(state, event);
    default:
      return event satisfies never;
  }
}

function warned(state: RunState, { code }: EventOf<'budget_warned'>): Reduced {
  if (state.warned.slice(state.warnedBefore).some((warning) => warning.code === code)) return illegal('already_warned');
  return moved({ ...state, warned: [...state.warned, { code, afterTurns: state.turns.length }] });
}

function finishing(state: RunState, { code }: EventOf<'finish_asked'>): Reduced {
  if (state.finishing !== null) return illegal('already_warned');
  return moved({ ...state, finishing: { code, afterTurns: finishAfter(state) } });
}

function parked(state: RunState, { code, waitMs }: EventOf<'parked'>): Reduced {
  const { asking, parks } = state;
  if (state.parked !== null || (asking.phase !== 'failed' && waitOfCalls(state) === null)) return illegal('not_asking');
  const waiting = { ...asking, attemptsBefore: asking.attempt };
  return moved({ ...state, asking: waiting, parked: { code, waitMs }, parks: parks + 1 });
}

function asked(state: RunState, { ask, attempt }: EventOf<'model_asked'>): Reduced {
  if (state.stage !== 'open') return illegal('stage_order');
  if (currentCalls(state).some((call) => call.phase !== 'settled')) return illegal('calls_open');
  if (state.asking.phase === 'asking') return illegal('already_asking');
  return moved({ ...state, asking: { ...state.asking, phase: 'asking', ask, attempt, failure: null } });
}

const isUnderWay = ({ asking }: RunState, event: Readonly<{ ask: number; attempt: number }>): boolean =>
  asking.phase === 'asking' && asking.ask === event.ask && asking.attempt === event.attempt;

function answered(state: RunState, event: EventOf<'model_answered'>): Reduced {
  if (!isUnderWay(state, event)) return illegal('not_asking');
  const { message, hasText, finish, output, usage, moneyMicros } = event;
  const spent = { tokens: usage.total, moneyMicros };
  const next: RunState = {
    ...state,
    asking: { phase: 'idle', ask: event.ask, attempt: 0, attemptsBefore: 0, failure: null },
    parks: 0,
    lastAnswer: spent,
    turns: state.turns.concat({ message, hasText, finish, calls: event.calls.map(requested), output }),
  };
  return moved(charged(next, { steps: 1, ...spent }));
}

/** A call as it begins its life. */
export const requested = (call: EventOf<'model_answered'>['calls'][number]): CallState => ({
  ...NEW_CALL,
  ...call,
  modelId: call.modelId ?? call.id,
});

function failed(state: RunState, event: EventOf<'model_failed'>): Reduced {
  if (!isUnderWay(state, event)) return illegal('not_asking');
  const { code, retryable, retryAfterMs } = event;
  const failure = { code, retryable, retryAfterMs };
  const next: RunState = { ...state, asking: { ...state.asking, phase: 'failed', failure } };
  return moved(charged(next, { steps: 0, tokens: event.usage.total, moneyMicros: event.moneyMicros }));
}
