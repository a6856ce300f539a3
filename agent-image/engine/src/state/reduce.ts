import type { ClosedOutcome, EventOf, EventType, JournalEvent } from '../journal/event.ts';
import { lostCall, lostCalls, NO_FLOW, openStages } from './flow-state.ts';
import { illegal, isOneOf, moved, type IllegalMove, type Reduced } from './move.ts';
import { CALL_EVENTS, reduceCall } from './reduce-call.ts';
import { reduceStage, STAGE_EVENTS } from './reduce-stage.ts';
import { MODEL_EVENTS, reduceModel } from './reduce-model.ts';
import { currentCalls, isUnfit, unsettledCalls, type RunState } from './run-state.ts';

/** Events that begin something. None is admitted after a cancel or an interruption. */
const BEGINNINGS: readonly EventType[] = [
  'stage_opened',
  'context_built',
  'model_asked',
  'tool_intent',
  'permission_asked',
  'budget_warned',
  'finish_asked',
  'parked',
  'turns_compacted',
  'calls_planned',
];

/** The state after an event. Pure and total: the state depends only on the events of the run. */
export function reduce(state: RunState | null, event: JournalEvent): Reduced {
  if (event.type === 'run_opened') return state === null ? moved(opened(event)) : illegal('already_opened');
  if (state === null) return illegal('not_opened');
  const code = refusalOf(state, event);
  if (code !== null) return illegal(code);
  const timed = { ...state, spent: { ...state.spent, timeMs: state.spent.timeMs + event.elapsedMs } };
  if (isOneOf(CALL_EVENTS, event)) return reduceCall(timed, event);
  return isOneOf(MODEL_EVENTS, event) ? reduceModel(timed, event) : reduceRun(timed, event);
}

const opened = (event: EventOf<'run_opened'>): RunState => ({
  opened: event,
  budgets: event.budgets,
  fence: event.fence,
  stage: 'none',
  flow: event.flow === undefined ? null : NO_FLOW,
  turns: [],
  asking: { phase: 'idle', ask: 0, attempt: 0, attemptsBefore: 0, failure: null },
  spent: { steps: 0, tokens: 0, moneyMicros: 0, timeMs: 0, idleCalls: 0 },
  lastAnswer: { tokens: 0, moneyMicros: 0 },
  warned: [],
  warnedBefore: 0,
  counts: [],
  finishing: null,
  parked: null,
  parks: 0,
  recentCalls: [],
  volumeLost: false,
  cancelled: false,
  interrupted: false,
  compacted: null,
  outcome: null,
});

function refusalOf(state: RunState, event: JournalEvent): IllegalMove | null {
  if (event.run !== state.opened.run) return 'wrong_run';
  if (event.type === 'run_resumed' ? !mayResume(state, event.fence) : event.fence !== state.fence) return 'stale_fence';
  if (state.outcome !== null) return 'closed';
  if (!BEGINNINGS.includes(event.type)) return null;
  if (state.cancelled) return 'cancelled';
  return state.interrupted ? 'interrupted' : null;
}

const mayResume = (state: RunState, fence: number): boolean =>
  fence > state.fence || (fence === state.fence && (state.interrupted || state.parked !== null));

type RunEvent = Exclude<
  JournalEvent,
  { type: 'run_opened' | (typeof CALL_EVENTS)[number] | (typeof MODEL_EVENTS)[number] }
>;

/** No later event depends on them. */
const NOTES = ['program_noted', 'context_built'] as const;

function reduceRun(state: RunState, event: RunEvent): Reduced {
  if (isOneOf(NOTES, event)) return moved(state);
  if (isOneOf(STAGE_EVENTS, event)) return reduceStage(state, event);
  switch (event.type) {
    case 'run_resumed':
      return moved(resumed(state, event));
    case 'turns_compacted':
      return compacted(state, event);
    case 'cancel_asked':
      return moved({ ...state, cancelled: true });
    case 'interrupted':
      return moved({ ...state, interrupted: true });
    case 'run_closed':
      return closed(state, event);
    default:
      return event satisfies never;
  }
}

/** A summary must cover whole turns, and more than the previous summary. */
function compacted(state: RunState, { summary, turns }: EventOf<'turns_compacted'>): Reduced {
  if (currentCalls(state).some(({ phase }) => phase !== 'settled')) return illegal('calls_open');
  const isMore = turns <= state.turns.length && turns > (state.compacted?.turns ?? -1);
  return isMore ? moved({ ...state, compacted: { summary, turns } }) : illegal('wrong_phase');
}

const LOST = { code: 'lost', retryable: true, retryAfterMs: null };

/** The state as another engine finds it: a pending request is lost, and the outcome of each running call is unknown. */
function resumed(state: RunState, { fence, volumeLost }: EventOf<'run_resumed'>): RunState {
  const lost = { ...state.asking, phase: 'failed' as const, failure: LOST };
  return {
    ...state,
    turns: state.turns.map((turn) => ({ ...turn, calls: turn.calls.map(lostCall) })),
    flow: state.flow && lostCalls(state.flow),
    asking: state.asking.phase === 'asking' ? lost : state.asking,
    fence,
    interrupted: false,
    parked: null,
    volumeLost: state.volumeLost || volumeLost,
  };
}

function closed(state: RunState, { outcome, unsettled }: EventOf<'run_closed'>): Reduced {
  const expected = unsettledCalls(state);
  const same = expected.length === unsettled.length && expected.every((id, index) => id === unsettled[index]);
  if (!same) return illegal('unsettled_differs');
  const code = refusalToClose(state, outcome);
  return code === null ? moved({ ...state, outcome }) : illegal(code);
}

function refusalToClose(state: RunState, outcome: ClosedOutcome): IllegalMove | null {
  const { cancelled, turns } = state;
  const last = turns.at(-1);
  switch (outcome.kind) {
    case 'cancelled':
      return cancelled ? null : 'wrong_phase';
    case 'failed':
      return outcome.answer === null || outcome.answer === last?.message ? null : 'nothing_done';
    case 'done':
      if (cancelled) return 'cancelled';
      return isDone(state, outcome.answer) ? null : 'nothing_done';
  }
}

/** A plan is done once its stages are closed. Without a text answer of a model, people have no result to read. */
const isDone = ({ flow, turns }: RunState, answer: string): boolean =>
  flow === null ? isAnswer(turns.at(-1), answer) : flow.ends > 0 && openStages(flow).length === 0;

const isAnswer = (turn: RunState['turns'][number] | undefined, message: string): boolean =>
  turn?.calls.length === 0 && turn.hasText && !isUnfit(turn) && turn.message === message;
