import type { Effect, EventOf } from '../journal/event.ts';
import { missing, withCall } from './flow-state.ts';
import { illegal, moved, type IllegalMove, type Reduced } from './move.ts';
import type { CallPhase, CallState, QuestionAnswer } from './call-state.ts';
import type { RunState } from './run-state.ts';
import { timed, UNANSWERED } from './call-state.ts';
import { currentCalls, currentTurn } from './run-state.ts';

export const CALL_EVENTS = [
  'tool_intent',
  'tool_settled',
  'tool_unknown',
  'call_parked',
  'permission_asked',
  'permission_answered',
  'permission_expired',
] as const;
type CallEvent = EventOf<(typeof CALL_EVENTS)[number]>;

/** A new call is compared with this many recent calls, so this is also the longest loop that is detected. */
const RECENT_CALLS = 32;

type MovedCall = CallState | IllegalMove;

export function reduceCall(state: RunState, event: CallEvent): Reduced {
  const calls = currentCalls(state);
  const call = calls.find((each) => ('call' in event ? each.id === event.call : isPending(each, event.request)));
  if (call === undefined) return illegal('call' in event ? missing(state.flow, event.call) : 'no_such_request');
  const made = moveCall(call, event);
  if (typeof made === 'string') return illegal(made);
  const next = timed(made, event.type, state.spent.timeMs);
  const after = replaced(state, call, next);
  return moved(event.type === 'tool_settled' && !event.polls ? withProgress(after, next) : after);
}

const isPending = ({ question }: CallState, request: string): boolean =>
  question?.request === request && question.answer === null;

function moveCall(call: CallState, event: CallEvent): MovedCall {
  switch (event.type) {
    case 'tool_intent':
      return intended(call, event);
    case 'tool_settled':
      return settled(call, event);
    case 'tool_unknown':
      if (call.phase !== 'running' || call.attempt !== event.attempt) return 'wrong_phase';
      return { ...call, phase: 'unknown' };
    case 'call_parked':
      return parked(call, event);
    case 'permission_asked':
      return asked(call, event);
    case 'permission_answered':
      return answeredBy(call, event);
    case 'permission_expired':
      return answeredBy(call, { answer: 'expired', words: null });
    default:
      return event satisfies never;
  }
}

function intended(call: CallState, event: EventOf<'tool_intent'>): MovedCall {
  if (diverges(call, event)) return 'diverged';
  if (event.attempt !== call.attempt + 1) return 'would_repeat';
  const code = refusalToBegin(call, event.effect);
  return code ?? { ...call, phase: 'running', effect: event.effect, attempt: event.attempt, key: event.key };
}

function diverges(call: CallState, event: EventOf<'tool_intent'>): boolean {
  if (event.tool !== call.tool || event.arguments !== call.arguments) return true;
  return call.attempt > 0 && (event.key !== call.key || event.effect !== call.effect);
}

/** A `once` call may begin again only after a person's answer `repeat`. */
function refusalToBegin(call: CallState, effect: Effect): IllegalMove | null {
  switch (call.phase) {
    case 'requested':
      return null;
    case 'unknown':
      return effect === 'once' ? 'would_repeat' : null;
    case 'answered':
      return ['allow', 'repeat'].includes(call.question?.answer ?? '') ? null : 'wrong_phase';
    default:
      return 'wrong_phase';
  }
}

const SETTLES: readonly CallPhase[] = ['requested', 'answered', 'running', 'unknown'];
const WITHOUT_INTENT: readonly string[] = ['invalid_input', 'denied', 'over_budget', 'failed'];

function settled(call: CallState, { outcome, result, plain }: EventOf<'tool_settled'>): MovedCall {
  if (!SETTLES.includes(call.phase)) return 'wrong_phase';
  if (call.attempt === 0 && !WITHOUT_INTENT.includes(outcome)) return 'wrong_phase';
  return { ...call, phase: 'settled', outcome, result, isPlain: plain === true };
}

/** The attempts of a parked call so far do not count towards the limit. */
function parked(call: CallState, { code, waitMs }: EventOf<'call_parked'>): MovedCall {
  if (call.phase !== 'running' || call.effect !== 'read') return 'wrong_phase';
  return { ...call, phase: 'parked', parked: { code, waitMs, attempts: call.attempt } };
}

function asked(call: CallState, { request, why }: EventOf<'permission_asked'>): MovedCall {
  // A running call may demand a permission before it does anything; a `once` call runs only once.
  const mayAsk = call.phase === 'requested' || (call.phase === 'running' && call.effect !== 'once');
  if (why === 'unknown' ? call.phase !== 'unknown' : !mayAsk) return 'wrong_phase';
  return { ...call, phase: 'asking', question: { request, why, ...UNANSWERED }, questions: call.questions + 1 };
}

const ANSWERS_TO: Readonly<Record<'policy' | 'unknown', readonly string[]>> = {
  policy: ['allow', 'deny', 'expired'],
  unknown: ['happened', 'repeat', 'expired'],
};

function answeredBy(call: CallState, { answer, words }: QuestionAnswer): MovedCall {
  const { question } = call;
  if (question === null || !ANSWERS_TO[question.why].includes(answer)) return 'wrong_phase';
  return { ...call, phase: 'answered', question: { ...question, answer, words } };
}

function replaced(state: RunState, before: CallState, after: CallState): RunState {
  if (state.flow !== null) return { ...state, flow: withCall(state.flow, before, after) };
  const turn = currentTurn(state);
  if (turn === undefined) return state;
  const calls = turn.calls.map((call) => (call === before ? after : call));
  return { ...state, turns: state.turns.with(-1, { ...turn, calls }) };
}

/** Counts calls that repeat a recent call with the same result. Others count as progress, unless the budget stopped them or a plan makes them. */
function withProgress(state: RunState, call: CallState): RunState {
  if (call.outcome === 'over_budget' || state.flow !== null) return state;
  const signature = `${call.tool} ${call.arguments} ${call.outcome} ${call.result}`;
  if (state.recentCalls.includes(signature))
    return { ...state, spent: { ...state.spent, idleCalls: state.spent.idleCalls + 1 } };
  const recentCalls = [...state.recentCalls, signature].slice(-RECENT_CALLS);
  return { ...state, recentCalls, spent: { ...state.spent, idleCalls: 0 } };
}
